// A thousand clients that take their time, and one that is in a hurry.
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cert } from '../support/certificate.js'
import { frame } from '../support/http2-frames.js'
import { ServerChild } from './child.js'
import { connectRaw, opening, requestFrames } from './raw-http2.js'
import { type Row, type Run, runMany } from './row.js'

const mostMs = 250

interface Kind {
  begins: string | Buffer
  /** What it sends from time to time; nothing where it only waits. */
  drips: string | Buffer
  reads: boolean
}

const http1: Record<string, Kind> = {
  // One byte of its head from time to time.
  head: { begins: 'GET / HTTP/1.1\r\nHost: t\r\nX-Slow: ', drips: 'x', reads: true },
  body: {
    begins:
      'POST /json HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"a":"',
    drips: 'x',
    reads: true,
  },
  // Reads nothing of what is sent to it.
  download: { begins: 'GET /down?bytes=100000000 HTTP/1.1\r\nHost: t\r\n\r\n', drips: '', reads: false },
  events: { begins: 'GET /events HTTP/1.1\r\nHost: t\r\n\r\n', drips: '', reads: false },
}

// Of HTTP/2 a head cannot come by the byte without its end: so the frame that begins it does not come to its own.
const large = requestFrames('/', { fields: { 'x-slow': 'x'.repeat(10_000) } })
const http2: Record<string, Kind> = {
  head: { begins: Buffer.concat([opening, large.subarray(0, 100)]), drips: 'x', reads: true },
  body: {
    begins: Buffer.concat([
      opening,
      requestFrames('/json', {
        fields: { 'content-type': 'application/json', 'content-length': '100000' },
        data: '{"a":"',
      }),
    ]),
    drips: frame(0, 0, 1, 'x'),
    reads: true,
  },
  download: {
    begins: Buffer.concat([opening, requestFrames('/down?bytes=100000000')]),
    drips: '',
    reads: false,
  },
  events: { begins: Buffer.concat([opening, requestFrames('/events')]), drips: '', reads: false },
}

export const row: Row = {
  asked: '1 000 slow clients of HTTP/1.1 beside a probe, then 1 000 of HTTP/2: 100 % answered, p99 < 250 ms',
  async run(run) {
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const secure = await server.ask<number>('secure')
    const one = await probe(
      run,
      'HTTP/1.1',
      http1,
      (kind) => open(server.port, kind),
      () => ask(server.port),
    )
    const session = connectHttp2(`https://localhost:${secure}`, { ca: cert, family: 4 } as object)
    const two = await probe(
      run,
      'HTTP/2',
      http2,
      (kind) => openHttp2(secure, kind),
      () => askHttp2(session),
    )
    session.destroy()
    const findings = [...one.findings, ...two.findings]
    if (!server.isRunning) findings.push('the server has exited')
    await server.stop()
    const isQuick = one.p99 < mostMs && two.p99 < mostMs
    return {
      measured: `${one.measured}; ${two.measured}`,
      verdict: findings.length > 0 ? 'failed' : isQuick ? 'ok' : 'short',
      findings,
    }
  },
}

async function probe(
  { count, tell }: Run,
  protocol: string,
  kinds: Record<string, Kind>,
  openOne: (kind: Kind) => Promise<Socket>,
  askOne: () => Promise<string>,
): Promise<{ measured: string; p99: number; findings: string[] }> {
  const clients = count(1_000)
  const names = Object.keys(kinds)
  const sockets: Socket[] = []
  await runMany(clients, 50, async (at) => {
    sockets[at] = await openOne(kinds[names[at % names.length]!]!)
  })
  tell(`${sockets.length} are connected by ${protocol}`)

  const times: number[] = []
  const findings: string[] = []
  const end = performance.now() + 1000 * Math.max(3, count(30))
  let turn = 0
  while (performance.now() < end) {
    // Each slow head and body grows by a byte in about two seconds.
    for (let at = turn++ % 100; at < sockets.length; at += 100) {
      const { drips } = kinds[names[at % names.length]!]!
      if (drips !== '' && sockets[at]!.writable) sockets[at]!.write(drips)
    }
    const began = performance.now()
    const text = await askOne().catch(String)
    times.push(performance.now() - began)
    if (text !== '{"id":"7","query":{"a":"1"}}')
      findings.push(`the probe by ${protocol} is answered with ${text}`)
    await sleep(15)
  }
  const answered = times.length - findings.length
  const left = sockets.filter((socket) => !socket.destroyed).length
  // Heads are given up in time; without the others the probe proves nothing.
  if (left < clients / 2)
    findings.push(`only ${left} of ${clients} slow clients of ${protocol} are still there`)
  for (const socket of sockets) socket.destroy()

  times.sort((one, two) => one - two)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const measured = `${clients} slow clients of ${protocol}, ${left} of them still there; ${answered} of ${times.length} probes answered, p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, slowest ${at(1).toFixed(1)} ms`
  return { measured, p99: at(0.99), findings }
}

async function ask(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/users/7?a=1`)).text()
}

async function askHttp2(session: ClientHttp2Session): Promise<string> {
  const stream = session.request({ ':path': '/users/7?a=1' })
  stream.setEncoding('utf8')
  return (await stream.toArray()).join('')
}

function openHttp2(port: number, { begins, reads }: Kind): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { socket, tcp } = connectRaw(port, () => {
      socket.write(begins)
      if (reads) socket.resume()
      resolve(socket)
    })
    tcp.once('error', reject)
  })
}

function open(port: number, { begins, reads }: Kind): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(begins)
      if (reads) socket.resume()
      resolve(socket)
    })
    socket.once('error', reject)
    // A server may give up on it.
    socket.on('error', () => {})
  })
}

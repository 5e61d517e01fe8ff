// What a connection costs that only waits, against node:http alone.
import { connect, type Socket } from 'node:net'
import { ServerChild } from './child.js'
import { connectRaw, opening, requestFrames } from './raw-http2.js'
import { grouped, type Row, runMany } from './row.js'

const allowed = 1.05
/** Of HTTP/2 fewer are asked: each begins with a handshake. */
const http2Share = 0.1

interface Cost {
  rss: number
  held: number
}

export const row: Row = {
  asked:
    '10 000 idle keep-alive connections: bytes for each ≤ node:http + 5 % (needs `ulimit -Hn` ≥ 10 200), and 1 000 of HTTP/2 against node:http2',
  async run({ count, tell }) {
    const http1 = await compareMany('HTTP/1.1', count(10_000), tell)
    const http2 = await compareMany('HTTP/2', count(10_000 * http2Share), tell)
    return {
      measured: `${http1.measured}; ${http2.measured}`,
      verdict: http1.isWithin && http2.isWithin ? 'ok' : 'short',
    }
  },
}

type Protocol = 'HTTP/1.1' | 'HTTP/2'

async function compareMany(
  protocol: Protocol,
  connections: number,
  tell: (progress: string) => void,
): Promise<{ measured: string; isWithin: boolean }> {
  const costs: Record<'bare' | 'ours', Cost[]> = { bare: [], ours: [] }
  for (let round = 0; round < 3; round++) {
    for (const kind of ['bare', 'ours'] as const) {
      costs[kind].push(await measure(kind, protocol, connections))
      tell(`${protocol}, ${kind}: ${show(costs[kind].at(-1)!)}`)
    }
  }
  // The least of each: what another collection leaves behind only adds to it.
  const [bare, ours] = [least(costs.bare), least(costs.ours)]
  const reference = protocol === 'HTTP/2' ? 'node:http2' : 'node:http'
  return {
    measured: `${grouped(connections)} connections of ${protocol}, each ${show(ours)}; ${reference} ${show(bare)}: resident ${compare(ours.rss, bare.rss)}, heap ${compare(ours.held, bare.held)}`,
    isWithin: isWithin(ours.held, bare.held) && isWithin(ours.rss, bare.rss),
  }
}

/** False as well for a reference that is not above 0, as that of too few connections may be. */
function isWithin(cost: number, reference: number): boolean {
  return reference > 0 && cost <= allowed * reference
}

function compare(cost: number, reference: number): string {
  if (reference <= 0) return 'cannot be compared'
  return `${cost < reference ? '−' : '+'} ${(100 * Math.abs(cost / reference - 1)).toFixed(1)} %`
}

function show({ rss, held }: Cost): string {
  return `${grouped(Math.round(rss))} B resident, ${grouped(Math.round(held))} B of heap`
}

function least(costs: readonly Cost[]): Cost {
  return { rss: Math.min(...costs.map(({ rss }) => rss)), held: Math.min(...costs.map(({ held }) => held)) }
}

async function measure(kind: 'bare' | 'ours', protocol: Protocol, connections: number): Promise<Cost> {
  const server = await ServerChild.start('hard/load-server.ts', kind)
  const secure = await server.ask<number>('secure')
  const open = async (count: number): Promise<Socket[]> => {
    const sockets: Socket[] = []
    await runMany(
      count,
      100,
      async () =>
        void sockets.push(await (protocol === 'HTTP/2' ? askOnceHttp2(secure) : askOnce(server.port))),
    )
    return sockets
  }
  // What the first requests load is no part of a connection.
  const first = await open(200)
  const before = await server.ask<Cost>()
  const sockets = await open(connections)
  const after = await server.ask<Cost>()
  const opened = [...first, ...sockets]
  const closed = opened.filter(({ destroyed }) => destroyed).length
  if (closed > 0) throw new Error(`${kind} has closed ${closed} of ${opened.length} connections`)
  for (const socket of opened) socket.destroy()
  await server.stop()
  return { rss: (after.rss - before.rss) / connections, held: (after.held - before.held) / connections }
}

/** A connection on which one request has been answered. */
function askOnce(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: t\r\n\r\n')
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`It was closed after ${JSON.stringify(text)}`)))
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (text.endsWith('\r\n\r\nok')) resolve(socket)
    })
  })
}

function askOnceHttp2(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { socket, tcp } = connectRaw(port, () => socket.write(Buffer.concat([opening, requestFrames('/')])))
    const received: Buffer[] = []
    tcp.once('close', () => reject(new Error('It was closed')))
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk)
      // The end of the stream: DATA of two bytes, and END_STREAM there or in an empty frame behind.
      const text = Buffer.concat(received).toString('latin1')
      if (text.includes('ok') && /\x00\x01\x00\x00\x00\x01(?:ok)?$/.test(text)) resolve(tcp)
    })
  })
}

// A thousand clients that take their time, and one that is in a hurry.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerChild } from './child.js'
import { type Row, runMany } from './row.js'

const mostMs = 250

const kinds = {
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
} as const

export const row: Row = {
  asked: '1 000 slow clients beside a probe: 100 % answered, p99 < 250 ms',
  async run({ count, tell }) {
    const clients = count(1_000)
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const names = Object.keys(kinds) as (keyof typeof kinds)[]
    const sockets: Socket[] = []
    await runMany(clients, 50, async (at) => {
      sockets[at] = await open(server.port, names[at % names.length]!)
    })
    tell(`${sockets.length} are connected`)

    const times: number[] = []
    const findings: string[] = []
    const end = performance.now() + 1000 * Math.max(3, count(30))
    let turn = 0
    while (performance.now() < end) {
      // Each slow head and body grows by a byte in about two seconds.
      for (let at = turn++ % 100; at < sockets.length; at += 100) {
        const { drips } = kinds[names[at % names.length]!]
        if (drips !== '' && sockets[at]!.writable) sockets[at]!.write(drips)
      }
      const began = performance.now()
      const response = await fetch(`http://127.0.0.1:${server.port}/users/7?a=1`).catch(String)
      const text = typeof response === 'string' ? response : await response.text()
      times.push(performance.now() - began)
      if (text !== '{"id":"7","query":{"a":"1"}}') findings.push(`the probe is answered with ${text}`)
      await sleep(15)
    }
    const answered = times.length - findings.length
    const left = sockets.filter((socket) => !socket.destroyed).length
    // Heads are given up in time; without the others the probe proves nothing.
    if (left < clients / 2) findings.push(`only ${left} of ${clients} slow clients are still there`)
    if (!server.isRunning) findings.push('the server has exited')
    for (const socket of sockets) socket.destroy()
    await server.stop()

    times.sort((one, two) => one - two)
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
    const measured = `${clients} slow clients, ${left} of them still there; ${answered} of ${times.length} probes answered, p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, slowest ${at(1).toFixed(1)} ms`
    return {
      measured,
      verdict: findings.length > 0 ? 'failed' : at(0.99) < mostMs ? 'ok' : 'short',
      findings,
    }
  },
}

function open(port: number, kind: keyof typeof kinds): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(kinds[kind].begins)
      if (kinds[kind].reads) socket.resume()
      resolve(socket)
    })
    socket.once('error', reject)
    // A server may give up on it.
    socket.on('error', () => {})
  })
}

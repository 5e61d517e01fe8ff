// What a connection costs that only waits, against node:http alone.
import { connect, type Socket } from 'node:net'
import { ServerChild } from './child.js'
import { grouped, type Row, runMany } from './row.js'

const allowed = 1.05

interface Cost {
  rss: number
  held: number
}

export const row: Row = {
  asked: '10 000 idle keep-alive connections: bytes for each ≤ node:http + 5 % (needs `ulimit -Hn` ≥ 10 200)',
  async run({ count, tell }) {
    const connections = count(10_000)
    const costs: Record<'bare' | 'ours', Cost[]> = { bare: [], ours: [] }
    for (let round = 0; round < 3; round++) {
      for (const kind of ['bare', 'ours'] as const) {
        costs[kind].push(await measure(kind, connections))
        tell(`${kind}: ${show(costs[kind].at(-1)!)}`)
      }
    }
    // The least of each: what another collection leaves behind only adds to it.
    const [bare, ours] = [least(costs.bare), least(costs.ours)]
    return {
      measured: `${grouped(connections)} connections, each ${show(ours)}; node:http ${show(bare)}: resident ${compare(ours.rss, bare.rss)}, heap ${compare(ours.held, bare.held)}`,
      verdict: isWithin(ours.held, bare.held) && isWithin(ours.rss, bare.rss) ? 'ok' : 'short',
    }
  },
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

async function measure(kind: 'bare' | 'ours', connections: number): Promise<Cost> {
  const server = await ServerChild.start('hard/load-server.ts', kind)
  const open = async (count: number): Promise<Socket[]> => {
    const sockets: Socket[] = []
    await runMany(count, 100, async () => void sockets.push(await askOnce(server.port)))
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

// What it costs clients that each of their requests is answered a second time, and what memory that takes.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerChild } from './child.js'
import { grouped, inMebibytes, type Row } from './row.js'

/** How long a handler takes, as one does that asks a database. */
const handlerMs = 20
const perSecond = 150
const allowed = 1.05
/** Short ones, in turn: what else the machine does then meets both states alike. */
const rounds = 20
const maxGrowth = 24 * 1024 * 1024
const maxHeapGrowth = 4 * 1024 * 1024

interface Told {
  copies: number
  compared: number
  different: number
  rss: number
  heapUsed: number
  shadow: { dropped: Record<string, number>; heldBytes: number; waiting: number }
}

export const row: Row = {
  asked: `shadow at 100 %: p99 of clients ≤ + 5 % (handlers of ${handlerMs} ms, ${perSecond} requests a second); under ten times the load it stops, and memory stays bounded`,
  async run({ count, tell }) {
    const requests = count(12_000)
    const server = await ServerChild.start('hard/switch-server.ts', 'memory', '', String(handlerMs), '1')
    try {
      const findings: string[] = []
      const times = { legacy: [] as number[], shadow: [] as number[] }
      await pace(server.port, 500, perSecond)
      for (let round = 0; round < rounds; round++) {
        for (const state of ['legacy', 'shadow'] as const) {
          await server.ask(`set=${state}`)
          times[state].push(...(await pace(server.port, Math.ceil(requests / (2 * rounds)), perSecond)))
        }
        tell(
          `p99 ${p99Of(times.legacy).toFixed(1)} ms without, ${p99Of(times.shadow).toFixed(1)} ms with shadow`,
        )
      }
      const before = await server.ask<Told>()
      const hard = await pace(server.port, requests / 2, 10 * perSecond)
      await sleep(500)
      // Any load takes memory for its young objects. What counts is that the second half takes no more.
      const half = await server.ask<Told>()
      hard.push(...(await pace(server.port, requests / 2, 10 * perSecond)))
      await sleep(500)
      const after = await server.ask<Told>()
      if (after.different > 0) findings.push(`${after.different} answers that are alike were found to differ`)
      if (after.shadow.heldBytes > 0 && after.shadow.waiting === 0) findings.push('bytes are held for nobody')
      if (before.compared === 0) findings.push('Nothing was compared')
      const growth = after.rss - half.rss
      const heapGrowth = after.heapUsed - before.heapUsed
      if (growth > maxGrowth) findings.push(`memory has grown by ${inMebibytes(growth)}`)
      if (heapGrowth > maxHeapGrowth) findings.push(`the heap has grown by ${inMebibytes(heapGrowth)}`)
      const [legacy, shadow] = [p99Of(times.legacy), p99Of(times.shadow)]
      const dropped = Object.values(after.shadow.dropped).reduce((sum, one) => sum + one, 0)
      const ratio = shadow / legacy
      return {
        measured: `p99 ${legacy.toFixed(1)} ms without, ${shadow.toFixed(1)} ms with shadow (${ratio < 1 ? '−' : '+'} ${Math.abs(100 * (ratio - 1)).toFixed(1)} %), ${grouped(before.compared)} compared; under ${10 * perSecond} a second (p99 ${p99Of(hard).toFixed(1)} ms) ${grouped(after.compared - before.compared)} compared, ${grouped(dropped)} dropped, heap ${signed(heapGrowth)}, in the second half RSS ${signed(growth)}`,
        verdict: findings.length > 0 ? 'failed' : ratio <= allowed ? 'ok' : 'short',
        findings,
      }
    } finally {
      await server.stop()
    }
  },
}

const signed = (bytes: number): string => `${bytes < 0 ? '−' : '+'} ${inMebibytes(Math.abs(bytes))}`

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)]!

/** So many requests, each at its time, whether those before it are answered or not. Gives their times. */
async function pace(port: number, requests: number, rate: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const times: number[] = []
  const open: Promise<void>[] = []
  const began = performance.now()
  for (let at = 0; at < requests; at++) {
    const due = began + (1000 * at) / rate - performance.now()
    if (due > 1) await sleep(due)
    open.push(
      new Promise((resolve, reject) => {
        const start = performance.now()
        const outgoing = request({
          agent,
          port,
          host: '127.0.0.1',
          path: `/items/${at}`,
          headers: { 'x-id': at },
        })
        outgoing.on('error', reject)
        outgoing.on('response', (incoming) => {
          incoming.resume()
          incoming.on('end', () => {
            times.push(performance.now() - start)
            resolve()
          })
        })
        outgoing.end()
      }),
    )
  }
  await Promise.all(open)
  agent.destroy()
  return times
}

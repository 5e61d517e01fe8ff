/**
 * What it costs to decide who answers a request of `migration()`: time, and bytes that are allocated.
 *
 *     node --expose-gc --import tsx bench/switch-decision.ts
 *
 * `decision` is that alone. `with its watch` is what a request costs on the average: of a route at `legacy` or `native` one answer of eight is
 * looked at, of one under `canary` each.
 */
import { EventEmitter } from 'node:events'
import { Controller, RouteControllers } from '../src/index.js'
import { migration } from '@routecontrollers/switch'
import type { RouteState } from '../packages/switch/src/states/schema.js'
import { describeHandler } from '../src/introspection.js'

const calls = 2_000_000
const rounds = 7
const mostNanoseconds = 1000
const mostBytes = 1

const controller = new Controller('GET', '/items/:id', () => 'native')
const routeControllers = new RouteControllers([controller])
const switching = migration({
  legacy: (_req, res) => void res.end('legacy'),
  routeControllers,
  shadow: false,
  stickyBy: (req) => req.headers['x-user'] as string,
})
const { config } = describeHandler(routeControllers.getCallback())!

const incoming = { headers: { 'x-user': 'user-12345' } }
const outgoing = Object.assign(new EventEmitter(), {
  statusCode: 200,
  writableFinished: true,
  getHeader: () => 'x',
})
const pass = (): void => {}
const alone = { method: 'GET', pass, incoming, outgoing: undefined } as never
const watched = { method: 'GET', pass, incoming, outgoing } as never

function measure(exchange: never): { nanoseconds: number; bytes: number } {
  const choose = config.switch!.choose
  let taken = 0
  const times: number[] = []
  const sizes: number[] = []
  for (let round = 0; round < rounds; round++) {
    globalThis.gc!()
    const heap = process.memoryUsage().heapUsed
    const began = performance.now()
    for (let at = 0; at < calls; at++) if (choose(controller as never, exchange)) taken++
    times.push(((performance.now() - began) * 1e6) / calls)
    // A collection in between hides some; the largest of all rounds is nearest to what was made.
    sizes.push((process.memoryUsage().heapUsed - heap) / calls)
  }
  if (taken < 0) throw new Error('It has to be counted, so that nothing is left out')
  times.sort((a, b) => a - b)
  sizes.sort((a, b) => a - b)
  return { nanoseconds: times[rounds >> 1]!, bytes: Math.max(0, sizes[rounds >> 1]!) }
}

let isWithin = true
console.log('| state | decision | with its watch |\n| --- | --- | --- |')
for (const state of ['legacy', 'native', 'canary 5%'] as RouteState[]) {
  await switching.set('*', state, { reason: 'to measure' })
  const [one, two] = [measure(alone), measure(watched)]
  const shown = ({ nanoseconds, bytes }: typeof one): string =>
    `${nanoseconds.toFixed(0)} ns, ${bytes.toFixed(2)} B`
  console.log(`| ${state} | ${shown(one)} | ${shown(two)} |`)
  if (one.nanoseconds > mostNanoseconds) isWithin = false
  if (state !== 'canary 5%' && one.bytes > mostBytes) isWithin = false
}
await switching.close()
console.log(
  isWithin ? `ok: at most ${mostNanoseconds} ns, and nothing allocated at legacy and native` : 'failed',
)
process.exitCode = isWithin ? 0 : 1

/**
 * Measures `Server` on Bun and Deno beside their own servers and Hono, over sockets: microseconds of CPU for a request.
 *
 *     npm run bench:runtimes -- --bun ../bun [--deno ../deno] [--quick]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { buildPackage } from './harness/build-package.js'
import { describeMachine } from './harness/machine.js'

const { values: options } = parseArgs({
  options: { bun: { type: 'string' }, deno: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const runtimes = { bun: [], deno: ['run', '--quiet', '--allow-all'] }
const ways = ['bare', 'Hono', 'Server', 'Server, node:http']
const requests = {
  'GET /users/:id': { path: '/users/7' },
  'POST JSON echo': {
    path: '/echo',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', tags: ['a', 'b'], age: 36 }),
  },
}
const [rounds, seconds] = options.quick ? [3, 1] : [5, 3]

if (options.bun === undefined && options.deno === undefined) {
  console.error('Name a runtime: npm run bench:runtimes -- --bun ../bun --deno ../deno')
  process.exit(2)
}

class Contender {
  #child
  #lines
  url

  static async start(command, flags, way, entry) {
    const one = new Contender()
    const file = join(import.meta.dirname, 'contenders/runtime-server.js')
    one.#child = spawn(command, [...flags, file, way, entry], { stdio: ['pipe', 'pipe', 'ignore'] })
    one.#lines = createInterface({ input: one.#child.stdout })
    one.url = `http://127.0.0.1:${(await once(one.#lines, 'line'))[0]}`
    return one
  }

  async #cpu() {
    const line = once(this.#lines, 'line')
    this.#child.stdin.write('\n')
    return Number((await line)[0])
  }

  async measure(request) {
    const before = await this.#cpu()
    const { requests: made, non2xx } = await autocannon({
      url: this.url,
      requests: [request],
      connections: 20,
      duration: seconds,
    })
    if (non2xx > 0 || made.total === 0) throw new Error(`${this.url} does not answer as it should`)
    return ((await this.#cpu()) - before) / made.total
  }

  stop() {
    this.#child.kill()
  }
}

const built = buildPackage()
try {
  console.log(describeMachine())
  for (const [runtime, flags] of Object.entries(runtimes)) {
    if (options[runtime] === undefined) continue
    const command = resolve(options[runtime])
    const contenders = new Map()
    for (const way of ways) contenders.set(way, await Contender.start(command, flags, way, built.entry))
    for (const [title, request] of Object.entries(requests)) {
      const costs = new Map(ways.map((way) => [way, []]))
      for (const one of contenders.values()) await one.measure(request)
      // In turn, so that what else the machine does hits all of them.
      for (let round = 0; round < rounds; round++)
        for (const [way, one] of contenders) costs.get(way).push(await one.measure(request))
      const median = (way) => costs.get(way).sort((a, b) => a - b)[rounds >> 1]
      const cells = ways.map(
        (way) => `${way} ${median(way).toFixed(1)} (${(median(way) / median('bare')).toFixed(2)})`,
      )
      console.log(`${runtime}, ${title}: ${cells.join(', ')}`)
    }
    for (const one of contenders.values()) one.stop()
  }
} finally {
  built.remove()
}

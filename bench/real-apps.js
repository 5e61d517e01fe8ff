/**
 * Measures applications of npm as they are, by `createServer(app)`, and in front of themselves by `toControllers`:
 *
 *     npm run bench:apps -- [--apps <regex>] [--node <binary>] [--sockets] [--quick] [--check]
 *     npm run bench:apps -- --module <file> --get <path> [--anew <regex>]
 *
 * They are installed into folders of their own, which are removed at the end. With `--check` it fails where a way is dearer than the app
 * as it is, or cannot serve it.
 *
 * `--module` measures an app of your own in their place: what the file exports by default or as `app`. Of its answer, what matches `--anew` is
 * another one each time.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { apps } from './contenders/support/real-apps.js'
import { buildPackage } from './harness/build-package.js'
import { checkAnswer, fetchOnce } from './harness/check.js'
import { startContender } from './harness/contender.js'
import { describeMachine } from './harness/machine.js'
import { measureRow } from './harness/measure.js'
import { compare, summarise } from './harness/statistics.js'

const { values: options } = parseArgs({
  options: {
    apps: { type: 'string', default: '' },
    module: { type: 'string' },
    get: { type: 'string', default: '/' },
    anew: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    sockets: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const settings = {
  ...(options.quick
    ? { processes: 1, rounds: 3, slice: 600, warmUpRequests: 2_000, longestWarmUp: 1_000 }
    : { processes: 2, rounds: 5, slice: 1_000, warmUpRequests: 10_000, longestWarmUp: 4_000 }),
  node: resolve(options.node),
}
const kind = options.sockets ? 'served' : 'memory'
const ways = ['as it is', 'createServer', 'in front']

const own = options.module && {
  name: 'own app',
  module: resolve(options.module),
  requests: [{ method: 'GET', path: options.get, anew: options.anew }],
}
const wanted = new RegExp(options.apps)
const chosen = own ? [] : Object.keys(apps).filter((app) => wanted.test(app))
if (chosen.length === 0 && !own) throw new Error(`--apps: none of ${Object.keys(apps).join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-apps-'))
const built = buildPackage()
process.on('exit', () => {
  rmSync(folder, { recursive: true })
  built.remove()
})
process.on('SIGINT', () => process.exit(130))

for (const app of chosen) install(app)

const node = execFileSync(settings.node, ['--version'], { encoding: 'utf8' }).trim()
const { machine, pinned, load } = describeMachine()
console.log(`Node ${node}, ${machine}; ${options.sockets ? load : 'in memory'}; pinned: ${pinned}\n`)
console.log('| application | request | as it is, µs of CPU | createServer(app), of it | in front, of it |')
console.log('| --- | --- | --: | --: | --: |')
for (const app of chosen) {
  for (const request of apps[app].requests) await measure(app, request, { app, folder: join(folder, app) })
}
if (own) for (const request of own.requests) await measure(own.name, request, { module: own.module })

function install(app) {
  const { packages } = apps[app]
  console.log(`Installing ${packages.join(', ')}`)
  const cwd = join(folder, app)
  mkdirSync(cwd)
  // verdaccio asks for it by a tag, which not every registry has.
  const overrides = { 'node-fetch': '2.7.0' }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, overrides }))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Prints a line of the table. A way that cannot serve the app has the reason in its cell. */
async function measure(app, request, where) {
  const contenders = ways.map((way) => ({
    name: `${app} ${way}`,
    file: 'real-app',
    options: { entry: built.entry, ...where, way },
  }))
  const [alone, ...others] = contenders
  const { status, headers, body } = await ask(alone, request)
  const asked = { ...request, status, type: headers['content-type'], answer: body }
  const reasons = new Map()
  for (const contender of others) {
    try {
      checkAnswer(contender.name, asked, await ask(contender, request))
    } catch (error) {
      reasons.set(contender.name, error.message)
      fail(error.message)
    }
  }

  const able = contenders.filter(({ name }) => !reasons.has(name))
  const results = await measureRow({ name: app, kind, request: asked, contenders: able }, settings)
  const samples = new Map(results.map((result) => [result.name, result.samples]))
  const cells = others.map(({ name }) => {
    if (reasons.has(name)) return reasons.get(name).replaceAll(/\s+/g, ' ')
    const ratio = compare(samples.get(name), samples.get(alone.name), 'cpu')
    const part = { median: 1 / ratio.median, low: 1 / ratio.high, high: 1 / ratio.low }
    if (part.low > 1) fail(`${name}: ${request.method} is dearer (${part.low.toFixed(2)} at least)`)
    return `${part.median.toFixed(2)} (${part.low.toFixed(2)}–${part.high.toFixed(2)})`
  })
  const { median, low, high } = summarise(samples.get(alone.name).map(({ cpu }) => cpu))
  const cpu = `${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)})`
  const path = request.path.replace(/\?.*/, '')
  console.log(`| ${[app, `\`${request.method} ${path}\``, cpu, ...cells].join(' | ')} |`)
}

/** The answer of a contender that runs for this request alone. */
async function ask(contender, request) {
  const running = await startContender(contender, 'start', 'answer', settings)
  try {
    return await fetchOnce(running.port, request)
  } finally {
    await running.stop()
  }
}

function fail(message) {
  if (!options.check) return
  console.error(message)
  process.exitCode = 1
}

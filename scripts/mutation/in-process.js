// Changes of sources against a few files of tests, all in this process: a hundredth of a second for each, where Jest takes seconds.
// For tests that need of Jest what is below, and leave nothing behind: those of a part alone. The changes are Stryker's.
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { build } from 'esbuild'
import { expect } from 'expect'
import { bind } from 'jest-each'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import jestConfig from '../../jest.config.js'

/** After so many milliseconds a test has noticed its change by never ending; the same where a change runs so often. */
const [longestMs, mostHits] = [20_000, 5_000_000]

const root = process.cwd()
const requireFile = createRequire(join(root, 'package.json'))
const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((level) => [
    [level, () => {}],
    [`is${level[0].toUpperCase()}${level.slice(1)}Enabled`, () => false],
  ]),
)

/** The changes of some files, as Stryker reports them. `ranges` is what `mutate` takes: `['src/run/chain.ts:12-14']`. */
export async function mutantsInProcess(ranges, tests) {
  const { files, mutants } = await new Instrumenter(silent).instrument(filesOf(ranges), {
    ...{ plugins: null, excludedMutations: [], ignorers: [] },
  })
  const run = await compile(tests, new Map(files.map(({ name, content }) => [resolve(name), content])))
  const { failed } = await runTests(run)
  if (failed !== undefined) throw new Error(`Without a change fails: ${failed}`)
  const switches = (globalThis.__stryker__ ??= {})
  // What a change leaves unhandled is none of this process.
  const ignore = () => {}
  process.on('unhandledRejection', ignore)
  const found = []
  for (const { id, fileName, location, replacement, ignoreReason } of mutants) {
    if (ignoreReason !== undefined) continue
    Object.assign(switches, { activeMutant: String(id), hitCount: 0, hitLimit: mostHits })
    const result = await runTests(run)
    switches.activeMutant = undefined
    const status = result.failed === undefined ? 'Survived' : result.isTimeout ? 'Timeout' : 'Killed'
    const place = ({ line, column }) => ({ line: line + 1, column: column + 1 })
    const { start, end } = location
    found.push({ fileName, location: { start: place(start), end: place(end) }, replacement, status })
  }
  process.off('unhandledRejection', ignore)
  return found
}

/** Files with the lines of them that may be changed. */
function filesOf(ranges) {
  const files = new Map()
  for (const range of ranges) {
    const [, name, first, last] = /^(.*?)(?::(\d+)-(\d+))?$/.exec(range)
    const file = files.get(name) ?? { name, content: readFileSync(name, 'utf8'), mutate: [] }
    files.set(name, file)
    const end = { line: Number(last) - 1, column: Infinity }
    if (first === undefined) file.mutate = true
    else file.mutate.push({ start: { line: Number(first) - 1, column: 0 }, end })
  }
  return [...files.values()]
}

/** A function that runs the files of tests anew, with all modules of this repository that they take. */
async function compile(tests, changed) {
  const mapped = Object.entries(jestConfig.moduleNameMapper).filter(([, to]) => to.startsWith('<rootDir>'))
  const load = ({ path }) => {
    const text = changed.get(path) ?? readFileSync(path, 'utf8')
    const own = text
      .replace(/\b__dirname\b/g, JSON.stringify(dirname(path)))
      .replace(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href))
    return { contents: own, loader: 'ts' }
  }
  const find = ({ path }) => {
    const [name, to] = mapped.find(([from]) => new RegExp(from).test(path)) ?? []
    if (name === undefined) return path.startsWith('.') ? undefined : { path, external: true }
    return { path: resolve(path.replace(new RegExp(name), to.replace('<rootDir>', root))) }
  }
  const plugin = {
    name: 'changed sources',
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, load)
      building.onResolve({ filter: /^[^/]/ }, (asked) =>
        asked.kind === 'entry-point' ? undefined : find(asked),
      )
    },
  }
  const built = await build({
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' },
    // package.json says that a file which is only imported may be left out.
    ignoreAnnotations: true,
    stdin: { contents: tests.map((test) => `import './${test}'`).join('\n'), resolveDir: root },
    plugins: [plugin],
  })
  return new Function('require', 'module', 'exports', ...globals, built.outputFiles[0].text)
}

const hooks = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']
const globals = ['describe', 'it', 'expect', 'jest', ...hooks]

/** Runs all tests, up to the first one that fails: its name, and whether it has not ended. */
async function runTests(run) {
  const tests = []
  const calls = Object.fromEntries(hooks.map((hook) => [hook, []]))
  const names = []
  const withEach = (define) =>
    Object.assign(define, { each: (...table) => bind((...given) => define(...given), false)(...table) })
  const describe = withEach((name, define) => {
    names.push(name)
    define()
    names.pop()
  })
  const it = withEach((name, test) => void tests.push({ name: [...names, name].join(' '), test }))
  const own = { describe, it, expect, jest: { requireActual: requireFile } }
  for (const hook of hooks) own[hook] = (call) => void calls[hook].push(call)
  const all = async (hook) => {
    for (const call of calls[hook]) await call()
  }
  let name = 'what is loaded'
  try {
    const module = { exports: {} }
    run(requireFile, module, module.exports, ...globals.map((global) => own[global]))
    if (tests.length === 0) throw new Error('there are no tests')
    await all('beforeAll')
    for (const one of tests) {
      name = one.name
      await limited(async () => {
        await all('beforeEach')
        await one.test()
        await all('afterEach')
      })
    }
    return {}
  } catch (error) {
    return {
      failed: `${name}: ${error.message}`,
      isTimeout: /^Stryker: Hit count|^Took longer/.test(error.message),
    }
  } finally {
    await all('afterAll')
  }
}

function limited(run) {
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Took longer than ${longestMs} ms`)), longestMs)
  })
  return Promise.race([run(), late]).finally(() => clearTimeout(timer))
}

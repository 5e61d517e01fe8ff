// A file of tests that runs without Jest, as often as asked, each time with all modules of this repository anew: the blocks, hooks and
// tables of Jest, its `expect`, its mocks of functions and its fake timers. Mocks of modules are not among it.
import { ModernFakeTimers } from '@jest/fake-timers'
import { build } from 'esbuild'
import { expect } from 'expect'
import { bind } from 'jest-each'
import { ModuleMocker } from 'jest-mock'
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import jestConfig from '../../jest.config.js'

// As Jest does it. Express writes errors to the console otherwise.
process.env.NODE_ENV ??= 'test'

const root = process.cwd()
/** Those of Node, also while a test has others. */
const { setInterval, clearInterval } = globalThis
const timers = new ModernFakeTimers({ config: { rootDir: root, fakeTimers: {} }, global: globalThis })
const hookNames = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']
const globals = ['describe', 'it', 'expect', 'jest', 'console', ...hookNames]
const silent = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }))

/** Compiles a file of tests with all that it takes. `changed` has the sources by their absolute paths that stand in for the files. */
export async function compileTests(test, changed) {
  const mapped = Object.entries(jestConfig.moduleNameMapper).filter(([, to]) => to.startsWith('<rootDir>'))
  const load = ({ path }) => {
    const text = changed.get(path) ?? readFileSync(path, 'utf8')
    const own = text
      .replace(/\b__dirname\b/g, JSON.stringify(dirname(path)))
      .replace(/\b__filename\b/g, JSON.stringify(path))
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
    // Functions are called by their names in what is logged.
    keepNames: true,
    stdin: { contents: `import './${test}'`, resolveDir: root },
    plugins: [plugin],
  })
  const run = new Function('require', 'module', 'exports', ...globals, built.outputFiles[0].text)
  return { run, requireFile: createRequire(resolve(test)) }
}

const newBlock = (parent) => ({
  parent,
  ...{ children: [], beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
})

/** Loads all modules anew; gives the tests in their order, each with its block. */
export function loadTests({ run, requireFile }) {
  const mocker = new ModuleMocker(globalThis)
  const top = newBlock()
  const tests = []
  let block = top
  const withEach = (define) =>
    Object.assign(define, { each: (...table) => bind((...given) => define(...given), false)(...table) })
  const describe = withEach((_name, define) => {
    const outer = block
    block = newBlock(outer)
    outer.children.push(block)
    define()
    block = outer
  })
  const it = withEach((name, call) => {
    const test = { name, run: call, block, number: tests.length }
    block.children.push(test)
    tests.push(test)
  })
  const jest = {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    replaceProperty: mocker.replaceProperty.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (config) => timers.useFakeTimers(config),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    getTimerCount: () => timers.getTimerCount(),
    requireActual: requireFile,
    setTimeout() {},
  }
  const own = { describe, it, expect, jest, console: silent }
  for (const name of hookNames) own[name] = (call) => void block[name].push(call)
  const module = { exports: {} }
  run(requireFile, module, module.exports, ...globals.map((global) => own[global]))
  const end = () => {
    mocker.restoreAllMocks()
    timers.useRealTimers()
  }
  return { top, tests, end }
}

/** All blocks around a test or a block, the outermost first. */
export const blocksAround = ({ block, parent = block }) =>
  parent === undefined ? [] : [...blocksAround(parent), parent]

/**
 * Runs those of the tests that are chosen by their numbers, up to the first one that fails. Gives it with its error, and undefined where
 * all pass. `longest` is how many milliseconds of this process a test, or a hook, may take. `entering` is called with each test and block.
 * With `failing`, which is called with each test that fails, all tests run.
 */
export async function runTests({ top, tests, end }, chosen, longest, { entering = () => {}, failing } = {}) {
  const isChosen = (child) =>
    child.children === undefined ? chosen.has(child.number) : child.children.some(isChosen)
  let failed
  const named = ({ error, number }) => ({ error, number, test: tests[number].name })
  const call = async (run, number) => {
    try {
      await limited(run, longest)
    } catch (error) {
      failed ??= { error: error ?? new Error('threw nothing'), number }
    }
  }
  const runTest = async (test) => {
    const { run, number } = test
    const blocks = blocksAround(test)
    entering(test)
    expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false })
    for (const hook of blocks.flatMap(({ beforeEach }) => beforeEach)) await call(hook, number)
    if (failed === undefined) await call(run, number)
    for (const hook of blocks.reverse().flatMap(({ afterEach }) => afterEach)) await call(hook, number)
    const [unmet] = expect.extractExpectedAssertionsErrors()
    if (unmet !== undefined) failed ??= { error: unmet.error, number }
    if (failed === undefined || failing === undefined) return
    failing(named(failed))
    failed = undefined
  }
  const firstOf = (child) => child.number ?? firstOf(child.children.find(isChosen))
  const runBlock = async (block) => {
    const first = firstOf(block)
    entering(block)
    for (const hook of block.beforeAll) await call(hook, first)
    for (const child of block.children) {
      if (failed !== undefined) break
      if (isChosen(child)) await (child.children === undefined ? runTest(child) : runBlock(child))
    }
    entering(block)
    for (const hook of block.afterAll) await call(hook, first)
  }
  const { console } = globalThis
  globalThis.console = silent
  await runBlock(top)
  globalThis.console = console
  end()
  return failed && named(failed)
}

/** What nothing catches fails the test that runs, as in Jest. */
let failCurrent = () => {}
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) =>
    failCurrent(Object.assign(new Error(`uncaught: ${error?.message}`), { isUncaught: true })),
  )
}

const turn = 20
async function limited(run, longest) {
  let timer
  const late = new Promise((_resolve, reject) => {
    failCurrent = reject
    // In turns: while other programs have the processor, this process has none of them.
    let left = Math.ceil(longest / turn)
    timer = setInterval(() => {
      if (left-- === 0)
        reject(Object.assign(new Error(`took longer than ${longest} ms`), { isTimeout: true }))
    }, turn)
  })
  try {
    await Promise.race([run(), late])
  } finally {
    clearInterval(timer)
    failCurrent = () => {}
  }
}

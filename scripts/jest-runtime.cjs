// Jest's runtime, but each process compiles a file once, and not once for each file of tests that needs it. Jest compiles with
// `compileFunction`, which shares nothing, and up to Node 20 keeps all that it has compiled for as long as the process lives.
// And each test runs without an AsyncLocalStorage of Jest.
const asyncHooks = require('node:async_hooks')
const { basename } = require('node:path')
const { Script } = require('node:vm')
const { default: Runtime } = require('jest-runtime')

/** By the path of the file; Jest may give other code for it, with coverage or without. */
const compiled = new Map()

/**
 * Which test or hook runs, for jest-circus, which keeps it in an AsyncLocalStorage. Up to Node 22 that costs an eighth of the time of all
 * tests, and has each of them run as in a program that uses one. Here one runs after the other, so a field is enough.
 */
class RunningTest {
  #store

  getStore() {
    return this.#store
  }

  run(store, callback) {
    const before = this.#store
    this.#store = store
    return Promise.resolve(callback()).finally(() => (this.#store = before))
  }
}

module.exports = class extends Runtime {
  requireInternalModule(from, to) {
    if (to !== undefined || basename(from) !== 'jestAdapterInit.js')
      return super.requireInternalModule(from, to)
    // From Node 22 on it is a getter.
    const given = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage')
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: RunningTest, configurable: true })
    try {
      return super.requireInternalModule(from, to)
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', given)
    }
  }

  constructor(config, environment, ...more) {
    super(config, environment, ...more)
    const { executor } = this
    // The line break before the end is for a comment in the last line.
    const start = `(function (${executor.injectedModuleParameters.join(', ')}) {`
    const compileAlone = executor.compile.bind(executor)
    executor.compile = (code, filename) => {
      const context = environment.getVmContext()
      if (context === null) return null
      let known = compiled.get(filename)
      if (known?.code !== code || known.start !== start) {
        let script
        try {
          script = new Script(`${start}${code}\n})`, { filename, columnOffset: -start.length })
        } catch {
          // Jest says what is wrong with it.
          return compileAlone(code, filename)
        }
        known = { code, start, script }
        compiled.set(filename, known)
      }
      return known.script.runInContext(context)
    }
  }
}

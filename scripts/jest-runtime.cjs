// Jest's runtime, but each process compiles a file once, and not once for each file of tests that needs it. Jest compiles with
// `compileFunction`, which shares nothing, and up to Node 20 keeps all that it has compiled for as long as the process lives.
const { Script } = require('node:vm')
const { default: Runtime } = require('jest-runtime')

/** By the path of the file; Jest may give other code for it, with coverage or without. */
const compiled = new Map()

module.exports = class extends Runtime {
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

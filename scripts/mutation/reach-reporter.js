// Notes of each file of tests which statements of the sources it runs, and how long it takes: a reporter of Jest, which needs its coverage.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'

const path = (file) => relative(process.cwd(), file).replaceAll('\\', '/')

export default class Reach {
  #tests = {}
  #file

  constructor(_config, { file }) {
    this.#file = file
  }

  onTestResult(_test, { testFilePath, coverage = {}, perfStats, numFailingTests }) {
    if (numFailingTests > 0) return
    const reached = {}
    for (const [source, { s }] of Object.entries(coverage)) {
      const statements = Object.keys(s).filter((id) => s[id] > 0)
      if (statements.length > 0) reached[path(source)] = statements.map(Number)
    }
    this.#tests[path(testFilePath)] = { ms: perfStats.runtime, reached }
  }

  onRunComplete() {
    mkdirSync(dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(this.#tests))
  }
}

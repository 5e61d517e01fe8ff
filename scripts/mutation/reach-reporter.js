// Notes of each file of tests which statements of the sources it runs, and how long it takes: a reporter of Jest, which needs its coverage.
import { mkdirSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative } from 'node:path'
import { kept } from './reach.js'

const path = (file) => relative(process.cwd(), file).replaceAll('\\', '/')

/** Where each statement begins in the file that somebody has written: lines from 1, columns from 0. */
function startsOf({ statementMap, inputSourceMap }) {
  const map = new SourceMap(inputSourceMap)
  return Object.values(statementMap).map(({ start }) => {
    const { originalLine, originalColumn } = map.findEntry(start.line - 1, start.column)
    return [originalLine + 1, originalColumn]
  })
}

export default class Reach {
  #tests = {}
  #starts = {}

  onTestResult(_test, { testFilePath, coverage = {}, perfStats, numFailingTests }) {
    const reached = {}
    this.#tests[path(testFilePath)] = { ms: perfStats.runtime, reached }
    if (numFailingTests > 0) return
    for (const [source, found] of Object.entries(coverage)) {
      const statements = Object.keys(found.s).filter((id) => found.s[id] > 0)
      if (statements.length === 0) continue
      reached[path(source)] = statements.map(Number)
      this.#starts[path(source)] ??= startsOf(found)
    }
  }

  onRunComplete() {
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, JSON.stringify({ tests: this.#tests, starts: this.#starts }))
  }
}

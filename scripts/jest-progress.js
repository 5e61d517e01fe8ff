// What `npm test` prints: how far it is, what fails, what a test writes on the console, and the counts.
import { relative } from 'node:path'

const seconds = (ms) => `${Math.round(ms / 1000)} s`

export default class Progress {
  #started = Date.now()
  #tenths = 0

  onRunStart({ numTotalTestSuites }) {
    this.#say(`${numTotalTestSuites} files of tests`)
  }

  onTestResult(_test, { testFilePath, failureMessage, console }, counts) {
    const file = relative(process.cwd(), testFilePath)
    if (failureMessage) this.#say(`FAIL ${file}\n${failureMessage}`)
    for (const { type, message } of console ?? []) this.#say(`${file} has written, by ${type}: ${message}`)

    const { numTotalTestSuites: all, numPassedTestSuites, numFailedTestSuites, numFailedTests } = counts
    const done = numPassedTestSuites + numFailedTestSuites
    const tenths = Math.floor((10 * done) / all)
    if (tenths === this.#tenths || done === all) return
    this.#tenths = tenths
    const failed = numFailedTests > 0 ? `, ${numFailedTests} tests failed` : ''
    this.#say(`${done} of ${all} files after ${seconds(Date.now() - this.#started)}${failed}`)
  }

  onRunComplete(_contexts, { testResults, numPassedTests, numFailedTests, numPendingTests }) {
    for (const { testFilePath, failureMessage } of testResults) {
      if (failureMessage) this.#say(`FAIL ${relative(process.cwd(), testFilePath)}`)
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''
    const took = seconds(Date.now() - this.#started)
    this.#say(`${numPassedTests} tests passed, ${numFailedTests} failed${skipped}, in ${took}`)
  }

  #say(line) {
    process.stderr.write(`${line}\n`)
  }
}

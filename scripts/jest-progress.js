// What `npm test` prints: how far it is, what fails, what a test writes on the console, and the counts.
import { relative } from 'node:path'

const seconds = (ms) => `${Math.round(ms / 1000)} s`

// One file may be run in several projects.
const nameOf = ({ config: { displayName } }, file) =>
  relative(process.cwd(), file) + (displayName ? ` (${displayName.name})` : '')

export default class Progress {
  #started = Date.now()
  #tenths = 0

  onRunStart({ numTotalTestSuites }) {
    this.#say(`${numTotalTestSuites} files of tests`)
  }

  onTestResult({ context }, { testFilePath, failureMessage, console }, counts) {
    const file = nameOf(context, testFilePath)
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

  onRunComplete(
    _contexts,
    { testResults, numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites: broken },
  ) {
    for (const { testFilePath, failureMessage, displayName } of testResults) {
      if (failureMessage) this.#say(`FAIL ${nameOf({ config: { displayName } }, testFilePath)}`)
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''
    const notRun = broken > 0 ? `, ${broken} ${broken === 1 ? 'file has' : 'files have'} failed to run` : ''
    const took = seconds(Date.now() - this.#started)
    this.#say(`${numPassedTests} tests passed, ${numFailedTests} failed${skipped}${notRun}, in ${took}`)
  }

  #say(line) {
    process.stderr.write(`${line}\n`)
  }
}

// A reporter for every Mocha: writes how many tests have passed, and which have failed, to the file of UPSTREAM_REPORT.
const { writeFileSync } = require('node:fs')

module.exports = class {
  constructor(runner) {
    let passes = 0
    const failures = []
    runner.on('pass', () => passes++)
    runner.on('fail', (test, { message }) =>
      failures.push({ title: test.fullTitle(), message: String(message) }),
    )
    runner.on('end', () => writeFileSync(process.env.UPSTREAM_REPORT, JSON.stringify({ passes, failures })))
  }
}

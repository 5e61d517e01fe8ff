// Jest's way to run a file of tests, without a message to the main process at the start and the end of each test: no reporter here reads
// them, and a process of tests waits while it writes them.
const { default: runFile } = require('jest-circus/runner')

module.exports = (globalConfig, config, environment, runtime, file) =>
  runFile(globalConfig, config, environment, runtime, file)

// jsdom, and Jest 26, have little of what fetch needs: this gives Node's to the tests, as those do who test there.
const name = `jest-environment-${process.env.JEST_DOM ? 'jsdom' : 'node'}`
const found = require(require.resolve(name, { paths: [process.cwd()] }))

const names = [
  'fetch',
  'FormData',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
]

module.exports = class extends (found.TestEnvironment ?? found) {
  async setup() {
    await super.setup()
    for (const name of names) this.global[name] ??= globalThis[name]
  }
}

// Run in the folder of one version of Jest, which has all of its parts.
const from = (name) => require.resolve(name, { paths: [process.cwd()] })

const environment = `jest-environment-${process.env.JEST_DOM ? 'jsdom' : 'node'}`
const isOld = require(from('jest/package.json')).version.startsWith('26.')
const tsconfig = { module: 'commonjs', esModuleInterop: true, isolatedModules: true }

module.exports = {
  testEnvironment: process.env.WITH_FETCH ? './with-fetch.js' : from(environment),
  ...(isOld
    ? {
        transform: { '\\.ts$': from('ts-jest') },
        globals: { 'ts-jest': { tsconfig, isolatedModules: true } },
      }
    : { transform: { '\\.ts$': [from('ts-jest'), { tsconfig, diagnostics: false }] } }),
}

import config from './jest.config.js'

// The tests of the rooms that are mutated, but for the comparison with other routers, which takes longer than all of them.
export default {
  ...config,
  testMatch: ['<rootDir>/test/{routing,body,node}/!(oracle).test.ts'],
}

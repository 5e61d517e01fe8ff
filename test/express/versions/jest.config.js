import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import base from '../../../jest.config.js'

// What is promised of Express, against each version that it is promised for. npm would give the newest router to all of Express 5.
const versions = [
  { express: '4.17.3' },
  { express: '4.18.3' },
  { express: '4.19.2' },
  { express: '~4.22.3' },
  { express: '5.0.1', router: '2.0.0' },
  { express: '5.1.0', router: '2.1.0' },
  { express: '5.1.0', router: '2.2.0' },
  { express: '~5.3.0', router: '~2.3.0' },
]

const chosen = [
  'app-classes',
  'broken-targets',
  'changed-paths',
  'changing-apps',
  'errors',
  'fallthrough',
  'from-express',
  'guards',
  'inside-a-host',
  'mounted-hooks',
  'options-head',
  'own-callbacks',
  'params',
  'patterns',
  'routing',
  'short-json',
  'to-controllers',
  'to-controllers-alike',
  'to-controllers-random',
]

// What a project cannot have of its own.
const { reporters, maxWorkers, testTimeout, ...shared } = base
const rootDir = join(import.meta.dirname, '../../..')
const into = mkdtempSync(join(tmpdir(), 'routecontrollers-express-'))

const all = versions.map(({ express, router }) => {
  const name = `express ${express}${router === undefined ? '' : `, router ${router}`}`
  const major = Number(express.replace('~', '')[0])
  return { name, express, router, major, directory: join(into, name.replace(/[ ,~]+/g, '-')) }
})

/** @type {import('jest').Config} */
export default {
  rootDir,
  reporters,
  maxWorkers,
  testTimeout,
  projects: all.map(({ name, ...one }) => ({
    ...shared,
    rootDir,
    displayName: name,
    testMatch: [`<rootDir>/test/express/{${chosen.join(',')}}.test.ts`],
    moduleNameMapper: {
      ...shared.moduleNameMapper,
      [one.major === 4 ? '^express4$' : '^express$']: `${one.directory}/node_modules/express`,
    },
    globalSetup: '<rootDir>/test/express/versions/install.ts',
    globalTeardown: '<rootDir>/test/express/versions/remove.ts',
    setupFiles: ['<rootDir>/test/express/versions/enter.ts'],
    // All together make 100,000 random requests.
    globals: { testedExpress: { ...one, apps: 1_050, all } },
  })),
}

import { RouteControllers } from 'routecontrollers'
import { memoryStore, type MigrationOptions } from '@routecontrollers/switch'
import { checkMigrationOptions } from '../../../packages/switch/src/states/options.js'
import { promisedDefaults } from '../../support/promised-defaults.js'

const schema = 'packages/switch/src/states/schema.ts'

const settingsOf = (more: Partial<MigrationOptions> = {}) =>
  checkMigrationOptions(
    { legacy: (_req, res) => void res.end(), routeControllers: new RouteControllers([]), ...more },
    memoryStore,
  )

it.each([
  ['ShadowOptions', () => settingsOf().shadow, 9],
  ['RollbackOptions', () => settingsOf().rollback, 9],
  ['PlanOptions', () => settingsOf({ plan: {} }).plan, 3],
  ['SwitchOptions', () => settingsOf(), 3],
] as const)('the options of %s have the defaults that their comments promise', (name, settings, least) => {
  const defaults = promisedDefaults(schema, name)
  expect(Object.keys(defaults).length).toBeGreaterThanOrEqual(least)
  expect(settings()).toMatchObject(defaults)
})

it('a share of 0 and a count of 0 are not taken for none', () => {
  const zero = settingsOf({
    deadAfterDays: 0,
    startTimeoutMs: 0,
    shadow: { share: 0, queue: 0, maxUtilization: 0 },
    rollback: { errorRate: 0, differenceRate: 0, p99MarginMs: 0, coolDownMs: 0 },
    plan: { minutes: 0, answers: 0 },
  })
  expect(zero).toMatchObject({
    deadAfterDays: 0,
    startTimeoutMs: 0,
    shadow: { share: 0, queue: 0, maxUtilization: 0 },
    rollback: { errorRate: 0, differenceRate: 0, p99MarginMs: 0, coolDownMs: 0 },
    plan: { minutes: 0, answers: 0 },
  })
})

it.each([
  ['shadow', { sample: 0.1 }, { share: 0.1 }],
  ['rollback', { minSamples: 7 }, { minAnswers: 7 }],
  ['plan', { samples: 9 }, { answers: 9 }],
])('a former name of an option of %s counts, and less than the new one', (name, former, now) => {
  const of = (given: object) => settingsOf({ [name]: given })[name as 'shadow']
  expect(of(former)).toMatchObject(now)
  const [other] = Object.keys(now)
  expect(of({ ...former, [other!]: 1 })).toMatchObject({ [other!]: 1 })
})

it('what is switched off has no settings', () => {
  expect(settingsOf({ shadow: false, rollback: false })).toMatchObject({
    shadow: undefined,
    rollback: undefined,
    plan: undefined,
  })
})

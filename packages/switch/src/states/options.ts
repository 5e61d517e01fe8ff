// The options of `migration`, each with its check.
import { hostname } from 'node:os'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import {
  checkBoolean,
  checkedByReader,
  checkFunction,
  checkText,
  checkLogger,
  checkOptions,
  checkTexts,
  count,
  hasMethods,
  isOptions,
  nameType,
  type OptionCheck,
  type OptionChecks,
  shown,
  wrongOption,
} from '../../../../src/ground/options.js'
import { isApp } from 'routecontrollers/express-model'
import type {
  AcceptOptions,
  BesideOptions,
  MigrationOptions,
  MigrationStore,
  PlanOptions,
  RollbackOptions,
  SetOptions,
  ShadowOptions,
  SwitchOptions,
} from './schema.js'
import { nodeCrypto } from './node-crypto.js'
import { checkState, parseState, withShare } from './states.js'

/** A number from `least` to `most`, which need not be whole. */
function number(unit: string, least: number, most: number): OptionCheck {
  return (option, value) => {
    if (typeof value === 'number' && value >= least && value <= most) return
    throw wrongOption(option, `${unit}: a number from ${least} to ${most}`, shown(value))
  }
}

const share = number('a share', 0, 1)

/** The options with a default for each. Former names of options are not among them. */
export type ShadowSettings = Required<Omit<ShadowOptions, 'sample'>>
export type RollbackSettings = Required<Omit<RollbackOptions, 'minSamples'>>
type PlanSettings = Required<Omit<PlanOptions, 'samples'>>

const shadowChecks: OptionChecks<ShadowOptions> = {
  share,
  sample: share,
  concurrency: count('a count', 1, 1000),
  queue: count('a count', 0, 100_000),
  maxBytes: count('bytes', 1, 2 ** 30),
  maxHeldBytes: count('bytes', 1, 2 ** 31),
  maxDelayMs: count('milliseconds', 1, 60_000),
  maxUtilization: share,
  timeoutMs: count('milliseconds', 1, 600_000),
  unsafe: checkTexts,
  exclude: checkTexts,
  redact: checkTexts,
  ignoreHeaders: checkTexts,
  asIs: checkTexts,
  maxDifferences: count('a count', 1, 1000),
}

const shadowDefaults: ShadowSettings = {
  share: 1,
  concurrency: 2,
  queue: 100,
  maxBytes: 256 * 1024,
  maxHeldBytes: 32 * 1024 * 1024,
  maxDelayMs: 50,
  maxUtilization: 0.9,
  timeoutMs: 10_000,
  unsafe: [],
  exclude: [],
  redact: [],
  ignoreHeaders: [],
  asIs: [],
  maxDifferences: 20,
}

const rollbackChecks: OptionChecks<RollbackOptions> = {
  errorRate: share,
  differenceRate: share,
  falseAlarmRate: number('a share', 1e-9, 0.5),
  p99Factor: number('a factor', 1, 1e6),
  p99MarginMs: count('milliseconds'),
  minAnswers: count('a count', 1),
  minSamples: count('a count', 1),
  minTimings: count('a count', 1, 512),
  window: count('a count', 1, 100_000),
  coolDownMs: count('milliseconds'),
}

export const rollbackDefaults: RollbackSettings = {
  errorRate: 0.05,
  differenceRate: 0.05,
  p99Factor: 3,
  p99MarginMs: 100,
  falseAlarmRate: 0.01,
  minAnswers: 5,
  minTimings: 100,
  window: 200,
  coolDownMs: 600_000,
}

const planChecks: OptionChecks<PlanOptions> = {
  steps: (option, value) => {
    const steps = Array.isArray(value) ? (value as unknown[]) : []
    const fits = steps.every(
      (one, at) => typeof one === 'number' && one > Number(steps[at - 1] ?? 0) && one <= 100,
    )
    if (steps.length === 0 || !fits)
      throw wrongOption(option, 'an array of shares that grow, as [1, 5, 25, 50, 100]', nameType(value))
    const unread = steps.find((one) => parseState(withShare('canary', one as number)) === undefined)
    if (unread !== undefined)
      throw wrongOption(option, 'an array of shares with two decimals at the most', shown(unread))
  },
  minutes: number('minutes', 0, 1e6),
  answers: count('a count', 0),
  samples: count('a count', 0),
  routes: checkTexts,
}

const planDefaults: PlanSettings = {
  steps: [1, 5, 25, 50, 100],
  minutes: 10,
  answers: 100,
  routes: ['*'],
}

const isLegacy: OptionCheck = (option, value) => {
  if (typeof value === 'function' || hasMethods(value, 'listen', 'emit', 'listeners')) return
  throw wrongOption(option, 'an Express app, a function (req, res), or an http.Server', nameType(value))
}

const checks: OptionChecks<MigrationOptions & BesideOptions> = {
  app: (option, value) => {
    if (!isApp(value)) throw wrongOption(option, 'an Express app, as express() makes it', nameType(value))
  },
  legacy: isLegacy,
  routeControllers: (option, value) => {
    if (hasMethods(value, 'getCallback')) return
    throw wrongOption(option, 'new RouteControllers([…])', nameType(value))
  },
  store: (option, value) => {
    if (hasMethods(value, 'read')) return
    throw wrongOption(option, 'a store, as memoryStore() or fileStore({ file }) makes it', nameType(value))
  },
  initial: (option, value) => {
    if (typeof value !== 'function') checkState(option, value)
  },
  stickyBy: checkFunction,
  shadow: checkedByReader,
  rollback: checkedByReader,
  plan: checkedByReader,
  deadAfterDays: number('days', 0, 36_500),
  startTimeoutMs: count('milliseconds', 0, 2 ** 31 - 1),
  snapshot: checkText,
  replica: (option, value) => {
    if (typeof value === 'string' && /^[^#\s]{1,100}$/.test(value)) return
    throw wrongOption(option, 'a name of at most 100 letters, without spaces and #', shown(value))
  },
  appVersion: checkText,
  logEvents: checkBoolean,
  logger: checkLogger,
}

/** What the options say, with a default for each that they leave out. */
export type MigrationSettings = Omit<
  SwitchOptions,
  | 'store'
  | 'shadow'
  | 'rollback'
  | 'plan'
  | 'deadAfterDays'
  | 'startTimeoutMs'
  | 'replica'
  | 'appVersion'
  | 'logEvents'
  | 'logger'
> & {
  readonly store: MigrationStore
  readonly shadow: ShadowSettings | undefined
  readonly rollback: RollbackSettings | undefined
  readonly plan: PlanSettings | undefined
  readonly deadAfterDays: number
  readonly startTimeoutMs: number
  readonly replica: string
  readonly appVersion: string | undefined
  readonly logEvents: boolean
  readonly logger: NonNullable<MigrationOptions['logger']>
}

/** Throws ERR_OPTION_INVALID unless all names are known and all values fit. */
export function checkMigrationOptions(
  options: MigrationOptions | BesideOptions,
  defaultStore: () => MigrationStore,
): MigrationSettings {
  checkOptions('migration', options, checks)
  if ('app' in options) {
    if ('legacy' in options || 'routeControllers' in options) {
      throw invalid(
        'migration: app has its native callbacks in its routes, legacy and routeControllers are two things: give either the one or the others',
      )
    }
    checks.app('app', options.app)
  } else for (const name of ['legacy', 'routeControllers'] as const) checks[name](name, options[name])
  const { shadow = {}, rollback = {}, plan } = options
  return {
    ...options,
    store: options.store ?? defaultStore(),
    shadow: shadow === false ? undefined : readShadow(shadow),
    rollback: rollback === false ? undefined : readRollback(rollback),
    plan: plan && readPlan(plan),
    deadAfterDays: options.deadAfterDays ?? 30,
    startTimeoutMs: options.startTimeoutMs ?? 10_000,
    replica: options.replica ?? ownName(),
    appVersion: options.appVersion ?? process.env['npm_package_version'],
    logEvents: options.logEvents ?? false,
    logger: options.logger ?? console,
  }
}

/** Another one for each migration: a process may have several. */
function ownName(): string {
  const host = hostname().replace(/[#\s]/g, '-').slice(0, 60)
  return `${host}-${process.pid}-${nodeCrypto().randomBytes(3).toString('hex')}`
}

function readShadow(options: ShadowOptions): ShadowSettings {
  const { sample, ...given } = checkOptions('shadow', options, shadowChecks, 'shadow.')
  return { ...shadowDefaults, ...(sample !== undefined && { share: sample }), ...given }
}

function readRollback(options: RollbackOptions): RollbackSettings {
  const { minSamples, ...given } = checkOptions('rollback', options, rollbackChecks, 'rollback.')
  return { ...rollbackDefaults, ...(minSamples !== undefined && { minAnswers: minSamples }), ...given }
}

function readPlan(options: PlanOptions): PlanSettings {
  const { samples, ...given } = checkOptions('plan', options, planChecks, 'plan.')
  return { ...planDefaults, ...(samples !== undefined && { answers: samples }), ...given }
}

const setChecks: OptionChecks<SetOptions> = {
  reason: (option, value) => {
    if (typeof value === 'string' && value.trim() !== '') return
    throw wrongOption(option, 'a sentence that says why', shown(value))
  },
  by: (option, value) => {
    if (typeof value !== 'string' || value === '') throw wrongOption(option, 'a name', shown(value))
  },
  override: checkBoolean,
  seen: count('the version of status().store', 0),
}

/** Throws ERR_OPTION_INVALID unless there is a reason. */
export function checkSetOptions(options: SetOptions): void {
  if (!isOptions(options)) {
    const wanted =
      "{ reason, by }, as set('GET /users', 'canary 5%', { reason: 'shadow was clean for a day', by: 'Ada' })"
    throw invalid(`set takes an object ${wanted}, not ${nameType(options)}`)
  }
  checkOptions('set', options, setChecks, 'set: ')
  setChecks.reason('set: reason', options.reason)
}

const acceptChecks: OptionChecks<AcceptOptions> = {
  reason: setChecks.reason,
  by: setChecks.by,
  takeBack: checkBoolean,
}

/** Throws ERR_OPTION_INVALID unless there is a reason. */
export function checkAcceptOptions(options: AcceptOptions): void {
  if (!isOptions(options))
    throw invalid(`acceptDifference takes an object { reason, by }, not ${nameType(options)}`)
  checkOptions('acceptDifference', options, acceptChecks, 'acceptDifference: ')
  setChecks.reason('acceptDifference: reason', options.reason)
}

export function invalid(message: string): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', message)
}

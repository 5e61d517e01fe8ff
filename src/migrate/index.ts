/**
 * The inventory of an app, the check of its guards, and the comparison of its answers. The command `routecontrollers` uses the same.
 *
 * @module routecontrollers/migrate
 */
export { checkMigration } from './check-migration.js'
export type { Change, ChangeKind, CheckReport, Note, RouteChanges } from './check-schema.js'
export { inspect } from './inspect.js'
export type {
  Answer,
  AppRow,
  Finding,
  FindingKind,
  InspectOptions,
  Inventory,
  Observation,
  Pass,
  RouteRow,
  RouteSettings,
} from './schema.js'
export {
  type Accepted,
  createLock,
  formatLock,
  type Lock,
  type LockedPass,
  type LockedRoute,
  type LockOptions,
  type Sample,
} from './lock.js'
export { parseLock } from './read-lock.js'
export type {
  AnswerChange,
  AnswerHead,
  ParityDifference,
  ParityGroup,
  ParityReport,
} from './parity-schema.js'
export { recordRegistrations } from './record-express.js'
export * from './switch/index.js'

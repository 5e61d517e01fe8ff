/**
 * The inventory of an app, the check of its guards, and the comparison of its answers. The command `routecontrollers` uses the same.
 *
 * @module routecontrollers/migrate
 */
export { checkMigration } from '../packages/cli/src/check/check-migration.js'
export type {
  Change,
  ChangeKind,
  CheckReport,
  Note,
  RouteChanges,
} from '../packages/cli/src/documents/check.js'
export { inspect } from '../packages/cli/src/inspect/inspect.js'
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
} from '../packages/cli/src/documents/inventory.js'
export {
  type Accepted,
  createLock,
  formatLock,
  type Lock,
  type LockedPass,
  type LockedRoute,
  type LockOptions,
  type Sample,
} from '../packages/cli/src/check/lock.js'
export { parseLock } from '../packages/cli/src/check/read-lock.js'
export type { ParityDifference, ParityGroup, ParityReport } from '../packages/cli/src/documents/parity.js'
export type { AnswerChange, AnswerHead } from '../packages/compare/src/request.js'
export { recordRegistrations } from '../packages/cli/src/inspect/record-express.js'
export * from '../packages/switch/src/index.js'

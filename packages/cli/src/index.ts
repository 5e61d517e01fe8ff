/**
 * The inventory of an app, the check of its guards, and the documents of all commands. The command `routecontrollers` uses the same.
 *
 * @module @routecontrollers/cli
 */
export { checkMigration } from './check-migration.js'
export type {
  Change,
  ChangeKind,
  CheckCode,
  CheckFacts,
  CheckFinding,
  CheckReport,
  ComparedPass,
  Note,
  RouteChanges,
  ToldPass,
} from './documents/check.js'
export type { Severity } from './documents/finding.js'
export { inspect } from './inspect/inspect.js'
export { inventoryPage } from './report/inventory-page.js'
export type {
  Answerer,
  AppRow,
  Finding,
  FindingKind,
  InspectFacts,
  InspectFinding,
  InspectOptions,
  Inventory,
  Observation,
  Pass,
  RouteRow,
  RouteSettings,
  RouteStage,
} from './documents/inventory.js'
export {
  type Accepted,
  createLock,
  formatLock,
  type Lock,
  type LockedPass,
  type LockedRoute,
  type LockOptions,
  type Sample,
} from './check/lock.js'
export { parseLock } from './check/read-lock.js'
export type { ParityDifference, ParityGroup, ParityReport } from './documents/parity.js'
export type { Difference } from '../../compare/src/difference.js'
export type { AnswerHead } from '../../compare/src/request.js'
export type { NextStep, Stand, StatusReport, StatusRow } from './documents/status.js'
export type { BriefExample, BriefPiece, BriefReport } from './documents/brief.js'
export type {
  Missing,
  MissingCode,
  ProvedRoute,
  ProveReport,
  ToldMissing,
  Verdict,
} from './documents/prove.js'
export { recordRegistrations } from './inspect/record-express.js'

export {
  type Change,
  type ChangeKind,
  checkMigration,
  type CheckReport,
  type Note,
  type RouteChanges,
} from './check.js'
export { inspect, type InspectOptions } from './inventory.js'
export type {
  Answer,
  AppRow,
  Finding,
  FindingKind,
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
  parseLock,
  type Sample,
} from './lock.js'
export type {
  AnswerChange,
  AnswerHead,
  ParityDifference,
  ParityGroup,
  ParityReport,
} from './parity-schema.js'
export { recordRegistrations } from './record.js'

export {
  type Change,
  type ChangeKind,
  checkMigration,
  type CheckReport,
  type Note,
  type RouteChanges,
} from './check.js'
export type { Finding, FindingKind } from './findings.js'
export {
  type Answer,
  type AppRow,
  inspect,
  type InspectOptions,
  type Inventory,
  type Observation,
  type Pass,
  type RouteRow,
  type RouteSettings,
} from './inventory.js'
export {
  type Accepted,
  createLock,
  formatLock,
  type Lock,
  type LockedPass,
  type LockedRoute,
  parseLock,
} from './lock.js'
export { recordRegistrations } from './record.js'

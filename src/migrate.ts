/**
 * Nothing: what stood here is in two packages. Importing it throws ERR_PACKAGE_MOVED, which says so.
 *
 * @module routecontrollers/migrate
 */
import { RouteControllersError } from './ground/errors.js'

/** What is in another package now: the compiler names it where this is called. */
interface MovedTo<Package extends string> {
  readonly movedTo: Package
}

// Without these names an import of one of them would fail before this file runs, and tell nothing of where it is.
/** @deprecated Import it from `@routecontrollers/switch`. */
export const environmentStore = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const fileStore = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const memoryStore = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const migration = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const openFeatureStore = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const recorder = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/switch`. */
export const redisStore = undefined as unknown as MovedTo<'@routecontrollers/switch'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const checkMigration = undefined as unknown as MovedTo<'@routecontrollers/cli'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const createLock = undefined as unknown as MovedTo<'@routecontrollers/cli'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const formatLock = undefined as unknown as MovedTo<'@routecontrollers/cli'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const inspect = undefined as unknown as MovedTo<'@routecontrollers/cli'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const parseLock = undefined as unknown as MovedTo<'@routecontrollers/cli'>
/** @deprecated Import it from `@routecontrollers/cli`. */
export const recordRegistrations = undefined as unknown as MovedTo<'@routecontrollers/cli'>

throw new RouteControllersError(
  'ERR_PACKAGE_MOVED',
  "routecontrollers/migrate is two packages now. migration, recorder and the stores: npm install @routecontrollers/switch, and import them from '@routecontrollers/switch'. inspect, checkMigration and what belongs to the lock: npm install --save-dev @routecontrollers/cli, and import them from '@routecontrollers/cli'",
)

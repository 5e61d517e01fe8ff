/**
 * Nothing: what stood here is in two packages. Importing it throws ERR_PACKAGE_MOVED, which says so.
 *
 * @module routecontrollers/migrate
 */
import { RouteControllersError } from './ground/errors.js'

// Without these names an import of one of them would fail before this file runs, and tell nothing of where it is.
export const checkMigration: undefined = undefined
export const createLock: undefined = undefined
export const environmentStore: undefined = undefined
export const fileStore: undefined = undefined
export const formatLock: undefined = undefined
export const inspect: undefined = undefined
export const memoryStore: undefined = undefined
export const migration: undefined = undefined
export const openFeatureStore: undefined = undefined
export const parseLock: undefined = undefined
export const recorder: undefined = undefined
export const recordRegistrations: undefined = undefined
export const redisStore: undefined = undefined

throw new RouteControllersError(
  'ERR_PACKAGE_MOVED',
  "routecontrollers/migrate is two packages now. migration, recorder and the stores: npm install @routecontrollers/switch, and import them from '@routecontrollers/switch'. inspect, checkMigration and what belongs to the lock: npm install --save-dev @routecontrollers/cli, and import them from '@routecontrollers/cli'",
)

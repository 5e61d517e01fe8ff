import { compare, questionOf } from './check/check.js'
import { observeAll } from './inspect/observe.js'
import type { CheckReport } from './documents/check.js'
import { inspectOptions, withReading } from './inspect/inventory.js'
import { createLock, type Lock } from './check/lock.js'
import { readLock } from './check/read-lock.js'
import type { InspectOptions } from './documents/inventory.js'

/**
 * Compares an app with what it was: says of each route which guards it has lost, and what else has changed. No handler is called.
 *
 * `before` is a lock, or an app; `now` an app, as `inspect` takes it. Call `recordRegistrations(express)` before the apps are made,
 * so that the arguments of guards are compared. Throws ERR_OPTION_INVALID for anything else.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { checkMigration, recordRegistrations } from '@routecontrollers/cli'
 *
 * recordRegistrations(express)
 * const createApp = (guarded: boolean) => {
 *   const app = express()
 *   if (guarded) app.use('/admin', (req, res, next) => (req.get('x-token') ? next() : res.sendStatus(401)))
 *   return app.get('/admin/users', (req, res) => res.json([]))
 * }
 *
 * const { ok, routes } = checkMigration(createApp(true), createApp(false))
 * console.log(ok, routes[0]?.changes[0]?.kind) // false lost
 * ```
 */
export function checkMigration(before: unknown, now: unknown, options: InspectOptions = {}): CheckReport {
  const lock = isLock(before)
    ? readLock(before, 'checkMigration: the lock')
    : withReading(before, inspectOptions('checkMigration', options), (reading) =>
        createLock(reading.inventory()),
      )
  return withReading(now, inspectOptions('checkMigration', options), (reading) => {
    const inventory = reading.inventory()
    return compare(lock, inventory, observeAll(reading, questionOf(lock), inventory))
  })
}

function isLock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { version, routes } = value as Partial<Lock>
  return routes !== undefined && typeof version === 'number'
}

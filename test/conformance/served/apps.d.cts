import type * as core from 'routecontrollers'
import type { AppName } from '../promises.js'

/** Makes each app, of the package and, for `connect`, of middleware from npm. */
export declare const apps: Record<
  AppName,
  (
    of: Pick<
      typeof core,
      'Controller' | 'RouteControllers' | 'group' | 'fromConnect' | 'conditional' | 'etag'
    >,
    packages?: Record<
      | 'compression'
      | 'cookieParser'
      | 'cors'
      | 'express'
      | 'fromApp'
      | 'helmet'
      | 'session'
      | 'toControllers',
      unknown
    >,
  ) => core.RouteControllers
>

import type { AddressInfo } from 'node:net'
import type { ErrorCode } from '../ground/error-codes.js'
import type { StopOptions } from './options.js'

/** Tells the workers which port was picked for `port: 0`, so that those which are started later find the same. */
export const portVariable: string = 'ROUTECONTROLLERS_PORT'

/** The messages between the processes. */
export type Message =
  | { routeControllers: 'listening'; address: AddressInfo }
  | { routeControllers: 'refused'; code: ErrorCode; message: string }
  | { routeControllers: 'stop'; times: Required<StopOptions> }

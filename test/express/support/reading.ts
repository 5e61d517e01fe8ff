import { inspect } from 'node:util'
import type { ExpressRequest, ExpressResponse, Handlers } from 'routecontrollers/express'
import { isWhole } from '../../support/counts.js'
import { type CompareOptions, describeAlike, type WireRequest } from './compare.js'

/** What a test reads; what it throws counts as well. */
export type Read = (req: ExpressRequest, res: ExpressResponse) => unknown

export interface ReadingOptions extends CompareOptions {
  /** Handlers before the one that reads. */
  before?: readonly Handlers[]
}

/**
 * Compares what a handler reads of a request in the installed Express with what it reads through `fromExpress`. In the loop not
 * in front of an Express: a Controller answers them all.
 */
export function describeReading(
  topic: string,
  requests: Readonly<Record<string, WireRequest>>,
  read: Read,
  { before = [], ...options }: ReadingOptions = {},
): void {
  const show = (req: ExpressRequest, res: ExpressResponse): void => {
    let text: string
    try {
      text = inspect(read(req, res), { depth: 9, breakLength: Infinity, compact: true })
    } catch (error) {
      text = `threw ${String(error)}`
    }
    res.end(text)
  }
  describeAlike(topic, requests, [...before, show], { inFront: isWhole, ...options })
}

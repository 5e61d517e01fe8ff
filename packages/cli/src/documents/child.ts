import type { Obstacles } from './doctor.js'
import type { Registered } from './registered.js'
import type { Placed } from './same-app.js'
import type { Passing } from './same-pass.js'
import type { Inventory, Observation } from './inventory.js'

/** A request that the parent asks about. */
export interface Asked {
  /** The number of its app. */
  readonly app: number
  /** What tells that app from others, where the request is one of a lock. */
  readonly place?: Omit<Placed, 'app'>
  readonly method: string
  readonly witness: string
  /** Who answered it, and is looked for first: a route may give its request on, and is the end of the matter all the same. */
  readonly answer: string
  /** How many registrations of the same route stand before the one that is meant. */
  readonly number?: number
  /** Of a row of a function of `use`. */
  readonly mount?: AskedMount
}

/** The function of `use` that is looked for. */
export interface AskedMount {
  readonly path: string
  readonly own: Passing
  /** How many equals stand before it. */
  readonly number: number
  /** The version of the lock, which knows it in its own way. */
  readonly version: number
}

export type Question = readonly Asked[]

/** Where a server listens. */
export interface Address {
  readonly port: number
  readonly isSecure: boolean
}

/** What a child process has found. */
export interface Report {
  readonly pid: number
  /** Why it was written then. */
  readonly ended:
    | { readonly by: 'settled' }
    | { readonly by: 'time limit' }
    | { readonly by: 'exit'; readonly code: number }
  readonly hasListened: boolean
  /** How many request listeners there were of which nothing is known. */
  readonly opaqueListeners: number
  /** Where each app of the inventory answers, in their order; empty where no port was opened. */
  readonly addresses: readonly Address[]
  /** How many RouteControllers there are, and how often something was put in the place of one. */
  readonly routeControllers: number
  readonly standIns: number
  /** What may stand in the way of a migration; undefined where the entry serves. */
  readonly obstacles?: Obstacles
  /** Undefined where there was no app. */
  readonly inventory?: Inventory
  /** The answers to the question, in its order. */
  readonly observations?: readonly Observation[]
  /** Where each row of the inventory was registered; told where it was asked for. */
  readonly registered?: Registered
  /** What went wrong in the reading, where it did. */
  readonly error?: string
}

/** What the parent asks, and where it looks for the answer. */
export interface PreloadOptions {
  /** The folder that reports are written to, a file for each process. */
  readonly reports: string
  /** The folder that shown paths are relative to. */
  readonly root: string
  readonly settleMs: number
  readonly timeLimitMs: number
  readonly question: Question
  /** True to look for what stands in the way too. */
  readonly seeksObstacles: boolean
  /** Whether the places of registrations are told too. */
  readonly wantsRegistered?: boolean | undefined
  /** Where the entry is to answer requests; undefined where it is only looked at. */
  readonly serve?: Serve | undefined
}

/** How an entry serves when it is compared with another one. */
export interface Serve {
  readonly withoutControllers: boolean
  /** Which side answers a route that has both, whatever states a migration has; undefined where the entry decides. */
  readonly side?: 'native' | 'legacy' | undefined
  /** The process that asks: once it has ended, this one ends too. */
  readonly parent: number
}

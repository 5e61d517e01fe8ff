// What `check` tells, as `--json` prints it.
import type { StepKind } from 'routecontrollers/express-model'
import type { FindingOf, Severity } from './finding.js'
import type { Answerer, TrustProxy } from './inventory.js'

/** A function that requests pass, as a finding tells of it. */
export interface ToldPass {
  readonly name: string
  /** The text of the argument that gave it, without the secrets in it. */
  readonly argument: string | undefined
  /** Of a callback of `param`: the name of the param. */
  readonly param: string | undefined
  /** The file that it is written in; undefined for a native one. */
  readonly file: string | undefined
}

/** By what a function has changed: what it is made with was not known; by its argument, a value in that, what it reads, or its own text. */
export type HowChanged = 'unknown' | 'argument' | 'value' | 'reads' | 'text'

/** What of its Router a route meets. */
interface SettingChange<T> {
  readonly was: T
  readonly is: T
}

/** The facts of each finding of `check`, by its code. A new code needs its entry in report/check-findings.ts. */
export interface CheckFacts {
  /**
   * A function that its requests passed, or an error handler behind it: `step` is `error` then. `step` and `mount` say where it stood, `routes`
   * how many rows of the lock pass it.
   */
  readonly lost: {
    readonly pass: ToldPass
    readonly step: StepKind | undefined
    readonly mount: string | undefined
    readonly routes: number
    /** The name of the native callback that it stands behind now, in the route; missing where it does not. */
    readonly native?: string
    /** The path that the list of the Controller is mounted at, which answers now; missing where it stands in no app. */
    readonly list?: string
  }
  /**
   * A function that covers a part of the requests of the route alone, and covered all of them: `was` and `is` are the paths that it is mounted
   * at. `routes` as above.
   */
  readonly narrowed: {
    readonly pass: ToldPass
    readonly was: string
    readonly is: string
    readonly routes: number
  }
  readonly gained: { readonly pass: ToldPass }
  /** An error handler before the route, and the functions whose errors it gets, and did not. */
  readonly 'let-on': { readonly pass: ToldPass; readonly of: readonly ToldPass[] }
  readonly changed: {
    readonly was: ToldPass
    readonly pass: ToldPass
    readonly how: HowChanged
    readonly routes: number
  }
  /** A function that stands behind another one now, or in front of it. */
  readonly reordered: {
    readonly pass: ToldPass
    readonly behind: ToldPass | undefined
    readonly inFrontOf: ToldPass | undefined
    readonly routes: number
  }
  /** Another handler of its method and path has overtaken it: the name of that one. */
  readonly 'reordered-handlers': { readonly handler: string }
  /** The names of params. */
  readonly params: { readonly lost: readonly string[]; readonly gained: readonly string[] }
  /** The Controller of the route is written with another slash at the end. */
  readonly spelling: { readonly path: string }
  readonly strict: SettingChange<boolean>
  readonly 'case-sensitive': SettingChange<boolean>
  readonly 'trust-proxy': SettingChange<TrustProxy>
  readonly 'mounted-trust-proxy': SettingChange<readonly TrustProxy[]>
  /** Another route answers. */
  readonly shadowed: { readonly by: string }
  /** A middleware answers. */
  readonly unreachable: { readonly by: string }
  readonly twice: {}
  /** The routes that a Controller is meant to guard, and does not. */
  readonly 'not-a-guard': { readonly guards: readonly string[] }
  readonly unverifiable: { readonly pass: ToldPass }
  readonly 'unverifiable-route': {}
  readonly new: {}
  /** Who answers its requests now; undefined where that is not known. */
  readonly gone: { readonly instead: Pick<Answerer, 'by' | 'name' | 'at'> | undefined }
}

/** The code of a finding of `check`. */
export type CheckCode = keyof CheckFacts

/** Where a finding stands. */
interface Found {
  /** The method and the path of its route. */
  readonly route: string
  /** The number of its app now, from 0 on. */
  readonly app: number
  readonly at: string | undefined
}

/** One finding of `check`, as data. */
export type CheckFinding<C extends CheckCode = CheckCode> = FindingOf<CheckFacts, C> & Found

/** What has changed, of one route: the word by which texts and locks name it. Several codes may have one. */
export type ChangeKind =
  | 'lost'
  | 'gained'
  | 'let-on'
  | 'changed'
  | 'reordered'
  | 'params'
  | 'settings'
  | 'shadowed'
  | 'twice'
  | 'not-a-guard'
  | 'unverifiable'
  | 'unreachable'
  | 'new'
  | 'gone'

/** What is said of a finding. */
interface ChangeTexts {
  readonly kind: ChangeKind
  readonly severity: Severity
  /** What names it for readers, without lines. */
  readonly finding: string
  /** A hash of all that was found: what `--accept` writes into the lock. Another finding has another one, whatever its text. */
  readonly key: string
  /** The name of what was lost, gained, …, and where it stands or stood. */
  readonly what: string
  /** Of a function that was lost, changed or reordered: how many rows of the lock pass it. */
  readonly routes?: number
  /** The call that has a Controller pass it again, of what was lost. */
  readonly call?: string
  /** The path of a Controller that is written with another slash than its route. */
  readonly path?: string
}

/** One change that counts: a finding with its texts. */
export type Change = CheckFinding & ChangeTexts

/** The facts of what is worth telling, and is no finding. */
interface NoteFacts {
  /** A function stands in another file than `from`. */
  readonly moved: { readonly name: string; readonly from: string }
  /** A function of another version of its package. */
  readonly updated: { readonly name: string }
  /** An error handler does not stand before the route any more. */
  readonly removed: { readonly name: string }
  /** An error handler stands behind the route that did not. */
  readonly added: { readonly name: string }
  /** The route is written in another way. */
  readonly respelled: { readonly as: string }
}

export type NoteCode = keyof NoteFacts

/** A note, as data. */
export type NoteFinding<C extends NoteCode = NoteCode> = FindingOf<NoteFacts, C> & Pick<Found, 'at'>

/** What is worth telling, and is no finding. */
export type Note = NoteFinding & { readonly kind: NoteCode; readonly what: string }

/** A function that requests of a route pass now, or have passed. */
export interface ComparedPass {
  readonly is: 'same' | 'lost' | 'gained' | 'changed' | 'reordered'
  readonly pass: ToldPass
  /** Where it was registered, or where it is written. */
  readonly at: string | undefined
}

/** What is to be said of one route. */
export interface RouteChanges {
  /** What the row is known by: its app, its kind, its method and its path, and its number among rows that have all of them. */
  readonly key: string
  /** The number of its app now, from 0 on. */
  readonly app: number
  readonly method: string
  readonly path: string
  /** Who answers now, and who did. */
  readonly answer: string
  readonly was: string | undefined
  /** Where the one stands who answers now; undefined where that is not known. */
  readonly at: string | undefined
  /** What its requests pass now, in their order, with what they do not pass any more. */
  readonly passes: readonly ComparedPass[]
  /** True where a Controller answers now. */
  readonly moved: boolean
  /** True where that Controller is a route of the app, as `serve(app)` and `toControllers(app)` make them: the app guards it. */
  readonly takenOver: boolean
  readonly changes: readonly Change[]
  readonly accepted: readonly (Change & { readonly because: string })[]
  readonly notes: readonly Note[]
  readonly remedy: string | undefined
}

/** A finding with the key by which it is accepted. */
export interface KeyedFinding {
  readonly finding: CheckFinding
  readonly key: string
}

/** The findings of one route, before anything is said of them. */
export interface RouteFindings extends Omit<RouteChanges, 'changes' | 'accepted' | 'notes' | 'remedy'> {
  readonly changes: readonly KeyedFinding[]
  readonly accepted: readonly (KeyedFinding & { readonly because: string })[]
  readonly notes: readonly NoteFinding[]
}

/** What `check` says. */
export interface CheckReport {
  readonly version: 1
  /** True where nothing has changed that is not accepted. */
  readonly ok: boolean
  /** How many routes of the lock were looked at, and how many functions of `use` that have rows of their own. */
  readonly checked: number
  /** Routes besides, which no request is known for: the functions that stand before them are compared. */
  readonly byPosition: number
  /** Such routes in a lock of an older version, which does not have those functions. */
  readonly notCompared: number
  readonly mounts: number
  readonly apps: number
  /** How many rows of the app the lock leaves out. */
  readonly except: number
  readonly routes: readonly RouteChanges[]
}

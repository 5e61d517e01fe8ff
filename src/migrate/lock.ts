// `routes.lock.json`: what each route's requests passed when somebody last looked at it.
import { RouteControllersError } from '../errors.js'
import { shapeOf } from './routes.js'
import type { Answer, Inventory, Pass, RouteRow, RouteSettings } from './schema.js'

/** A function that a request passes, as the lock has it. Lines are for readers: they are never compared. */
export interface LockedPass {
  readonly kind: Pass['kind']
  readonly name: string
  /** Where it was registered: `src/app.js:14`. */
  readonly at?: string
  /** Where it is written: `src/auth.js:3`. */
  readonly definition?: string
  /** A hash of its text. */
  readonly source?: string
  /** The text of the argument that gave it. */
  readonly argument?: string
  /** The path that it is mounted at, where that is not all. */
  readonly mount?: string
  /** Of a callback of `param`: the name of the param. */
  readonly param?: string
  readonly unverifiable?: true
}

/** A finding that a user has accepted. */
export interface Accepted {
  readonly finding: string
  readonly because: string
  /** The day: `2026-11-21`. */
  readonly date: string
}

/** A request that a user has written for a route, for what can be guessed neither from its path nor from its code. */
export interface Sample {
  /** The target, `/users/7?full=1`; the witness unless given. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, all else as JSON. */
  readonly body?: unknown
}

/** One route of the lock, or one function of `use` that answers or guards what no route does. */
export interface LockedRoute {
  /** A route has none. Of a mount the last of `passes` is the function itself, unless another function answers before it. */
  readonly kind?: 'mount'
  readonly method: string
  readonly path: string
  /** The number of its app, where there are several. */
  readonly app?: number
  /** A request that reaches it, `GET /users/id-1`; null where none was found. */
  readonly witness: string | null
  readonly settings: RouteSettings
  readonly params: readonly string[]
  /** Who answers the witness: a route, or the name of a middleware. */
  readonly answer: string
  readonly by: Answer['by']
  /** Where that was registered. */
  readonly at?: string
  /** A hash of the text of its last handler, where several routes of its app have its method and its path. */
  readonly handler?: string
  /** Of such a route: another one answers before it. */
  readonly shadowed?: true
  readonly passes: readonly LockedPass[]
  readonly accepted?: readonly Accepted[]
  /** Requests that `parity` makes besides the witness. */
  readonly samples?: readonly Sample[]
}

/** The lock, as it is written. */
export interface Lock {
  readonly version: 1
  readonly routes: readonly LockedRoute[]
}

/**
 * The lock of an inventory; what was accepted in the one before stays accepted, and its samples stay. A route with schemas that has none gets
 * one that fits them.
 */
export function createLock(inventory: Inventory, before?: Lock): Lock {
  const known = new Map(before?.routes.toReversed().map((row) => [identityOf(row), row]))
  const keyOf = (row: RouteRow): string => `${row.app} ${placeOf(row)}`
  const once = new Set<string>()
  const severalTimes = new Set<string>()
  for (const key of inventory.routes.map(keyOf)) {
    if (once.has(key)) severalTimes.add(key)
    else once.add(key)
  }
  const routes = inventory.routes.map((row) => {
    const { accepted, samples = row.example && [row.example] } = known.get(identityOf(row)) ?? {}
    return {
      ...lockRow(row),
      ...(severalTimes.has(keyOf(row)) && lockHandler(row)),
      ...(accepted && { accepted }),
      ...(samples && { samples }),
    }
  })
  return { version: 1, routes: routes.sort(compareRoutes) }
}

/** A route as users write it: `GET /users`. */
export function nameOf({ method, path }: Pick<LockedRoute, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** The row of one route. */
export function lockRow(row: RouteRow): LockedRoute {
  const { app, kind, method, path, witness, witnessMethod, settings, params, answer, passes } = row
  return {
    ...(kind === 'mount' && { kind }),
    method,
    path,
    ...(app > 0 && { app }),
    witness: witness === undefined ? null : `${witnessMethod} ${witness}`,
    settings,
    params,
    answer: answer.route ?? (answer.name || answer.by),
    by: answer.by,
    ...(answer.at !== undefined && { at: answer.at }),
    passes: passes.map(lockPass),
  }
}

function lockHandler({ kind, own, shadowed }: RouteRow): Pick<LockedRoute, 'handler' | 'shadowed'> {
  if (kind === 'mount' || own.source === undefined) return {}
  return { handler: own.source, ...(shadowed && { shadowed }) }
}

function lockPass(pass: Pass): LockedPass {
  const { kind, name, at, definition, source, argument, mount, param, unverifiable } = pass
  return {
    kind,
    name,
    ...(at !== undefined && { at }),
    ...(definition !== undefined && { definition }),
    ...(source !== undefined && { source }),
    ...(argument !== undefined && { argument }),
    ...(mount !== '/' && { mount }),
    ...(param !== undefined && { param }),
    ...(unverifiable && { unverifiable }),
  }
}

/** What makes two rows the same one. */
export function identityOf({
  kind,
  method,
  path,
  app = 0,
}: Pick<LockedRoute, 'method' | 'path' | 'app'> & { readonly kind?: string }): string {
  return JSON.stringify([kind === 'mount', app, method, path])
}

/** The same for rows of one method whose paths differ in nothing but the names of params and a slash at the end. */
export function placeOf({
  kind,
  method,
  path,
}: Pick<LockedRoute, 'method' | 'path'> & { readonly kind?: string }): string {
  return `${kind === 'mount' ? kind : ''} ${method} ${shapeOf(path)}`
}

function compareRoutes(a: LockedRoute, b: LockedRoute): number {
  return (a.app ?? 0) - (b.app ?? 0) || order(a.path, b.path) || order(a.method, b.method)
}

// Not by the language of the machine: the file is the same on all of them.
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The text of a lock, as it is committed. */
export function formatLock(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`
}

/** The type of a value, a list of such, or an object with such fields; one with ? may be missing. */
type Shape = string | readonly [Shape] | Shapes
interface Shapes {
  readonly [field: string]: Shape
}

const accepted: Shape = [{ finding: 'string', because: 'string' }]
const known: Shapes = { method: 'string', path: 'string', 'app?': 'number', 'accepted?': accepted }
const compared: Shapes = {
  ...known,
  'kind?': 'string',
  'at?': 'string',
  'handler?': 'string',
  witness: 'witness',
  settings: { strict: 'boolean', caseSensitive: 'boolean' },
  params: ['string'],
  answer: 'string',
  by: 'string',
  passes: [
    Object.fromEntries(
      'kind name at? definition? source? argument? mount? param?'
        .split(' ')
        .map((field) => [field, 'string']),
    ),
  ],
}

/** The path of the first field that is not as it must be. */
function wrongField(value: unknown, shape: Shape, path: string): string | undefined {
  if (shape === 'witness' && (value === null || (typeof value === 'string' && / ./.test(value))))
    return undefined
  if (typeof shape === 'string') return typeof value === shape ? undefined : path
  if (typeof value !== 'object' || value === null || Array.isArray(shape) !== Array.isArray(value))
    return path
  const fields = Array.isArray(value)
    ? value.map((one: unknown, at) => [one, (shape as [Shape])[0], `${path}[${at}]`] as const)
    : Object.entries(shape as Shapes).flatMap(([field, own]) => {
        const name = field.replace('?', '')
        const one = (value as Record<string, unknown>)[name]
        return one === undefined && name !== field ? [] : [[one, own, `${path}.${name}`] as const]
      })
  for (const [one, own, at] of fields) {
    const wrong = wrongField(one, own, at)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Reads the text of a lock. Throws ERR_OPTION_INVALID for one that is none, or that a newer version has written. */
export function parseLock(text: string, name = 'routes.lock.json', forCheck = true): Lock {
  const refuse = (
    wrong: string,
    remedy = `write it anew with routecontrollers inspect ENTRY --lock ${name}`,
  ): never => {
    throw new RouteControllersError('ERR_OPTION_INVALID', `${name}${wrong}${remedy}`)
  }
  let lock: Partial<Lock> | null
  try {
    lock = JSON.parse(text) as Partial<Lock> | null
  } catch (error) {
    return refuse(` is not JSON (${(error as Error).message}); `)
  }
  if (typeof lock?.version !== 'number') {
    return refuse(
      ' is no lock of routecontrollers: ',
      'routecontrollers inspect ENTRY --lock routes.lock.json writes one',
    )
  }
  if (lock.version !== 1) {
    return refuse(
      ` has the version ${JSON.stringify(lock.version)}, and this command knows version 1: install the version of routecontrollers that has written it, or `,
    )
  }
  const wrong = wrongField(lock.routes, [forCheck ? compared : { ...known, 'witness?': 'witness' }], 'routes')
  if (wrong !== undefined) refuse(`: ${wrong} is not what this command writes there: mend it, or `)
  for (const { method, path, samples } of lock.routes!) {
    if (samples !== undefined && !(Array.isArray(samples) && samples.every(isSample))) {
      refuse(
        `: samples of ${method} ${path} are a list of { url, headers, body }, where url begins with / and headers are texts`,
        '',
      )
    }
  }
  return lock as Lock
}

function isSample(sample: Partial<Sample> | null): boolean {
  if (typeof sample !== 'object' || sample === null) return false
  const { url = '/', headers = {} } = sample
  return (
    typeof url === 'string' &&
    url.startsWith('/') &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((one) => typeof one === 'string')
  )
}

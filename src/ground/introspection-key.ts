// What a served function is, noted on the function itself. A map would not do: ESM, CommonJS and the command each have a copy of this package,
// and one copy reads what another has noted. So there is one key, which all of them find, and each note has the version of its format.
import { RouteControllersError } from './errors.js'

/** Raise it with each change of what a note holds. */
export const introspectionVersion = 1

/** What notes there are: each is made, with the type of its value, in the module of what it stands on. */
type NoteKind =
  // On a fetch handler: how Node requests enter it, and its description (run/entry.ts).
  | 'handler'
  // On a function that serves one (run/entry.ts).
  | 'serving'
  // On the callback that `fromExpress` makes (define/node-callback.ts).
  | 'node-callback'
  // On what `native` makes for a route of Express (express/model/placed.ts).
  | 'native'
  // On an app of Express: who decides for the native callbacks in it (express/model/placed.ts).
  | 'native-switch'
  // On a layer of an engine's router (express/model/stands-for.ts).
  | 'stands-for'
  // On the prototype of a class that `createServer` has made for an app (express/members/app-classes.ts).
  | 'app-class'
  // On `globalThis`, by the command (registration.ts).
  | 'recorder'

const name = 'routecontrollers.introspection'
const key = Symbol.for(name)

interface Noted {
  readonly version: number
  readonly kind: NoteKind
  readonly value: unknown
}

interface MayBeNoted {
  readonly [key]?: Noted
  readonly [name]?: Noted
}

/** Writes and reads the notes of one kind. */
export interface Note<Value> {
  write<T extends object>(target: T, value: Value): T
  /** Undefined where there is none. Throws ERR_INTROSPECTION_VERSION for one in a format of another version. */
  read(target: object): Value | undefined
}

/**
 * Notes of a kind. With `isListed` they can be read from a wrapper, too: what wraps the layers of Express, as tracers and
 * express-async-errors do, carries over only what can be listed by name.
 */
export function createNote<Value>(kind: NoteKind, isListed = false): Note<Value> {
  const notedOn = (target: MayBeNoted): Noted | undefined =>
    target[key] ?? (isListed ? target[name] : undefined)
  return {
    write: (target, value) => {
      const noted: Noted = { version: introspectionVersion, kind, value }
      if (isListed) Object.defineProperty(target, name, { get: () => noted, enumerable: true })
      return Object.defineProperty(target, key, { value: noted, configurable: true })
    },
    read: (target) => {
      const noted = notedOn(target)
      if (noted === undefined) return undefined
      if (noted.version !== introspectionVersion) throw otherVersion(noted.version)
      return noted.kind === kind ? (noted.value as Value) : undefined
    },
  }
}

/** Takes a note away. */
export function removeNote(target: object): void {
  Reflect.deleteProperty(target, key)
}

/** True where the format of a note is of another version. Code that runs requests asks first: what it cannot read is none of its own. */
export function isOfOtherVersion(target: object): boolean {
  const noted = (target as MayBeNoted)[key] ?? (target as MayBeNoted)[name]
  return noted !== undefined && noted.version !== introspectionVersion
}

function otherVersion(found: number): RouteControllersError {
  return new RouteControllersError(
    'ERR_INTROSPECTION_VERSION',
    `Packages of different versions meet in this process: one describes itself in format ${found}, and another one reads format ${introspectionVersion}. Install the same version of routecontrollers, @routecontrollers/cli and @routecontrollers/switch (npm ls routecontrollers shows which there are)`,
  )
}

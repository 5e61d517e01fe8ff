// Where routes, middleware and hooks were registered. It is known only where a recorder runs, as in the preload of the command
// `routecontrollers`. A stack trace for each Controller would be too expensive for a server.
import { createNote, removeNote } from './introspection-key.js'

/** It stands on `globalThis`, so that all copies of this package find it. */
export interface Recorder {
  /** `part` is being registered with `owner`, by the frame of the stack that stands `skipped` above the calls from `below` on. */
  record(owner: object, part: unknown, below: object, skipped: number): void
  /** The place where `part` was registered with `owner`: `src/app.js:12`. */
  sourceOf(owner: object, part: unknown): string | undefined
  /** `part` was registered with `from`, and `owner` now has it. */
  inherit?(owner: object, part: unknown, from: object): void
  /** What serves instead of RouteControllers, where they are switched off to find out what answers without them. */
  standIn?: ((entry: object) => object) | undefined
}

const note = createNote<Recorder>('recorder')

/** The recorder of this process, or of this realm under a test runner; undefined where there is none. */
export function recorder(): Recorder | undefined {
  return note.read(globalThis)
}

/** Has a recorder record from now on; undefined for none. */
export function setRecorder(one: Recorder | undefined): void {
  if (one === undefined) removeNote(globalThis)
  else note.write(globalThis, one)
}

/** Tells the recorder, where there is one, that the caller of this method or constructor registers `part` with `owner`. */
export function recordRegistration(owner: object, part: unknown, newTarget?: object): void {
  // From the outermost constructor on: the record is of the code that makes an instance, not of the class's own `super()`.
  recorder()?.record(owner, part, newTarget ?? recordRegistration, newTarget === undefined ? 1 : 0)
}

/** Tells the recorder, where there is one, that `part` was registered with `from` and has come from there to `owner`. */
export function inheritRegistration(owner: object, part: unknown, from: object): void {
  recorder()?.inherit?.(owner, part, from)
}

/** What serves for `entry`: itself, unless RouteControllers are switched off. Asked when a server or a middleware is made. */
export function standInFor<E extends object>(entry: E): E {
  return (recorder()?.standIn?.(entry) as E | undefined) ?? entry
}

/** Where `part` was registered with `owner`; undefined where it was not recorded. */
export function registrationSource(owner: object, part: unknown): string | undefined {
  return recorder()?.sourceOf(owner, part)
}

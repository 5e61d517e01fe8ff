// Whether two functions that requests pass are the same, and what is told of them.
import type { StepKind } from 'routecontrollers/express-model'
import { leftOut } from '../../../compare/src/redact.js'
import type { HowChanged, ToldPass } from './check.js'

/** What is compared of a function, in a lock and in an app alike. */
export interface Passing {
  readonly kind?: StepKind | undefined
  readonly name: string
  readonly at?: string | undefined
  readonly definition?: string | undefined
  readonly source?: string | undefined
  readonly formerSource?: string | undefined
  readonly argument?: string | undefined
  readonly made?: string | undefined
  readonly sourceNames?: string | undefined
  readonly madeNames?: string | undefined
  readonly mount?: string | undefined
  readonly param?: string | undefined
  readonly catches?: number | undefined
  readonly unverifiable?: boolean
}

/** True for an error handler, which requests pass only by an error. */
export function isErrorHandler({ kind }: Passing): boolean {
  return kind === 'error'
}

export const fileIn = (place: string | undefined): string => place?.replace(/:\d+$/, '') ?? ''
const isOfPackage = (place: string | undefined): boolean => /(?:^|\/)node_modules\//.test(place ?? '')

/** What a function is compared by. */
export function keyOf(pass: Passing): string {
  const { name, definition, source, made, param } = pass
  // One whose text cannot be read is what its argument says.
  const written = source === undefined ? [name] : [fileIn(definition), source]
  const key = [written, made ?? '', param ?? '', ...namesOf(pass)]
  return JSON.stringify(isErrorHandler(pass) ? [...key, 'error'] : key)
}

/** What its names stand for. Nothing where there are none, so that what was accepted in an older lock stays accepted there. */
function namesOf({ sourceNames, madeNames }: Passing): readonly string[] {
  return sourceNames === undefined && madeNames === undefined ? [] : [sourceNames ?? '', madeNames ?? '']
}

/** A function without what its names stand for, as a lock of version 2 knows it. */
export function withoutNames<P extends Passing>(pass: P): P {
  return { ...pass, sourceNames: undefined, madeNames: undefined }
}

/** What requests pass, as a lock of an older version knows it: before version 4 there are no error handlers. */
export function formerPasses<P extends Passing>(passes: readonly P[], version: number): readonly P[] {
  const known = version > 3 ? passes : passes.filter((pass) => !isErrorHandler(pass))
  return known.map((pass) => former(pass, version))
}

/** A function as a lock of an older version knows it: of version 1 by its text, and by that of its argument. */
export function former<P extends Passing>(given: P, version: number): P {
  if (version > 2) return given
  const pass = withoutNames(given)
  if (version === 2) return pass
  const { source, formerSource = source, argument } = pass
  // Where in a list it stands is said by the order.
  return { ...pass, source: formerSource, made: argument?.replace(/(?:\[\d+\])+$/, '') }
}

export type Sameness = 'same' | 'moved' | 'updated' | undefined

/** The functions of a lock and of an app, which tell whether one has become another. */
export class Known {
  readonly #before: ReadonlySet<string>
  readonly #now: ReadonlySet<string>
  /** How many functions with a text the lock alone has, and the app alone. */
  readonly #left: ReadonlyMap<string, number>
  readonly #come: ReadonlyMap<string, number>

  constructor(before: Iterable<Passing>, now: Iterable<Passing>) {
    const byKey = (passes: Iterable<Passing>): Map<string, Passing> =>
      new Map([...passes].map((pass) => [keyOf(pass), pass]))
    const [was, is] = [byKey(before), byKey(now)]
    this.#before = new Set(was.keys())
    this.#now = new Set(is.keys())
    this.#left = countTexts(was, this.#now)
    this.#come = countTexts(is, this.#before)
  }

  /** How two functions are the same. */
  sameness(before: Passing, now: Passing): Sameness {
    // What could not be told then may be anything now.
    if (before.unverifiable && !now.unverifiable) return undefined
    if (keyOf(before) === keyOf(now)) return 'same'
    if (before.param !== now.param || isErrorHandler(before) !== isErrorHandler(now)) return undefined
    const isSameFile = fileIn(before.definition) === fileIn(now.definition)
    const isSameName = before.name === now.name
    const isSameSource = before.source === now.source && before.sourceNames === now.sourceNames
    const isSameMade = before.made === now.made && before.madeNames === now.madeNames
    // What cannot be told is a finding of its own.
    if (now.unverifiable && isSameFile && isSameSource && (isSameName || before.source !== undefined))
      return 'same'
    // Where both stood side by side, or still do, they are two.
    if (!isSameMade || this.#now.has(keyOf(before)) || this.#before.has(keyOf(now))) return undefined
    if (before.source !== undefined && isSameSource && !isSameFile) {
      const isOne = this.#left.get(textOf(before)) === 1 && this.#come.get(textOf(now)) === 1
      return isOne ? 'moved' : undefined
    }
    // Another version of a package: what it does is for its changelog to say.
    // A lock may be older than the names that are read from the source.
    const isUnnamed = isSameName || (isNameless(before) !== isNameless(now) && before.source && now.source)
    return isSameFile && isOfPackage(before.definition) && isUnnamed ? 'updated' : undefined
  }
}

/** What two functions of two files have in common. */
function textOf(pass: Passing): string {
  const { source, made, param } = pass
  return JSON.stringify([source, made ?? '', param ?? '', ...namesOf(pass)])
}

function countTexts(passes: ReadonlyMap<string, Passing>, other: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [key, pass] of passes) {
    if (!other.has(key)) counts.set(textOf(pass), (counts.get(textOf(pass)) ?? 0) + 1)
  }
  return counts
}

const isNameless = ({ name }: Pick<Passing, 'name'>): boolean => name === '<anonymous>'

/** A function as a finding tells of it. */
export function toldPass({ name, argument, param, definition }: Passing): ToldPass {
  const file = fileIn(definition)
  return {
    name,
    argument,
    param,
    file: file === '' ? undefined : file,
  }
}

/** By what a function has changed. */
export function howChanged(was: Passing, is: Passing): HowChanged {
  if (was.unverifiable) return 'unknown'
  if (was.argument !== is.argument) return 'argument'
  const isSecretOther = was.madeNames === is.madeNames && is.argument?.includes(leftOut)
  if (was.made !== is.made && isSecretOther) return 'argument'
  // What has made it has another text, too.
  if (was.source !== is.source) return 'text'
  return was.made !== is.made || was.madeNames !== is.madeNames ? 'value' : 'reads'
}

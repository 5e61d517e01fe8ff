// Copies plain data. What is none stays out: an instance of a class, or a function, may lead to what others use.
import { Buffer } from 'node:buffer'
import { types } from 'node:util'

export type Members = ReadonlyMap<string, unknown>

/** Thrown where there is more to be copied than may be held. */
export class TooLarge extends Error {}

/** The deepest that data is copied. */
const mostDepth = 200

/** Stands in a copy for what cannot be copied. */
class NotCopied {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export interface CopyLimits {
  readonly maxBytes: number
  /** Names of members that are given as they are: `req.user`. */
  readonly asIs: ReadonlySet<string>
}

export class Copier {
  /** About what it has copied. */
  bytes = 0
  readonly #limits: CopyLimits
  readonly #missed: ((name: string) => void) | undefined
  readonly #known = new Map<object, unknown>()

  /** With `missed`, what cannot be copied becomes members that are undefined, and `missed` is told who looks for one. */
  constructor(limits: CopyLimits, missed?: (name: string) => void) {
    this.#limits = limits
    this.#missed = missed
  }

  /** Copies a value that has this name. Throws TooLarge. */
  copy(value: unknown, name: string, depth = 0): unknown {
    if (this.#limits.asIs.has(name) || value instanceof NotCopied) return value
    if (typeof value === 'function') return new NotCopied(name)
    this.#count(typeof value === 'string' ? value.length : 8)
    if (!isObject(value)) return value
    if (depth > mostDepth) throw new TooLarge()
    return this.#known.get(value) ?? this.#copyObject(value, name, depth + 1)
  }

  /** Copies the data of an object, and has the copy be of the same class. */
  copyInstance(value: object, name: string, depth = 0): object {
    const copy = Object.create(Object.getPrototypeOf(value) as object | null) as object
    this.#known.set(value, copy)
    this.put(copy, this.members(value, name), name, depth)
    return copy
  }

  /** The members of an object that can be listed, as they are, without some. A getter is none of them: what it gives may be shared. */
  members(from: object, name: string, without?: ReadonlySet<string>): Members {
    const members = new Map<string, unknown>()
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (property.enumerable !== true || without?.has(key) === true) continue
      members.set(key, 'value' in property ? (property.value as unknown) : new NotCopied(`${name}.${key}`))
    }
    return members
  }

  /** Copies members of what has this name. */
  copyMembers(members: Members, name: string): Members {
    return new Map([...members].map(([key, value]) => [key, this.copy(value, `${name}.${key}`)] as const))
  }

  /** Puts copies of members on an object. */
  put(target: object, members: Members, name: string, depth = 0): void {
    for (const [key, value] of members) this.#define(target, key, this.copy(value, `${name}.${key}`, depth))
  }

  #copyObject(value: object, name: string, depth: number): unknown {
    if (types.isDate(value)) return new Date(value.getTime())
    if (types.isUint8Array(value)) {
      this.#count(value.byteLength)
      return Buffer.isBuffer(value) ? Buffer.from(value) : value.slice()
    }
    if (!Array.isArray(value))
      return isPlain(value) ? this.copyInstance(value, name, depth) : new NotCopied(name)
    const list: unknown[] = []
    this.#known.set(value, list)
    for (const [at, one] of value.entries())
      this.#define(list, String(at), this.copy(one, `${name}[*]`, depth))
    return list
  }

  #count(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.#limits.maxBytes) throw new TooLarge()
  }

  #define(target: object, key: string, value: unknown): void {
    const missed = this.#missed
    if (!(value instanceof NotCopied) || missed === undefined) return define(target, key, value)
    if (!missedOf.has(target)) missedOf.set(target, { missed, given: new Map() })
    Object.defineProperty(target, key, accessorOf(key, value.name))
  }
}

/** Who is told of what is looked for in an object and was not copied, and what it was given in the place of that. */
const missedOf = new WeakMap<object, { missed: (name: string) => void; given: Map<string, unknown> }>()

const accessors = new Map<string, PropertyDescriptor>()
/** Names may come from clients. */
const mostAccessors = 1000

/**
 * The accessor in the place of what was not copied. All copies share it: V8 makes a dictionary of an object that has an accessor of its own.
 * Code that has seen one such response is slower for each client from then on.
 */
function accessorOf(key: string, name: string): PropertyDescriptor {
  const id = `${key.length} ${name}`
  const known = accessors.get(id)
  if (known !== undefined) return known
  const accessor: PropertyDescriptor = {
    get(this: object) {
      const { missed, given } = missedOf.get(this) ?? {}
      if (given?.has(key) === true) return given.get(key)
      missed?.(name)
      return undefined
    },
    set(this: object, value: unknown) {
      const found = missedOf.get(this)
      if (found === undefined) define(this, key, value)
      else found.given.set(key, value)
    },
    enumerable: true,
    configurable: true,
  }
  if (accessors.size < mostAccessors) accessors.set(id, accessor)
  return accessor
}

/** Not by an assignment, which for `__proto__` would be another thing. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** True for what `{}` and `Object.create(null)` make, in any realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty'))
  )
}

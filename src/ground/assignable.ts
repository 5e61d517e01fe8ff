/**
 * A member of a prototype that is computed at each reading, until a value is assigned. Then it is an ordinary property of that
 * object, as middleware expects of members of `req` and `res`.
 */
export function assignable<T extends object>(
  name: string | symbol,
  compute: (this: T) => unknown,
): PropertyDescriptor & ThisType<T> {
  return {
    configurable: true,
    get: compute,
    set(value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
    },
  }
}

/** Sets a member of a request, even where that of Express is read-only. */
export function put(req: object, name: string, value: unknown): void {
  if (Reflect.set(req, name, value)) return
  Object.defineProperty(req, name, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * Keeps what a member has computed, so that it is computed once.
 *
 * Not enumerable, by which it is told from what was assigned (node/member-layer.ts).
 */
export function keep<V>(target: object, name: string, value: V): V {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
  return value
}

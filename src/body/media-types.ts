const form = /^(\*|[a-z0-9!#$&^_.-]+)\/(?:(\*)(\+[a-z0-9!#$&^_.-]+)?|[a-z0-9!#$&^_.+-]+)$/

/** True for a media type in lower case without parameters; `*` may stand for its first part, and for its second up to a suffix. */
export function isMediaRange(text: string): boolean {
  return form.test(text)
}

interface Wildcard<Value> {
  /** `text/`; empty for any. */
  readonly start: string
  /** `+json`; empty for any. */
  readonly suffix: string
  readonly value: Value
}

/**
 * Values by media types, as `application/json`, `application/*+json`, `text/*`. The narrowest counts: the whole type, then a suffix, then
 * the first part.
 */
export class ByMediaType<Value> {
  readonly #exact = new Map<string, Value>()
  readonly #wildcards: Wildcard<Value>[] = []

  constructor(entries: Iterable<readonly [range: string, value: Value]>) {
    for (const [range, value] of entries) {
      const [, type, star, suffix = ''] = form.exec(range)!
      if (star === undefined && type !== '*') this.#exact.set(range, value)
      else {
        const end = star === undefined ? range.slice(1) : suffix
        this.#wildcards.push({ start: type === '*' ? '' : `${type}/`, suffix: end, value })
      }
    }
    const rank = ({ start, suffix }: Wildcard<Value>): number =>
      (suffix === '' ? 0 : 2) + (start === '' ? 0 : 1)
    this.#wildcards.sort((one, other) => rank(other) - rank(one))
  }

  /** That of a media type in lower case, without parameters; undefined for one that no entry is for, and for an empty text. */
  get(essence: string): Value | undefined {
    const value = this.#exact.get(essence)
    if (value !== undefined || essence === '') return value
    return this.#wildcards.find(({ start, suffix }) => essence.startsWith(start) && essence.endsWith(suffix))
      ?.value
  }
}

// What Set-Cookie says of each cookie.
import { isPresent } from './present.js'
import { leftOut } from './redact.js'

/** A cookie; all lines of one name together. */
export interface Cookie {
  readonly value: string
  /** As they were written, without the time of Expires; of a cookie that is deleted that it is past. */
  readonly attributes: string
  /** The times of Expires. */
  readonly expires: readonly string[]
  /** Without its value. */
  readonly shown: string
}

export type Cookies = ReadonlyMap<string, Cookie>

/** Expires is made of the time of the answer. */
const sameTimeMs = 60_000

/** The cookies of a header whose lines are those of an answer; `isExact` shows what is left out, and when they expire. */
export function cookiesOf(header: string, isExact: boolean): Cookies {
  const cookies = new Map<string, Cookie>()
  for (const line of header.split('\n')) {
    const [all, name = '', value = ''] = /^(?:([^=;]*)=)?([^;]*)/.exec(line)!
    const written = line.slice(all.length)
    const [, expires] = /;\s*expires=([^;]*)/i.exec(written) ?? []
    const attributes = written.replace(
      /;\s*expires=[^;]*/i,
      isPast(expires) ? '; Expires (past)' : '; Expires',
    )
    const one: Cookie = {
      value,
      attributes,
      expires: expires === undefined ? [] : [expires],
      shown: isExact ? `${name}=${leftOut}${written}` : `${name}=${attributes}`,
    }
    const before = cookies.get(name)
    cookies.set(name, before === undefined ? one : together(before, one))
  }
  return cookies
}

/** Before any answer, also a recorded one: 1970 is what deletes a cookie. */
function isPast(expires = ''): boolean {
  return Date.parse(expires) < Date.UTC(2000, 0)
}

function together(one: Cookie, other: Cookie): Cookie {
  return {
    value: `${one.value}\n${other.value}`,
    attributes: `${one.attributes}\n${other.attributes}`,
    expires: [...one.expires, ...other.expires],
    shown: `${one.shown}\n${other.shown}`,
  }
}

export function isSameValue(one: Cookie, other: Cookie): boolean {
  return one.value === other.value || (isPresent(one.value) && isPresent(other.value))
}

export function isSameExpiry({ expires }: Cookie, other: Cookie): boolean {
  return expires.every((time, at) => {
    const is = other.expires[at] ?? ''
    return time === is || Math.abs(Date.parse(time) - Date.parse(is)) <= sameTimeMs
  })
}

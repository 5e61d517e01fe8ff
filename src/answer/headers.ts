import { RouteControllersError } from '../ground/errors.js'
import { nameType } from '../ground/options.js'

/** Values of one header: a list is sent as several lines. */
export type HeaderValue = string | number | readonly string[]

// RFC 9110 5.6.2 (token) and 5.5 (field-value: visible characters, space, tab, obs-text).
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

interface Name {
  readonly lower: string
  readonly isHopByHop: boolean
}

/**
 * The names that were checked before: a look here takes a quarter of the time of a check. A program has few names. Those of one that
 * takes them from its clients would grow without an end, so no more and no longer ones are kept than these.
 */
const checkedNames = new Map<string, Name>()
const mostNames = 500
const longestName = 64

/** What is known of a name. Throws ERR_HEADER_INVALID unless it is an HTTP token. */
function checkHeaderName(name: string): Name {
  const known = checkedNames.get(name)
  if (known !== undefined) return known
  if (typeof name !== 'string' || !token.test(name)) {
    throw new RouteControllersError('ERR_HEADER_INVALID', `${quote(name)} is not a header name`)
  }
  const checked = { lower: name.toLowerCase(), isHopByHop: isHopByHop(name) }
  if (checkedNames.size < mostNames && name.length <= longestName) checkedNames.set(name, checked)
  return checked
}

/** The value as it is sent. Throws ERR_HEADER_INVALID for CR, LF, NUL and what Latin-1 cannot carry. */
function checkHeaderValue(name: string, value: unknown): string {
  const text = Number.isFinite(value) ? String(value) : value
  if (typeof text !== 'string' || !fieldValue.test(text)) {
    throw new RouteControllersError(
      'ERR_HEADER_INVALID',
      `${quote(value)} is not a value for the header ${name}: it takes Latin-1 without control characters`,
    )
  }
  return text
}

function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : nameType(value)
}

/** Position of `name` in a flat list of names and values, or -1. */
export function findHeader(list: readonly string[], name: string): number {
  return findLower(list, name.toLowerCase())
}

function findLower(list: readonly string[], lower: string): number {
  for (let at = 0; at < list.length; at += 2) {
    if (list[at]!.length === lower.length && list[at]!.toLowerCase() === lower) return at
  }
  return -1
}

/** The value of `name` in a flat list of names and values; the first of several. */
export function headerOf(list: readonly string[], name: string): string | undefined {
  const at = findHeader(list, name)
  return at < 0 ? undefined : list[at + 1]
}

/** A flat list of names and values without those of these names, in lower case. */
export function withoutHeaders(list: readonly string[], names: readonly string[]): string[] {
  return list.filter((_, at) => !names.includes(list[at - (at % 2)]!.toLowerCase()))
}

/**
 * Sets `name` in a flat list of names and values, in place of any earlier value. What speaks of one connection only is
 * checked and then left out.
 */
export function setHeader(list: string[], name: string, value: HeaderValue): void {
  const { lower, isHopByHop } = checkHeaderName(name)
  const checked = Array.isArray(value)
    ? (value as readonly string[]).map((one) => checkHeaderValue(name, one))
    : checkHeaderValue(name, value)
  for (let at = findLower(list, lower); at >= 0; at = findLower(list, lower)) list.splice(at, 2)
  if (isHopByHop) return
  if (typeof checked === 'string') list.push(name, checked)
  else for (const one of checked) list.push(name, one)
}

/** The number of bytes that a Content-Length says; undefined for what says none, or two. RFC 9110 8.6 */
export function parseLength(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length === 1 ? parseLength(value[0]) : undefined
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}

const hopByHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** True for a header that speaks of one connection only, and so is never a handler's to send. */
export function isHopByHop(name: string): boolean {
  return hopByHop.has(name.toLowerCase())
}

/**
 * What `setHeaders()` loads: defaults that are safe on every answer, pages and APIs alike.
 * Nothing here opens anything (CORS) or depends on the content (CSP).
 */
export const safeDefaults: Readonly<Record<string, string>> = Object.freeze({
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
})

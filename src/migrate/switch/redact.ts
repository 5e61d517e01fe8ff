// What is never stored: values of fields that name secrets.
import { unescape } from 'node:querystring'
import { maskOf } from '../parity-answers.js'
import type { RequestCopy } from './memory-request.js'

const secretPart =
  /password|passwd|passphrase|secret|token|authorization|cookie|session|credential|api[-_]?key|private[-_]?key|csrf|xsrf|otp|signature/i
const secretWhole = /^(?:pwd|pin|cvv|cvc|iban|ssn|jwt)$/i

/** Stands for a value that is left out. */
export const leftOut = '[redacted]'

/** What is secret: what has a usual name of secrets, or one that was given. */
export interface Secrets {
  readonly isSecret: (name: string) => boolean
  /** Any text without what stands behind such a name. */
  readonly redactText: (text: string) => string
}

/** Adds `names`, in any case. Those with other signs than letters, digits, `_` and `-` are not looked for in a text. */
export function secretsOf(names: readonly string[]): Secrets {
  const own = new Set(names.map((name) => name.toLowerCase()))
  const words = [...own].filter((name) => /^[\w-]+$/.test(name))
  const inText = inTextOf([
    ...usualWords,
    ...words.map((name) => `(?:(?<![\\w-])|(?<=%5[bd]|%2e))${name}(?![\\w-])`),
  ])
  const isWhole = (name: string): boolean => own.has(name.toLowerCase()) || secretWhole.test(name)
  return {
    // `user[iban]`, `iban[]` and `user.iban` name an `iban`.
    isSecret: (name) => isWhole(name) || secretPart.test(name) || name.split(/[[\].]/).some(isWhole),
    redactText: (text) => text.replace(inText, (_all, name: string) => name + leftOut),
  }
}

/** Path and query, without the values of secrets. */
export function redactTarget(target: string, isSecret: (name: string) => boolean): string {
  const at = target.indexOf('?')
  if (at < 0) return target
  const pairs = target.slice(at + 1).split('&')
  return `${target.slice(0, at)}?${pairs
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return isSecret(unescape(name.replaceAll('+', ' '))) ? `${name}=${leftOut}` : pair
    })
    .join('&')}`
}

// A client writes these texts, so each of them is read in linear time: a name begins where no name goes on (the
// lookbehind), and its words are looked for once, ahead of it. A host with its port is no name.
const inTextOf = (words: readonly string[]): RegExp =>
  new RegExp(
    [
      `(?<!${inName})(?!(?<=//)[\\w-]+\\.[\\w.-]+:\\d+/)(?=${inName}*?(?:${words.join('|')}))`,
      `(${inName}+(?:["']?\\s*[:=]\\s*|["'\\s]+(?:content|value)=))`,
      `((?:(?:basic|bearer|digest|token)[ \\t]+)?(?:"[^"]*"|'[^']*'|["']?[^"'&<>\\s;]+))`,
    ].join(''),
    'gi',
  )
const inName = '[\\w.[\\]%-]'
const usualWords =
  'password passwd secret token authorization session credential api[-_]?key csrf xsrf'.split(' ')

/** Makes what takes the cookies and the authorization of a request out of a text: an answer may show them again. */
export function maskOfRequest({ headers }: Pick<RequestCopy, 'headers'>): (text: string) => string {
  const { authorization, cookie } = headers
  const secrets = Object.entries({ authorization, cookie }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  if (secrets.length === 0) return (text) => text
  const mask = maskOf(secrets)
  return (text) => mask(text).replace(/\[(?:cookie|authorization)(?:, [\w -]+)?\]/g, () => leftOut)
}

/** A JSON value without the values of secrets, to any depth. */
export function redactJson(value: unknown, isSecret: (name: string) => boolean, level = 0): unknown {
  if (level > 50) return leftOut
  if (Array.isArray(value)) return value.map((one) => redactJson(one, isSecret, level + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isSecret(name) ? leftOut : redactJson(one, isSecret, level + 1),
    ]),
  )
}

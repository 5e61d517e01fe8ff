import { defaultLimits, tooMany } from './limits.js'

/** Names and values of a query or a form; a repeated name has an array. It has no prototype. */
export type Fields = Record<string, string | string[]>

/** Reads `a=1&b=2`: percent-decoded, `+` is a space, a malformed escape stays as it is. Reads at most `most` fields. */
export function parseFields(source: string, most: number = defaultLimits.maxQueryFields): Fields {
  const fields = Object.create(null) as Fields
  if (source === '') return fields
  let count = 0
  // URLSearchParams takes one leading question mark off, and it is part of the first name.
  const whole = source.startsWith('?') ? `?${source}` : source
  for (const [name, value] of new URLSearchParams(whole)) {
    if (++count > most) break
    const earlier = fields[name]
    if (earlier === undefined) fields[name] = value
    else if (typeof earlier === 'string') fields[name] = [earlier, value]
    else earlier.push(value)
  }
  return fields
}

/** Reads an urlencoded body; one with more than `most` fields is refused with 413, not cut. */
export function parseForm(text: string, most: number = defaultLimits.maxFormFields): Fields {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0 && fields <= most; at = text.indexOf('&', at + 1)) fields++
  if (fields > most) throw tooMany('fields', most)
  return parseFields(text, most)
}

/** Writes an urlencoded body. Nested values are written in brackets, the form that the extended parsers (qs) read back to the same value. */
export function writeForm(body: object): string {
  const pairs = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) {
      for (const one of value) add(typeof one === 'object' && one !== null ? `${name}[]` : name, one)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner)
    } else {
      pairs.append(name, `${(value ?? '') as string | number}`)
    }
  }
  for (const [name, value] of Object.entries(body)) add(name, value)
  return pairs.toString()
}

import { maxFields, tooManyFields } from './limits.js'

/** Names and values of a query or a form; a repeated name has an array. It has no prototype. */
export type Fields = Record<string, string | string[]>

/** Reads `a=1&b=2`: percent-decoded, `+` is a space, a malformed escape stays as it is. Reads at most `maxFields`. */
export function parseFields(source: string): Fields {
  const fields = Object.create(null) as Fields
  if (source === '') return fields
  let count = 0
  for (const [name, value] of new URLSearchParams(source)) {
    if (++count > maxFields) break
    const earlier = fields[name]
    if (earlier === undefined) fields[name] = value
    else if (typeof earlier === 'string') fields[name] = [earlier, value]
    else earlier.push(value)
  }
  return fields
}

/** Reads an urlencoded body; one with more than `maxFields` is refused with 413, not cut. */
export function parseForm(text: string): Fields {
  let separators = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++separators >= maxFields) throw tooManyFields()
  }
  return parseFields(text)
}

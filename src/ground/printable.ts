// Of a terminal: what moves its cursor, begins a line, or turns the direction of a text.
const controls = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A value of whose texts nothing but letters reaches a terminal: names and paths are the app's. */
export function printable<T>(value: T): T {
  if (typeof value === 'string') return value.replace(controls, shownControl) as T
  if (Array.isArray(value)) return value.map(printable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, printable<unknown>(one)])) as T
}

/** JSON without control characters, which could change what a terminal shows. JSON.stringify leaves some of them. The value stays the same. */
export function printableJson(json: string): string {
  return json.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function shownControl(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  if (character === '\n') return '\\n'
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

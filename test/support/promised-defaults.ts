import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The defaults that the comments of an interface promise, where they are numbers, lists or flags. */
export function promisedDefaults(file: string, name: string): Record<string, unknown> {
  const text = readFileSync(join(__dirname, '../..', file), 'utf8')
  const [, body = ''] = new RegExp(`^export interface ${name}[^{]*\\{\\n([^]*?)^\\}`, 'm').exec(text) ?? []
  const members = [...body.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(\w+)\?:/g)]
  const defaults = members.flatMap(([, comment = '', member = '']) => {
    const [, value] = /Default:? `?(\[[^\]]*\]|true|false|\d+(?: \d{3})*(?:\.\d+)?)/.exec(comment) ?? []
    return value === undefined ? [] : [[member, JSON.parse(value.replace(/(?<=\d) (?=\d)/g, ''))] as const]
  })
  return Object.fromEntries(defaults)
}

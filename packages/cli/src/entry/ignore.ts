// What a project has said not to compare: a field of a JSON body, or a header. It stands in a file that is committed.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { routePattern } from 'routecontrollers/express-model'
import { ignoreFile } from '../documents/parity.js'
import { UsageError } from './options.js'
import { writeOutput } from '../terminal/output-file.js'
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'

/** One field of the answers of some routes. */
export interface Ignored {
  /** As it was written: `GET /users $.updatedAt`. */
  readonly text: string
  readonly isOf: (method: string, path: string) => boolean
  /** The steps to a field; undefined for a header. */
  readonly steps: readonly Step[] | undefined
  /** In lower case. */
  readonly header: string | undefined
}

interface Step {
  /** Of an object or a list; undefined for each of it. */
  readonly name: string | undefined
  /** True for a field at any depth. */
  readonly isDeep: boolean
}

const takes = "takes 'GET /users $.updatedAt', or 'GET /users x-request-id' for a header"

/** Reads one. Throws UsageError. */
export function parseIgnored(text: string, where: string): Ignored {
  const [, route = '', field = ''] = /^\s*(.*?)\s+(\$.*?|[\w!#%&'*+.^`|~-]+)\s*$/.exec(text) ?? []
  const pattern = routePattern(route)
  const steps = field.startsWith('$') ? stepsOf(field) : undefined
  if (pattern === undefined || (field.startsWith('$') && steps === undefined))
    throw new UsageError(`${where} ${takes}, not ${JSON.stringify(text)}`)
  const { method, hasPath } = pattern
  return {
    text: text.trim(),
    isOf: (own, path) => (method === undefined || method === own) && hasPath(path),
    steps,
    header: steps === undefined ? field.toLowerCase() : undefined,
  }
}

const stepForm = /(\.\.?)([\w$-]+|\*)|\[(?:(\d+|\*)|'([^']*)'|"([^"]*)")\]/y

function stepsOf(field: string): Step[] | undefined {
  const steps: Step[] = []
  for (let at = 1; at < field.length; at = stepForm.lastIndex) {
    stepForm.lastIndex = at
    const found = stepForm.exec(field)
    if (found === null) return undefined
    const name = found[2] ?? found[3] ?? found[4] ?? found[5]!
    steps.push({ name: name === '*' ? undefined : name, isDeep: found[1] === '..' })
  }
  return steps
}

/** What the file of a project says, with what is added to it. Throws UsageError. */
export function readIgnored(cwd: string, added: readonly string[]): Ignored[] {
  const file = resolve(cwd, ignoreFile)
  const kept = existsSync(file) ? textsIn(readFileSync(file, 'utf8')) : []
  const all = [...new Set([...kept, ...added.map((one) => one.trim())])]
  const ignored = all.map((one) => parseIgnored(one, kept.includes(one) ? ignoreFile : '--ignore'))
  if (all.length > kept.length)
    writeOutput(cwd, ignoreFile, `${JSON.stringify({ version: 1, ignore: all }, null, 2)}\n`)
  return ignored
}

function textsIn(text: string): string[] {
  let ignore: unknown
  try {
    ;({ ignore } = JSON.parse(text.replace(/^\uFEFF/, '')) as { ignore?: unknown })
  } catch {
    // As for one that says something else.
  }
  if (Array.isArray(ignore) && ignore.every((one) => typeof one === 'string')) return ignore
  throw new UsageError(`${ignoreFile} holds {"version": 1, "ignore": ["GET /users $.updatedAt"]}`)
}

/** Whether that is left out of the answers to a request, by its path or by its route. */
export function isIgnoredIn(
  { isOf }: Ignored,
  { method, target }: { readonly method: string; readonly target: string },
  route: string,
): boolean {
  const [ownMethod = '', path = ''] = route.split(' ')
  return isOf(method, target.split('?', 1)[0]!) || isOf(ownMethod, path)
}

/** An answer without what is not compared, and which of `ignored` were in it. */
export function withoutIgnored(
  answer: ReceivedAnswer,
  ignored: readonly Ignored[],
): { answer: ReceivedAnswer; used: string[] } {
  const used: string[] = []
  const headers = new Map(answer.headers)
  let { body } = answer
  for (const { text, steps, header } of ignored) {
    if (header !== undefined) {
      if (!headers.delete(header)) continue
    } else {
      const without = withoutField(body, steps!)
      if (without === body) continue
      body = without
      // Made of the body.
      for (const name of ['etag', 'content-length']) if (headers.has(name)) headers.set(name, '')
    }
    used.push(text)
  }
  return { answer: used.length === 0 ? answer : { ...answer, headers, body }, used }
}

/** A body, as bytes of one letter each, with a mark where a value stood; all else stays as it was, byte by byte. */
function withoutField(body: string, steps: readonly Step[]): string {
  const text = Buffer.from(body, 'latin1').toString()
  try {
    JSON.parse(text)
    const found: Range[] = []
    new Walk(text, found).value([steps])
    let result = ''
    let from = 0
    for (const { start, end } of found) {
      result += `${text.slice(from, start)}"(ignored)"`
      from = end
    }
    return found.length === 0 ? body : Buffer.from(result + text.slice(from)).toString('latin1')
  } catch {
    // No JSON, or one that is too deep.
    return body
  }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Walks through a text that is JSON, and notes where the values of some paths stand. */
class Walk {
  readonly #text: string
  readonly #found: Range[]
  #at = 0

  constructor(text: string, found: Range[]) {
    this.#text = text
    this.#found = found
  }

  /** `paths` are the steps that are left to each. */
  value(paths: readonly (readonly Step[])[]): void {
    this.#blank()
    const start = this.#at
    const isFound = paths.some((steps) => steps.length === 0)
    const left = isFound ? [] : paths
    const open = this.#text[start]
    if (open === '{' || open === '[') {
      this.#at++
      for (let number = 0; !this.#closes(); number++) {
        if (open === '[') this.value(followed(left, String(number)))
        else {
          const name = JSON.parse(this.#string()) as string
          this.#blank()
          this.#at++
          this.value(followed(left, name))
        }
        this.#blank()
        if (this.#text[this.#at] === ',') this.#at++
      }
      this.#at++
    } else if (open === '"') this.#string()
    else while (/[^\s,\]}]/.test(this.#text[this.#at] ?? ' ')) this.#at++
    if (isFound) this.#found.push({ start, end: this.#at })
  }

  #closes(): boolean {
    this.#blank()
    return /[\]}]/.test(this.#text[this.#at]!)
  }

  #string(): string {
    const start = this.#at++
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    return this.#text.slice(start, ++this.#at)
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }
}

/** What is left of paths below a member. */
function followed(paths: readonly (readonly Step[])[], member: string): (readonly Step[])[] {
  return paths.flatMap((steps) => {
    const [{ name, isDeep }, ...more] = steps as [Step, ...Step[]]
    const below = isDeep ? [steps] : []
    return name === undefined || name === member ? [...below, more] : below
  })
}

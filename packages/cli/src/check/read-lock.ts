// Reads `routes.lock.json`, which people merge, and tools may have spoilt: what is not as it must be is refused, and never guessed.
import { readFileSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { redactCode } from '../../../compare/src/redact-code.js'
import { routePattern } from 'routecontrollers/express-model'
import { type Lock, type LockedPass, lockVersion, nameOf, type Sample } from './lock.js'
import { shellWord } from '../terminal/shell-word.js'

/** The type of a value, a list of such, or an object with such fields; one with ? may be missing. */
type Shape = string | readonly [Shape] | Shapes
interface Shapes {
  readonly [field: string]: Shape
}

const accepted: Shape = [
  {
    'kind?': 'string',
    finding: 'string',
    'key?': 'string',
    'with?': ['string'],
    because: 'string',
    'date?': 'string',
  },
]
const pass: Shapes = {
  ...Object.fromEntries(
    'kind name at? definition? source? sourceNames? argument? made? madeNames? mount? param?'
      .split(' ')
      .map((field) => [field, 'string']),
  ),
  'catches?': 'count',
  'unverifiable?': 'boolean',
}
const known: Shapes = { method: 'string', path: 'string', 'app?': 'app', 'accepted?': accepted }
const compared: Shapes = {
  ...known,
  'kind?': 'string',
  'at?': 'string',
  'handler?': 'string',
  'varies?': 'boolean',
  'shadowed?': 'boolean',
  witness: 'witness',
  settings: {
    strict: 'boolean',
    caseSensitive: 'boolean',
    trustProxy: 'setting',
    'mountedTrustProxy?': ['setting'],
  },
  params: ['string'],
  answer: 'string',
  by: 'string',
  passes: [pass],
  'errorHandlers?': [pass],
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  setting: (value) => ['boolean', 'number', 'string'].includes(typeof value),
  // More apps than one process listens with.
  app: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1000,
  count: (value) => Number.isInteger(value) && (value as number) > 0,
  witness: (value) => value === null || (typeof value === 'string' && /^\S+ \//.test(value)),
}

/** The path of the first field that is not as it must be. */
function wrongField(value: unknown, shape: Shape, path: string): string | undefined {
  if (typeof shape === 'string') return types[shape]!(value) ? undefined : path
  if (typeof value !== 'object' || value === null || Array.isArray(shape) !== Array.isArray(value))
    return path
  const fields = Array.isArray(value)
    ? value.map((one: unknown, at) => [one, (shape as [Shape])[0], `${path}[${at}]`] as const)
    : Object.entries(shape as Shapes).flatMap(([field, own]) => {
        const name = field.replace('?', '')
        const one = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
        return one === undefined && name !== field ? [] : [[one, own, `${path}.${name}`] as const]
      })
  for (const [one, own, at] of fields) {
    const wrong = wrongField(one, own, at)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

// More than any app has: what is longer is no lock.
const longest = 64 * 1024 * 1024
const deepest = 200

/** Reads the text of a lock. Throws ERR_OPTION_INVALID for one that is none, or that a newer version has written. */
export function parseLock(text: string, name = 'routes.lock.json', forCheck = true): Lock {
  if (text.length > longest) throw refusal(name, ` is longer than ${longest} characters; `)
  // Editors on Windows put a mark before the text.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  // What one side has lost would be in a lock that is written from the app.
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)/m.test(json)) {
    throw refusal(
      name,
      ' has merge-conflict markers: resolve the conflict first, and keep the routes of both sides. A new lock of the app as it is would take over what is lost',
      '',
    )
  }
  let lock: unknown
  try {
    lock = JSON.parse(json)
  } catch (error) {
    throw refusal(name, ` is not JSON (${(error as Error).message}); `)
  }
  const twice = keyTwice(json)
  if (twice !== undefined) throw refusal(name, ` ${twice}: mend it, or `)
  return readLock(lock, name, forCheck)
}

/** The lock in a file; undefined where there is no file. Throws as `parseLock`, and for what is no file. */
export function readLockFile(cwd: string, name: string, forCheck = true): Lock | undefined {
  const file = resolve(cwd, name)
  const stats = statsOf(file, name)
  if (stats === undefined) return undefined
  // A pipe would be waited for, and a device has no end.
  if (!stats.isFile()) throw refusal(name, ' is no file: ', otherFile)
  if (stats.size > longest) throw refusal(name, ` is longer than ${longest} bytes; `)
  return parseLock(readFileSync(file, 'utf8'), name, forCheck)
}

const otherFile = 'name the file of the lock by --lock'

function statsOf(file: string, name: string): Stats | undefined {
  try {
    // Without `throwIfNoEntry`, which takes a file below a file for one that is missing, from Node 22 on.
    return statSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw refusal(name, ` cannot be opened (${code}): `, otherFile)
  }
}

/** The same of a lock that is read already. */
export function readLock(value: unknown, name = 'routes.lock.json', forCheck = true): Lock {
  const lock = value as Partial<Lock> | null
  if (typeof lock !== 'object' || typeof lock?.version !== 'number') {
    throw refusal(
      name,
      ' is no lock of routecontrollers: ',
      'routecontrollers inspect ENTRY --lock routes.lock.json writes one',
    )
  }
  if (![1, 2, 3, 4, lockVersion].includes(lock.version)) {
    throw refusal(
      name,
      ` has the version ${JSON.stringify(lock.version)}, and this command knows versions 1 to ${lockVersion}: install the version of routecontrollers that has written it, or `,
    )
  }
  const wrong =
    wrongField(lock.routes, [forCheck ? compared : { ...known, 'witness?': 'witness' }], 'routes') ??
    (lock.except === undefined ? undefined : wrongField(lock.except, ['string'], 'except')) ??
    wrongPattern(lock.except)
  if (wrong !== undefined)
    throw refusal(name, `: ${wrong} is not what this command writes there: mend it, or `)
  for (const row of lock.routes!) {
    const { samples } = row
    if (samples !== undefined && !(Array.isArray(samples) && samples.every(isSample))) {
      throw refusal(
        name,
        `: samples of ${nameOf(row)} are a list of { url, headers, body }, where url begins with / and headers are texts`,
        '',
      )
    }
  }
  return forCheck ? withoutSecrets(lock as Lock) : (lock as Lock)
}

/** Older locks have secrets in their arguments: they are neither shown nor written again, and equal what an app has now. */
function withoutSecrets(lock: Lock): Lock {
  const redacted = (pass: LockedPass): LockedPass =>
    pass.argument === undefined ? pass : { ...pass, argument: redactCode(pass.argument) }
  const routes = lock.routes.map((row) => {
    const { passes, errorHandlers } = row
    const shown = { ...row, passes: passes.map(redacted) }
    return errorHandlers === undefined ? shown : { ...shown, errorHandlers: errorHandlers.map(redacted) }
  })
  return { ...lock, routes }
}

function refusal(
  name: string,
  wrong: string,
  remedy = `write it anew with routecontrollers inspect ENTRY --lock ${shellWord(name)}`,
): RouteControllersError {
  return new RouteControllersError('ERR_OPTION_INVALID', `${name}${wrong}${remedy}`)
}

function wrongPattern(except: readonly string[] | undefined): string | undefined {
  const at = except?.findIndex((text) => routePattern(text) === undefined) ?? -1
  return at < 0 ? undefined : `except[${at}]`
}

/** What is wrong with the keys of a JSON text: JSON.parse takes the last of two, and who reads the file sees the first. */
function keyTwice(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last: string | undefined
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/gs)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined)
      if (open.length > deepest) return `is deeper than ${deepest} levels`
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key = JSON.parse(last!) as string
      const keys = open.at(-1)!
      if (keys.has(key)) return `has ${JSON.stringify(key)} twice in one object`
      keys.add(key)
    } else last = token
  }
  return undefined
}

function isSample(sample: Partial<Sample> | null): boolean {
  if (typeof sample !== 'object' || sample === null) return false
  const { url = '/', headers = {} } = sample
  return (
    typeof url === 'string' &&
    url.startsWith('/') &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((one) => typeof one === 'string')
  )
}

// The command line: what may be asked, and what was probably meant.
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { likelyName } from '../closest-name.js'

/** A command line that cannot be carried out. */
export class UsageError extends Error {}

/** What was asked for. */
export interface CommandOptions {
  readonly command: 'inspect' | 'check'
  /** The absolute path of the entry. */
  readonly entry: string
  readonly parameters: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeLimitMs: number
  readonly settleMs: number
  readonly json: boolean
  readonly html: string | undefined
  readonly lock: string | undefined
  readonly accept: readonly string[]
  readonly because: string | undefined
}

const commands = ['inspect', 'check'] as const

const shared = {
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  'time-limit-ms': { type: 'string' },
  'settle-ms': { type: 'string' },
  json: { type: 'boolean' },
  lock: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const optionsOf = {
  inspect: { ...shared, html: { type: 'string' } },
  check: { ...shared, accept: { type: 'string', multiple: true }, because: { type: 'string' } },
} as const

/** Reads the command line; gives the text of `--help` where that was asked for. Throws UsageError. */
export function readCommandLine(parameters: readonly string[]): CommandOptions | { readonly help: string } {
  const [command, ...rest] = parameters
  if (command === undefined || command === '--help' || command === '-h' || command === 'help')
    return { help: helpText }
  if (!isCommand(command)) {
    throw new UsageError(
      `There is no command ${JSON.stringify(command)}${suggestion(command, commands)}: routecontrollers --help`,
    )
  }
  const known = optionsOf[command]
  const end = rest.indexOf('--')
  const own = end < 0 ? rest : rest.slice(0, end)
  const { values, tokens } = parseArgs({
    args: [...own],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const names = Object.keys(known)
    if (!names.includes(token.name)) {
      throw new UsageError(
        `${command} has no option ${token.rawName}${suggestion(token.name, names, '--')}: routecontrollers ${command} --help`,
      )
    }
    const { type } = known[token.name as keyof typeof known] as { type: string }
    if (type === 'string' && token.value === undefined)
      throw new UsageError(`${token.rawName} takes a value: ${token.rawName}=VALUE`)
    if (type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`)
  }
  const given = values as Record<string, string | string[] | boolean | undefined>
  if (given['help'] === true) return { help: helpText }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const [entry, second] = positionals
  if (entry === undefined)
    throw new UsageError(`${command} needs the entry of the app: routecontrollers ${command} server.js`)
  if (second !== undefined) {
    throw new UsageError(
      `${command} takes one entry, not ${JSON.stringify(second)} too; arguments of the entry stand after --`,
    )
  }
  const cwd = folderOf(given['cwd'] as string | undefined)
  const accept = (given['accept'] ?? []) as string[]
  const because = given['because'] as string | undefined
  if (accept.length > 0 !== (because !== undefined && because.trim() !== '')) {
    throw new UsageError(`--accept 'GET /path' and --because "the reason" stand together`)
  }
  return {
    command,
    entry: entryOf(cwd, entry),
    parameters: end < 0 ? [] : rest.slice(end + 1),
    cwd,
    env: Object.fromEntries(((given['env'] ?? []) as string[]).map(readVariable)),
    timeLimitMs: readMilliseconds('--time-limit-ms', given['time-limit-ms'] as string | undefined, 30_000),
    settleMs: readMilliseconds('--settle-ms', given['settle-ms'] as string | undefined, 500),
    json: given['json'] === true,
    html: given['html'] as string | undefined,
    lock: given['lock'] as string | undefined,
    accept,
    because,
  }
}

function isCommand(text: string): text is (typeof commands)[number] {
  return (commands as readonly string[]).includes(text)
}

function readVariable(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--env takes NAME=value, not ${JSON.stringify(text)}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function readMilliseconds(name: string, value: string | undefined, usual: number): number {
  if (value === undefined) return usual
  const number = Number(value)
  if (Number.isInteger(number) && number >= 0 && value.trim() !== '') return number
  throw new UsageError(`${name} is a whole number of milliseconds, not ${JSON.stringify(value)}`)
}

function folderOf(given: string | undefined): string {
  const folder = resolve(given ?? '.')
  if (isKind(folder, 'isDirectory')) return folder
  throw new UsageError(`--cwd: there is no folder ${folder}`)
}

/** The file of an entry, as Node would find it. Throws UsageError with the closest one that is there. */
function entryOf(cwd: string, entry: string): string {
  const path = resolve(cwd, entry)
  for (const candidate of [path, `${path}.js`, join(path, 'index.js')]) {
    if (isKind(candidate, 'isFile')) return candidate
  }
  const folder = dirname(path)
  const names = isKind(folder, 'isDirectory')
    ? readdirSync(folder).filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    : []
  const shown = dirname(entry) === '.' ? names : names.map((name) => join(dirname(entry), name))
  throw new UsageError(
    `There is no file ${entry} in ${cwd}${suggestion(join(dirname(entry), basename(entry)), shown)}`,
  )
}

function isKind(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  return statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false
}

/** `, did you mean …?` with the closest name, or nothing where none is near. */
export function suggestion(given: string, names: readonly string[], prefix = ''): string {
  const closest = likelyName(given, names)
  return closest === undefined ? '' : `, did you mean ${prefix}${closest}?`
}

const helpText = `routecontrollers: what guards each route of an Express app, and what a change has done to it

  routecontrollers inspect ENTRY [options] [-- arguments of the entry]
  routecontrollers check ENTRY [options] [-- arguments of the entry]

ENTRY is the file that you start the app with: server.js, dist/main.js, src/app.ts. It runs in a process
of its own until it listens; no port is opened, no request is made and no handler is called. Its other
effects do happen: it connects to databases, starts timers, sends what it sends when it starts.

inspect   lists each route with all that a request passes before it, in order
  --json            as JSON, for programs
  --html FILE       as one page, to look at
  --lock FILE       writes the lock that check compares with

check     compares the app with the lock: which route has lost a guard, and what else has changed
  --json            as JSON
  --lock FILE       the lock; routes.lock.json unless given
  --accept ROUTE    takes what has changed for right, 'GET /path', and writes that into the lock
  --because REASON  why; with --accept

both
  --cwd FOLDER          runs the entry there; shown paths are relative to it
  --env NAME=value      a variable of the entry's environment; may be given more than once
  --time-limit-ms N     looks at what is there after so many milliseconds; 30000 unless given
  --settle-ms N         for how long nothing must be registered after listen; 500 unless given

Exit code: 0 nothing found (inspect: always, when it could look), 1 findings, 2 wrong use, 3 the entry failed.

  npx routecontrollers inspect server.js
  npx routecontrollers inspect src/app.ts --env NODE_ENV=test -- --config local.json
  npx routecontrollers inspect server.js --lock routes.lock.json
  npx routecontrollers check server.js
  npx routecontrollers check server.js --accept 'GET /health' --because 'needs no session'
`

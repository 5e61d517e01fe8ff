// The command line: what may be asked, and what was probably meant.
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultEntry, type DefaultEntry, noDefaultEntry } from './default-entry.js'
import { likelyName } from '../../../../src/ground/closest-name.js'
import { routePattern } from 'routecontrollers/express-model'

/** A command line that cannot be carried out. */
export class UsageError extends Error {}

/** What was asked for. */
export interface CommandOptions {
  readonly command: Command
  /** The absolute path of the entry. */
  readonly entry: string
  /** How the entry was found, where none was given. */
  readonly foundBy: string | undefined
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
  /** Routes that the lock leaves out. */
  readonly except: readonly string[]
  /** True to start the entry once, where it would be started twice. */
  readonly once: boolean
  readonly parity: ParityOptions
  /** Of `replay` alone. */
  readonly replay: ReplayOptions | undefined
  readonly move: MoveOptions
}

/** What `replay` alone takes. */
interface ReplayOptions {
  /** The absolute path of the recording. */
  readonly traffic: string
  /** A server that serves already; undefined for the entry. */
  readonly against: URL | undefined
  /** The server that it is compared with; undefined for the recording. */
  readonly and: URL | undefined
  /** Requests a second; undefined for one after the other. */
  readonly rate: number | undefined
}

/** What `move` alone takes. */
interface MoveOptions {
  /** The absolute paths of the files in which routes are moved; of all, where there are none. */
  readonly files: readonly string[]
  /** `GET /account/**`. */
  readonly routes: readonly string[]
  /** Those of the moved routes that get a native callback. */
  readonly native: readonly string[]
  /** How they are written: where they stand alone, or as routes of groups. */
  readonly shape: 'in-place' | 'group'
  readonly write: boolean
  readonly force: boolean
  /** Command lines that run after the files are written: a build, tests. */
  readonly run: readonly string[]
}

/** What `parity` alone takes. */
interface ParityOptions {
  /** The two servers, where it was given those in place of an entry. */
  readonly urls: readonly [legacy: URL, now: URL] | undefined
  readonly base: string | undefined
  readonly install: boolean
  /** The absolute path of a folder. */
  readonly data: string | undefined
  readonly dataEnv: string | undefined
  /** What the environment of legacy has besides. */
  readonly legacyEnv: Readonly<Record<string, string>>
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly unsafe: boolean
  readonly answerLimitMs: number
  readonly resume: string | undefined
  /** What is not compared from now on: `GET /users $.updatedAt`. */
  readonly ignore: readonly string[]
  /** Files and folders that git ignores and the app needs, relative to the project. */
  readonly carry: readonly string[]
}

const commands = ['doctor', 'inspect', 'check', 'parity', 'move', 'replay'] as const

const shared = {
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  'time-limit-ms': { type: 'string' },
  'settle-ms': { type: 'string' },
  json: { type: 'boolean' },
  lock: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

const { lock: _lock, ...withoutLock } = shared
const optionsOf = {
  doctor: { ...withoutLock, entry: { type: 'string' } },
  inspect: {
    ...shared,
    html: { type: 'string' },
    except: { type: 'string', multiple: true },
    once: { type: 'boolean' },
  },
  check: { ...shared, accept: { type: 'string', multiple: true }, because: { type: 'string' } },
  parity: {
    ...shared,
    html: { type: 'string' },
    base: { type: 'string' },
    install: { type: 'boolean' },
    data: { type: 'string' },
    'data-env': { type: 'string' },
    'legacy-env': { type: 'string', multiple: true },
    header: { type: 'string', multiple: true },
    unsafe: { type: 'boolean' },
    'answer-limit-ms': { type: 'string' },
    resume: { type: 'string' },
    ignore: { type: 'string', multiple: true },
    carry: { type: 'string', multiple: true },
  },
  move: {
    ...shared,
    entry: { type: 'string' },
    routes: { type: 'string', multiple: true },
    native: { type: 'string', multiple: true },
    shape: { type: 'string' },
    write: { type: 'boolean' },
    force: { type: 'boolean' },
    run: { type: 'string', multiple: true },
  },
  replay: {
    ...shared,
    html: { type: 'string' },
    against: { type: 'string' },
    and: { type: 'string' },
    rate: { type: 'string' },
    header: { type: 'string', multiple: true },
    unsafe: { type: 'boolean' },
    'answer-limit-ms': { type: 'string' },
  },
} as const

/** What is told in place of running an entry; without a text it is the version. */
export interface Told {
  readonly text: string | undefined
}

/** Reads the command line. Throws UsageError. */
export function readCommandLine(parameters: readonly string[]): CommandOptions | Told {
  const [command, ...rest] = parameters
  if (command === undefined || ['--help', '-h', 'help'].includes(command)) {
    const [about] = rest
    return { text: about !== undefined && isCommand(about) ? helpOf(about) : helpText() }
  }
  if (command === '--version' || command === '-v') return { text: undefined }
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
      throw new UsageError(
        `${token.rawName} takes a value: ${token.rawName} VALUE; routecontrollers ${command} --help says which`,
      )
    if (type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`)
  }
  const given = values as Given
  if (given['help'] === true) return { text: helpOf(command) }
  if (given['version'] === true) return { text: undefined }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const named = given['entry'] as string | undefined
  const takesFiles = command === 'move'
  const [entry, second] = takesFiles ? [named] : named === undefined ? positionals : [named, ...positionals]
  if (entry === undefined && command === 'replay')
    throw new UsageError(
      'replay needs a recording: routecontrollers replay traffic.jsonl --against server.js',
    )
  const cwd = folderOf('--cwd', given['cwd'] as string | undefined)
  const hasDefault = command === 'doctor' || command === 'move'
  const found = hasDefault && entry === undefined ? startedBy(cwd, command) : undefined
  if (entry === undefined && found === undefined)
    throw new UsageError(`${command} needs the entry of the app: routecontrollers ${command} server.js`)
  const urls =
    command === 'parity' && entry !== undefined && /^https?:/i.test(entry) ? readUrls(positionals) : undefined
  if (second !== undefined && urls === undefined) {
    throw new UsageError(
      `${command} takes one ${command === 'replay' ? 'recording' : 'entry'}, not ${JSON.stringify(withoutPassword(second))} too; arguments of the entry stand after --`,
    )
  }
  const replay = command === 'replay' ? readReplay(given, cwd, entry!) : undefined
  const ofApp = replay === undefined ? entry : (given['against'] as string)
  const isServed = urls !== undefined || replay?.against !== undefined
  const accept = (given['accept'] ?? []) as string[]
  const because = given['because'] as string | undefined
  if (accept.length > 0 !== (because !== undefined && because.trim() !== '')) {
    throw new UsageError(`--accept 'GET /path' and --because "the reason" stand together`)
  }
  const except = patternsOf('except', given)
  if ((except.length > 0 || given['once'] === true) && given['lock'] === undefined)
    throw new UsageError('--except and --once go with --lock: they say what is written there')
  const outputs = command === 'inspect' ? ['html', 'lock'] : ['html', 'resume']
  for (const name of outputs) checkOutput(`--${name}`, cwd, given[name] as string | undefined)
  return {
    command,
    entry: found?.entry ?? (isServed ? '' : entryOf(cwd, ofApp!)),
    foundBy: found && `${found.by}, so the entry is ${relative(cwd, found.entry)}`,
    parameters: end < 0 ? (found?.parameters ?? []) : rest.slice(end + 1),
    cwd,
    env: { ...found?.env, ...readVariables('env', given) },
    timeLimitMs: readMilliseconds(
      '--time-limit-ms',
      given['time-limit-ms'] as string | undefined,
      command === 'parity' || command === 'replay' ? 600_000 : 30_000,
    ),
    settleMs: readMilliseconds('--settle-ms', given['settle-ms'] as string | undefined, 500),
    json: given['json'] === true,
    html: given['html'] as string | undefined,
    lock: given['lock'] as string | undefined,
    accept,
    because,
    except,
    once: given['once'] === true,
    parity: readParity(given, cwd, urls),
    replay,
    move: readMove(given, cwd, command === 'move' ? positionals : []),
  }
}

/** Patterns of routes. Throws UsageError for what is none. */
function patternsOf(option: 'routes' | 'native' | 'except', given: Given): string[] {
  const texts = (given[option] ?? []) as string[]
  for (const text of texts) {
    if (routePattern(text) === undefined)
      throw new UsageError(
        `--${option} takes 'GET /path', or '/path' for all methods, not ${JSON.stringify(text)}`,
      )
  }
  return texts
}

function readMove(given: Given, cwd: string, names: readonly string[]): MoveOptions {
  const files = names.map((name) => fileOf(cwd, name))
  const native = patternsOf('native', given)
  const shape = (given['shape'] ?? 'in-place') as string
  if (shape !== 'in-place' && shape !== 'group')
    throw new UsageError(`--shape takes in-place or group, not ${JSON.stringify(shape)}`)
  if (shape === 'group' && native.length > 0)
    throw new UsageError('--native goes with the shape in-place: routes of a group keep their handlers')
  const run = (given['run'] ?? []) as string[]
  if (run.length > 0 && given['write'] !== true)
    throw new UsageError('--run goes with --write: it runs a command on what was written')
  return {
    files,
    routes: patternsOf('routes', given),
    native,
    shape,
    write: given['write'] === true,
    force: given['force'] === true,
    run,
  }
}

/** What the package is started by. Throws UsageError where that cannot be told. */
function startedBy(cwd: string, command: Command): DefaultEntry {
  const found = defaultEntry(cwd)
  if (found !== undefined) return found
  throw new UsageError(
    `${command} needs the entry of the app, and ${noDefaultEntry(cwd)}: routecontrollers ${command} ${command === 'move' ? '--entry ' : ''}server.js`,
  )
}

type Given = Record<string, string | string[] | boolean | undefined>

function readParity(given: Given, cwd: string, urls: ParityOptions['urls']): ParityOptions {
  const text = (name: string): string | undefined => given[name] as string | undefined
  const data = text('data')
  const parity = {
    urls,
    base: text('base'),
    install: given['install'] === true,
    data: data === undefined ? undefined : folderOf('--data', resolve(cwd, data)),
    dataEnv: text('data-env'),
    legacyEnv: readVariables('legacy-env', given),
    headers: ((given['header'] ?? []) as string[]).map(readHeader),
    unsafe: given['unsafe'] === true,
    answerLimitMs: readMilliseconds('--answer-limit-ms', text('answer-limit-ms'), 3000),
    resume: text('resume'),
    ignore: (given['ignore'] ?? []) as string[],
    carry: ((given['carry'] ?? []) as string[]).map((name) => carriedFrom(cwd, name)),
  }
  const { base, install, dataEnv } = parity
  if (urls !== undefined && (base ?? data) !== undefined)
    throw new UsageError('parity of two URLs takes neither --base nor --data: it starts no entry')
  if (install && base === undefined)
    throw new UsageError('--install goes with --base: it installs the packages of that revision')
  if (parity.carry.length > 0 && base === undefined)
    throw new UsageError('--carry goes with --base: it gives that revision what git ignores')
  if (dataEnv !== undefined && data === undefined)
    throw new UsageError(
      '--data-env goes with --data: it names the variable by which the entry finds its copy',
    )
  const isOutside = parity.data !== undefined && /^\.\.|^$/.test(relative(cwd, parity.data))
  if (isOutside && dataEnv === undefined) {
    throw new UsageError(
      `--data: ${data} does not stand in ${cwd}: --data-env NAME says by which variable the entry finds its copy`,
    )
  }
  return parity
}

/** A file of the project, relative to it. Throws UsageError. */
function carriedFrom(cwd: string, name: string): string {
  const path = relative(cwd, resolve(cwd, name))
  if (!isKind(resolve(cwd, name), 'isFile') && !isKind(resolve(cwd, name), 'isDirectory'))
    throw new UsageError(`--carry: there is no ${name} in ${cwd}`)
  if (path === '' || isAbsolute(path) || path.split(sep)[0] === '..')
    throw new UsageError(`--carry: ${name} does not stand in ${cwd}`)
  return path
}

function readReplay(given: Given, cwd: string, traffic: string): ReplayOptions {
  const text = (name: string): string | undefined => given[name] as string | undefined
  const urlOf = (one: string | undefined): URL | undefined =>
    one !== undefined && /^https?:/i.test(one) && URL.canParse(one)
      ? Object.assign(new URL(one), { username: '', password: '' })
      : undefined
  const [against, and, rate] = [text('against'), text('and'), text('rate')]
  if (against === undefined)
    throw new UsageError('replay needs --against: a URL, or the entry of the app: --against server.js')
  if (and !== undefined && urlOf(and) === undefined)
    throw new UsageError(
      `--and takes a URL: http://127.0.0.1:3001, not ${JSON.stringify(withoutPassword(and))}`,
    )
  const perSecond = Number(rate)
  if (rate !== undefined && !(perSecond > 0 && perSecond <= 10_000))
    throw new UsageError(`--rate takes requests a second, as 50, not ${JSON.stringify(rate)}`)
  return {
    traffic: resolve(cwd, traffic),
    against: urlOf(against),
    and: urlOf(and),
    rate: rate === undefined ? undefined : perSecond,
  }
}

function readUrls(positionals: readonly string[]): [URL, URL] {
  const urls = positionals.map((text) =>
    /^https?:/i.test(text) && URL.canParse(text)
      ? Object.assign(new URL(text), { username: '', password: '' })
      : text,
  )
  const [legacy, now] = urls
  if (urls.length === 2 && legacy instanceof URL && now instanceof URL) return [legacy, now]
  throw new UsageError(
    `parity takes two URLs, of the app as it was and as it is: http://127.0.0.1:3000 http://127.0.0.1:3001, not ${positionals.map(withoutPassword).join(' ')}`,
  )
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+)[:=][ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  // The value may be a secret.
  const [, wrong] = /^([\w-]+):/.exec(text) ?? []
  throw new UsageError(
    `--header takes 'name: value'${wrong === undefined ? '' : `; that of ${wrong} is none`}`,
  )
}

function withoutPassword(given: string): string {
  return given.replace(/^(https?:).*@/i, '$1//')
}

function isCommand(text: string): text is (typeof commands)[number] {
  return (commands as readonly string[]).includes(text)
}

function readVariables(option: string, given: Given): Record<string, string> {
  const variables = ((given[option] ?? []) as string[]).map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`--${option} takes NAME=value, not ${JSON.stringify(text)}`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
  return Object.fromEntries(variables) as Record<string, string>
}

function readMilliseconds(name: string, value: string | undefined, usual: number): number {
  if (value === undefined) return usual
  const number = Number(value)
  if (Number.isInteger(number) && number >= 0 && value.trim() !== '') return number
  throw new UsageError(`${name} is a whole number of milliseconds, not ${JSON.stringify(value)}`)
}

function folderOf(option: string, given: string | undefined): string {
  const folder = resolve(given ?? '.')
  if (isKind(folder, 'isDirectory')) return folder
  const beside = dirname(folder)
  const all = isKind(beside, 'isDirectory') ? readdirSync(beside) : []
  // Short names are all near one another: a slip of the pen seldom takes the first letter.
  const names = all.filter(
    (name) => name[0] === basename(folder)[0] && isKind(join(beside, name), 'isDirectory'),
  )
  const meant = suggestion(basename(folder), names, join(beside, '/'))
  throw new UsageError(`${option}: there is no folder ${folder}${meant}`)
}

/** Throws UsageError where a file cannot be written: before the entry runs, because parity may take minutes until it writes. */
function checkOutput(option: string, cwd: string, name: string | undefined): void {
  if (name === undefined) return
  const file = resolve(cwd, name)
  if (isKind(file, 'isDirectory')) throw new UsageError(`${option} takes a file, and ${name} is a folder`)
  const folder = dirname(file)
  if (!isKind(folder, 'isDirectory'))
    throw new UsageError(`${option}: there is no folder ${folder}; make it, or name another file`)
}

/** The file of an entry, as Node would find it. Throws UsageError with the closest one that is there. */
function entryOf(cwd: string, entry: string): string {
  const path = resolve(cwd, entry)
  for (const candidate of [path, `${path}.js`, join(path, 'index.js')]) {
    if (isKind(candidate, 'isFile')) return candidate
  }
  if (isKind(path, 'isDirectory'))
    throw new UsageError(`${entry} is a folder: name the file in it that you start the app with`)
  throw noSuchFile(cwd, entry)
}

function fileOf(cwd: string, name: string): string {
  const path = resolve(cwd, name)
  if (isKind(path, 'isFile')) return path
  if (isKind(path, 'isDirectory')) throw new UsageError(`${name} is a folder: name the files in it`)
  throw noSuchFile(cwd, name)
}

function noSuchFile(cwd: string, entry: string): UsageError {
  const path = resolve(cwd, entry)
  const folder = dirname(path)
  const names = isKind(folder, 'isDirectory')
    ? readdirSync(folder).filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    : []
  const shown = dirname(entry) === '.' ? names : names.map((name) => join(dirname(entry), name))
  return new UsageError(
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

type Command = (typeof commands)[number]

/** What `--help` says of each command: its sentence, its options, and command lines. */
const helps: Readonly<Record<Command, { does: string; options: string; examples: readonly string[] }>> = {
  doctor: {
    does: 'says what stands in the way of a migration, before you begin, and what helps',
    options: `  --entry ENTRY     the entry, as ENTRY alone; what npm start runs unless given
  --json            as JSON, for programs
`,
    examples: ['doctor', 'doctor server.js', 'doctor --json -- --config local.json'],
  },
  inspect: {
    does: 'lists each route with all that a request passes before it, in order',
    options: `  --json            as JSON, for programs
  --html FILE       as one page, to look at
  --lock FILE       writes the lock that check compares with; the entry starts twice for it, so that
                    paths that differ with each start are known
  --except PATTERN  with --lock, more than once: routes that the lock leaves out, 'GET /account/**'
  --once            with --lock: starts the entry once, and looks for no such paths
`,
    examples: [
      'inspect server.js',
      'inspect src/app.ts --env NODE_ENV=test -- --config local.json',
      'inspect server.js --html routes.html',
      'inspect server.js --lock routes.lock.json',
    ],
  },
  check: {
    does: 'compares the app with the lock: which route has lost a guard, and what else has changed',
    options: `  --json            as JSON
  --lock FILE       the lock; routes.lock.json unless given
  --accept ROUTE    takes what has changed for right, 'GET /path' or '/account/**', and writes that into the
                    lock
  --because REASON  why; with --accept
`,
    examples: [
      'check server.js',
      'check dist/main.js --lock config/routes.lock.json --json',
      "check server.js --accept 'GET /health' --because 'needs no session'",
    ],
  },
  parity: {
    does: 'makes the same requests of the app as it was and as it is, and compares the answers',
    options: `            The app as it was: the same code with its Controllers switched off, --base, or the first URL.
            Each side runs in a process of its own, on a free port of this machine. Two URLs serve already;
            their routes are those of the lock.
  --base REVISION   the app as it was: a revision of git, with the installed packages
  --carry FILE      with --base: a file or folder that git ignores and the app needs, as settings.json; may
                    be given more than once
  --install         with --base, where its lockfile is another one: installs its packages
  --data FOLDER     gives each side a copy of this folder, and of the project around it
  --data-env NAME   the variable that tells the entry where its copy is; then the project is not copied
  --legacy-env NAME=value
                    as --env, for the app as it was alone: a database of its own
  --header HEADER   'name: value', which a guard reads: requests are made with and without it
  --unsafe          also makes requests that write: POST, PUT, PATCH, DELETE. The data may be spoilt.
  --answer-limit-ms N
                    how long an answer may take; 3000 unless given
  --resume FILE     writes down what was compared, and goes on there the next time
  --ignore FIELD    leaves a field or a header out from now on, 'GET /users $.updatedAt': written to
                    routes.parity.json, which you commit; may be given more than once
  --lock FILE       samples of requests, routes.lock.json unless given; not needed
  --json            as JSON
  --html FILE       as one page
`,
    examples: [
      "parity server.js --header 'authorization: Bearer token'",
      'parity server.js --base main --data data --unsafe',
      'parity http://127.0.0.1:3000 http://127.0.0.1:3001',
    ],
  },
  move: {
    does: 'writes routes of Express as Controllers where they stand, with their handlers as they are',
    options: `            Shows what it would write, and what it leaves with the reason. Without files and --routes it
            moves all routes that it can.
  --entry ENTRY     the file that you start the app with; what npm start runs unless given
  --routes ROUTE    moves these alone: 'GET /account/**'; may be given more than once
  --native ROUTE    gives these a native callback where that surely answers alike: 'GET /teas'; may be
                    given more than once
  --shape SHAPE     in-place, unless given; or group: the routes of a router as those of a group, with the
                    prefix of its mount and its guards, to be served in front of the app too
  --write           writes the files, and compares the app with what it was; takes back what it has
                    written where a guard is lost or the app does not start
  --run COMMAND     after writing, before the app is compared: 'npm run build', 'npm test'; may be given more
                    than once. What fails leaves the files that it names, or all of them, as they were
  --force           writes also where git has changes that are not committed, or where there is no git
  --lock FILE       the lock that is compared too; routes.lock.json unless given, where there is one
  --json            as JSON
`,
    examples: [
      'move src/routes/users.js --entry server.js',
      "move --routes 'GET /account/**' --write",
      "move --routes 'GET /teas' --native 'GET /teas'",
      'move src/routes/users.js --shape group',
      "move --entry dist/server.js --write --run 'npm run build'",
    ],
  },
  replay: {
    does: 'makes the requests of a recording again, and compares the answers',
    options: `  --against WHAT    the app: its entry, which runs in a process of its own, or the URL of a server
  --and URL         the server whose answers are the right ones; without it, those of the recording
  --rate N          requests a second, those of one session one after the other; without it, all are in order
  --header HEADER   'name: value', sent with each request: the recording holds no secrets
  --unsafe          also makes requests that write: POST, PUT, PATCH, DELETE
  --answer-limit-ms N
                    how long an answer may take; 3000 unless given
  --json            as JSON
  --html FILE       as one page
`,
    examples: [
      'replay traffic.jsonl --against server.js',
      'replay traffic.jsonl --against http://127.0.0.1:3001 --and http://127.0.0.1:3000',
    ],
  },
}

const usageOf = (command: Command): string =>
  command === 'replay'
    ? '  routecontrollers replay RECORDING --against ENTRY [options] [-- arguments of the entry]\n  routecontrollers replay RECORDING --against URL [--and URL] [options]\n'
    : `  routecontrollers ${command} ${command === 'doctor' ? '[ENTRY]' : command === 'move' ? '[FILES]' : 'ENTRY'} [options] [-- arguments of the entry]
${command === 'parity' ? '  routecontrollers parity URL URL [options]\n' : ''}`

const entryHelp = `ENTRY is the file that you start the app with: server.js, dist/main.js, src/app.ts. It runs in a process
of its own until it listens; no port is opened, no request is made and no handler is called, but by parity
and replay.
Its other effects do happen: it connects to databases, starts timers, sends what it sends when it starts.
`

const sharedHelp = `  --cwd FOLDER          runs the entry there; shown paths are relative to it
  --env NAME=value      a variable of the entry's environment; may be given more than once
  --time-limit-ms N     how long the entry may take until it has called listen; 30000 unless given
                        (parity: tells what it knows then; 600000 unless given)
  --settle-ms N         for how long nothing must be registered after listen; 500 unless given
  --help, --version
`

const exitHelp = `Exit code: 0 nothing found (inspect: always, when it could look), 1 findings, 2 wrong use,
3 the entry failed, or has not called listen in time (parity, replay: or not all was compared, and
nothing differs until there; move: or what was written could not be compared).
`

const linesOf = (examples: readonly string[]): string =>
  examples.map((one) => `  npx routecontrollers ${one}\n`).join('')

function helpOf(command: Command): string {
  const { does, options, examples } = helps[command]
  return `routecontrollers ${command}
${does}

${usageOf(command)}
${entryHelp}
${options}
${sharedHelp}
${exitHelp}
${linesOf(examples)}`
}

function helpText(): string {
  const each = commands.map(
    (command) => `${command.padEnd(9)} ${helps[command].does}\n${helps[command].options}`,
  )
  return `routecontrollers: what guards each route of an Express app, and what a change has done to it

${commands.map(usageOf).join('')}
${entryHelp}
${each.join('\n')}
all
${sharedHelp}
${exitHelp}
${linesOf(commands.flatMap((command) => helps[command].examples))}`
}

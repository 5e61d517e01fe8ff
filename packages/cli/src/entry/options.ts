// The command line: what may be asked, and what was probably meant.
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isIn } from '../documents/place.js'
import { answerLimit, type Command, commandNames, type Option, tableOf } from './options-table.js'
import { buildOf, sourceOf } from './built-entry.js'
import { defaultEntry, type DefaultEntry, noDefaultEntry } from './default-entry.js'
import { helpOf, helpText } from './help.js'
import { likelyName } from '../../../../src/ground/closest-name.js'
import { maxTimerMs } from '../../../../src/ground/options.js'
import { reporterNames } from '../report/reporters.js'
import type { Output } from '../report/tell-report.js'
import { routePattern } from 'routecontrollers/express-model'
import { shellWord } from '../terminal/shell-word.js'

/** A command line that cannot be carried out. */
export class UsageError extends Error {}

/** What was asked for. */
export interface CommandOptions {
  readonly command: Command
  /** The absolute path of the entry. */
  readonly entry: string
  /** How the entry was found, where none was given. */
  readonly foundBy: string | undefined
  /** What the script that runs the entry gives it, where an entry was given. */
  readonly alsoGiven: string | undefined
  /** What the script that runs the entry has beside, and only a shell knows. */
  readonly leftOut: string | undefined
  readonly parameters: readonly string[]
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeLimitMs: number
  readonly settleMs: number
  readonly json: boolean
  /** The formats that were asked for, with their files. */
  readonly outputs: readonly Output[]
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
  readonly edit: EditOptions
  readonly move: MoveOptions
  readonly retire: RetireOptions
  readonly lift: LiftOptions
  readonly named: NamedOptions
  /** The file of a store, of `status` alone. */
  readonly states: string | undefined
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

/** What the commands take that edit files. */
interface EditOptions {
  readonly write: boolean
  readonly force: boolean
  /** Command lines that run after the files are written: a build, tests. */
  readonly run: readonly string[]
}

/** What `move` alone takes. */
interface MoveOptions {
  /** The absolute paths of the files in which routes are moved; of all, where there are none. */
  readonly files: readonly string[]
  /** `GET /account/**`. */
  readonly routes: readonly string[]
  /** Where a Controller stands: before the handler that it replaces, or in its place. */
  readonly place: 'beside' | 'in-place'
  /** True to write down as they are the handlers that no native callback is made of. */
  readonly asIs: boolean
  /** True to make native callbacks in the place of routes, and of what was written as it was before. */
  readonly native: boolean
}

/** What `retire` alone takes. */
interface RetireOptions {
  /** The absolute paths of files, or none. */
  readonly files: readonly string[]
  readonly routes: readonly string[]
  /** The file of a store: routes that are native there. */
  readonly nativeIn: string | undefined
}

/** What `lift` alone takes. */
interface LiftOptions {
  /** The absolute paths of the files whose routers are lifted; of all, where there are none. */
  readonly files: readonly string[]
}

/** What `brief` and `prove` take. */
interface NamedOptions {
  readonly routes: readonly string[]
  /** The absolute path of a recording. */
  readonly recording: string | undefined
  /** Requests that are made besides: `GET /orders/7`, `POST /orders {"tea":1}`. */
  readonly requests: readonly string[]
  /** True to prove again after each change. */
  readonly watch: boolean
}

/** What the commands take that run two sides. */
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
  /** Command lines that make in `base` what git ignores. */
  readonly run: readonly string[]
}

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
      `There is no command ${JSON.stringify(command)}${orHelp(suggestion(command, commandNames), 'routecontrollers --help')}`,
    )
  }
  const known = tableOf(command).options
  const end = rest.indexOf('--')
  const own = end < 0 ? rest : rest.slice(0, end)
  const { values, tokens } = parseArgs({
    args: withBareValues(own, known),
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
    if (option === undefined) {
      throw new UsageError(
        `${command} has no option ${token.rawName}${orHelp(suggestion(token.name, Object.keys(known), '--'), `routecontrollers ${command} --help`)}`,
      )
    }
    // Another option is no value: --html --json would write a file of that name.
    const isOption = token.inlineValue === false && token.value.startsWith('--')
    if (option.type === 'string' && (isOption || token.value === undefined))
      throw new UsageError(
        `${token.rawName} takes a value: ${token.rawName} ${option.value ?? 'VALUE'}; routecontrollers ${command} --help says more`,
      )
    if (option.type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`)
  }
  const given = values as Given
  if (given['help'] === true) return { text: helpOf(command) }
  if (given['version'] === true) return { text: undefined }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const named = given['entry'] as string | undefined
  const takesFiles = editing.includes(command)
  const takesRoutes = command === 'brief' || command === 'prove'
  const ownRoutes = takesRoutes ? positionals.filter(isRoute) : []
  const entries = takesFiles ? [] : positionals.filter((one) => !ownRoutes.includes(one))
  // What it is given is a recording.
  const playsIt = command === 'replay'
  const [entry, second] = named === undefined || playsIt ? entries : [named, ...entries]
  if (entry === undefined && playsIt)
    throw new UsageError('replay needs a recording: routecontrollers replay traffic.jsonl --entry server.js')
  const cwd = folderOf('--cwd', given['cwd'] as string | undefined)
  const ofApp = playsIt ? replayedEntry(given) : entry
  const found = ofApp === undefined ? startedBy(cwd, command, positionals) : undefined
  const urls =
    command === 'parity' && entry !== undefined && /^https?:/i.test(entry) ? readUrls(positionals) : undefined
  if (second !== undefined && urls === undefined) {
    throw new UsageError(
      `${command} takes one ${playsIt ? 'recording' : 'entry'}, not ${JSON.stringify(withoutPassword(second))} too; arguments of the entry stand after --`,
    )
  }
  const replay = playsIt ? readReplay(given, cwd, entry!) : undefined
  const isServed = urls !== undefined || replay?.against !== undefined
  const accept = (given['accept'] ?? []) as string[]
  const because = given['because'] as string | undefined
  if (accept.length > 0 !== (because !== undefined && because.trim() !== '')) {
    throw new UsageError(`--accept 'GET /path' and --because "the reason" stand together`)
  }
  const except = patternsOf('except', given)
  if ((except.length > 0 || given['once'] === true) && given['lock'] === undefined)
    throw new UsageError('--except and --once go with --lock: they say what is written there')
  const outputs = readOutputs(given)
  const path = found?.entry ?? (isServed ? '' : entryOf(cwd, ofApp!))
  const script = found ?? (isServed ? undefined : scriptOf(cwd, path))
  for (const { reporter, file } of outputs) {
    checkOutput(reporter === 'html' && given['html'] === file ? '--html' : '--reporter', cwd, file)
  }
  const written = command === 'inspect' ? 'lock' : 'resume'
  checkOutput(`--${written}`, cwd, given[written] as string | undefined)
  return {
    command,
    entry: path,
    foundBy: found && `${found.by}, so the entry is ${relative(cwd, found.entry)}`,
    alsoGiven: found === undefined && script !== undefined ? givenBy(script, end < 0) : undefined,
    leftOut: script && leftOutOf(script, given, end >= 0),
    parameters: end < 0 ? (script?.parameters ?? []) : rest.slice(end + 1),
    nodeOptions: script?.nodeOptions ?? [],
    cwd,
    env: { ...script?.env, ...readVariables('env', given) },
    timeLimitMs: readMilliseconds('--time-limit-ms', given['time-limit-ms'] as string),
    settleMs: readMilliseconds('--settle-ms', given['settle-ms'] as string),
    json: given['json'] === true,
    outputs,
    lock: given['lock'] as string | undefined,
    accept,
    because,
    except,
    once: given['once'] === true,
    parity: readParity(given, cwd, urls, { command, path }),
    replay,
    edit: readEdit(given, takesFiles),
    move: readMove(given, cwd, command === 'move' ? positionals : []),
    retire: {
      ...namedRoutes(given, cwd, command === 'retire' ? positionals : []),
      nativeIn: given['native-in'] as string | undefined,
    },
    lift: { files: command === 'lift' ? positionals.map((name) => fileOf(cwd, name)) : [] },
    named: readNamed(given, cwd, command, ownRoutes),
    states: given['states'] as string | undefined,
  }
}

/** Patterns of routes. Throws UsageError for what is none. */
function patternsOf(option: 'routes' | 'except', given: Given): string[] {
  const texts = (given[option] ?? []) as string[]
  for (const text of texts) {
    if (routePattern(text) === undefined)
      throw new UsageError(
        `--${option} takes 'GET /path', or '/path' for all methods, not ${JSON.stringify(text)}`,
      )
  }
  return texts
}

function readEdit(given: Given, isEditing: boolean): EditOptions {
  const run = isEditing ? ((given['run'] ?? []) as string[]) : []
  if (run.length > 0 && given['write'] !== true)
    throw new UsageError('--run goes with --write: it runs a command on what was written')
  return { write: given['write'] === true, force: given['force'] === true, run }
}

/** True for `GET /path`, and for `/path`: a path of all methods is not taken for a file that is not there. */
function isRoute(name: string): boolean {
  if (/^(?:[A-Za-z-]+|\*) \//.test(name)) return true
  return routePattern(name) !== undefined && !isKind(name, 'isFile')
}

function readNamed(
  given: Given,
  cwd: string,
  command: Command,
  own: readonly string[],
): CommandOptions['named'] {
  const isTaken = command === 'brief' || command === 'prove'
  const routes = isTaken ? [...own, ...patternsOf('routes', given)] : []
  if (isTaken && routes.length === 0)
    throw new UsageError(`${command} needs a route: routecontrollers ${command} 'GET /orders/:id'`)
  const recording = given['recording'] as string | undefined
  return {
    routes,
    recording: recording === undefined ? undefined : fileOf(cwd, recording),
    requests: (given['request'] ?? []) as string[],
    watch: given['watch'] === true,
  }
}

/** `GET /path` and `/path` among the positionals are routes, and all others are files. */
function namedRoutes(
  given: Given,
  cwd: string,
  names: readonly string[],
): { readonly files: readonly string[]; readonly routes: readonly string[] } {
  return {
    files: names.filter((name) => !isRoute(name)).map((name) => fileOf(cwd, name)),
    routes: [...names.filter(isRoute), ...patternsOf('routes', given)],
  }
}

function readMove(given: Given, cwd: string, names: readonly string[]): MoveOptions {
  const [asIs, native] = [given['as-is'] === true, given['native'] === true]
  if (asIs && given['in-place'] === true)
    throw new UsageError('--in-place writes all handlers as they are: leave --as-is out')
  if (asIs && native) throw new UsageError('--native rewrites what --as-is has written: one at a time')
  return {
    ...namedRoutes(given, cwd, names),
    place: given['in-place'] === true ? 'in-place' : 'beside',
    asIs,
    native,
  }
}

/** The commands whose arguments without an option are the files that they edit. */
const editing: readonly Command[] = ['move', 'retire', 'lift']

/** What the package is started by. Throws UsageError where that cannot be told. */
function startedBy(cwd: string, command: Command, names: readonly string[]): DefaultEntry {
  const found = defaultEntry(cwd)
  if (found !== undefined) return found
  throw new UsageError(
    `${command} needs the entry of the app, and ${noDefaultEntry(cwd)}: ${withEntry(command, names)}`,
  )
}

/** What runs an entry that was named; undefined where another file is run, or nothing can be told. */
function scriptOf(cwd: string, entry: string): DefaultEntry | undefined {
  try {
    const found = defaultEntry(cwd)
    return found !== undefined && realpathSync(found.entry) === realpathSync(entry) ? found : undefined
  } catch {
    // An entry that is named needs no package.json.
    return undefined
  }
}

/** What a script gives its entry, without the values; undefined where that is nothing. */
function givenBy(
  { by, env, parameters, nodeOptions }: DefaultEntry,
  withParameters: boolean,
): string | undefined {
  const parts = [
    ...Object.keys(env),
    ...nodeOptions.map((option) => option.split('=', 1)[0]!),
    ...(withParameters && parameters.length > 0 ? ['arguments'] : []),
  ]
  return parts.length === 0 ? undefined : `${by}, so the entry gets ${parts.join(' and ')} from there`
}

/** What of a script nothing takes the place of, and what would; undefined where that is nothing. */
function leftOutOf({ by, leftOut }: DefaultEntry, given: Given, hasParameters: boolean): string | undefined {
  const names = Object.keys(readVariables('env', given)).map((name) => `--env ${name}=value`)
  const left = leftOut.filter(
    ({ remedy }) => !names.includes(remedy) && !(hasParameters && remedy === '-- ARGUMENTS'),
  )
  if (left.length === 0) return undefined
  const texts = left.map(({ text }) => JSON.stringify(text)).join(' and ')
  const remedies = [...new Set(left.map(({ remedy }) => remedy))].join(' and ')
  return `${by}, and only a shell knows ${texts}, which is left out: give ${remedies}`
}

/** The command line as it was, with an entry. */
function withEntry(command: Command, names: readonly string[]): string {
  const line = `routecontrollers ${command}`
  const words = (some: readonly string[]): string => some.map((name) => `${shellWord(name)} `).join('')
  const routes = names.filter(isRoute)
  if (command === 'move' || command === 'retire') {
    // Beside routes, a file is most often meant as what other commands take there.
    const [file, ...more] = routes.length === 0 ? [] : names.filter((name) => !isRoute(name))
    const isEntry = file !== undefined && more.length === 0
    return `${line} ${words(isEntry ? routes : names)}--entry ${isEntry ? shellWord(file) : 'server.js'}`
  }
  const isBehind = command === 'lift' || command === 'replay'
  return isBehind ? `${line} ${words(names)}--entry server.js` : `${line} ${words(routes)}server.js`
}

type Given = Record<string, string | string[] | boolean | undefined>

function readParity(
  given: Given,
  cwd: string,
  urls: ParityOptions['urls'],
  { command, path: entry }: { readonly command: Command; readonly path: string },
): ParityOptions {
  const text = (name: string): string | undefined => given[name] as string | undefined
  const [base, data] = [text('base'), text('data')]
  const parity = {
    urls,
    base,
    install: given['install'] === true,
    data: data === undefined ? undefined : folderOf('--data', resolve(cwd, data)),
    dataEnv: text('data-env'),
    legacyEnv: readVariables('legacy-env', given),
    headers: ((given['header'] ?? []) as string[]).map(readHeader),
    unsafe: given['unsafe'] === true,
    answerLimitMs: readMilliseconds('--answer-limit-ms', text('answer-limit-ms') ?? answerLimit.default),
    resume: text('resume'),
    ignore: (given['ignore'] ?? []) as string[],
    carry: ((given['carry'] ?? []) as string[]).map((name) => carriedFrom(cwd, name, entry)),
    run: command === 'parity' || command === 'prove' ? ((given['run'] ?? []) as string[]) : [],
  }
  const { install, dataEnv } = parity
  if (urls !== undefined && (base ?? data) !== undefined)
    throw new UsageError('parity of two URLs takes neither --base nor --data: it starts no entry')
  if (install && base === undefined)
    throw new UsageError('--install goes with --base: it installs the packages of that revision')
  if (parity.run.length > 0 && base === undefined)
    throw new UsageError('--run goes with --base: it makes in that revision what git ignores')
  if (parity.carry.length > 0 && base === undefined)
    throw new UsageError('--carry goes with --base: it gives that revision what git ignores')
  if (dataEnv !== undefined && data === undefined)
    throw new UsageError(
      '--data-env goes with --data: it names the variable by which the entry finds its copy',
    )
  const isElsewhere = parity.data !== undefined && /^\.\.|^$/.test(relative(cwd, parity.data))
  if (isElsewhere && dataEnv === undefined) {
    throw new UsageError(
      `--data: ${data} does not stand in ${cwd}: --data-env NAME says by which variable the entry finds its copy`,
    )
  }
  return parity
}

/** A file of the project, relative to it. Throws UsageError, also for what has the entry. */
function carriedFrom(cwd: string, name: string, entry: string): string {
  const file = resolve(cwd, name)
  const path = relative(cwd, file)
  if (!isKind(file, 'isFile') && !isKind(file, 'isDirectory'))
    throw new UsageError(`--carry: there is no ${name} in ${cwd}`)
  if (path === '' || !isIn(cwd, file)) throw new UsageError(`--carry: ${name} does not stand in ${cwd}`)
  // Two URLs have none.
  const isOfEntry = entry !== '' && isWithin(file, entry)
  if (!isOfEntry) return path
  const source = sourceOf(cwd, entry)
  const bySource =
    source === undefined ? '' : `, or --entry ${shellWord(relative(cwd, source))} runs its source`
  throw new UsageError(
    `--carry: ${name} has the entry, so both sides would be the code of today: --run ${buildOf(cwd)} builds the revision's own${bySource}`,
  )
}

/** True for a file that is another one, or stands in it, by its name or behind links. */
function isWithin(folder: string, file: string): boolean {
  return isIn(folder, file) || isIn(realpathSync(folder), realpathSync(file))
}

/** The entry, or the URL, whose answers `replay` compares; undefined for what `npm start` runs. */
function replayedEntry(given: Given): string | undefined {
  const [named, against] = [given['entry'], given['against']] as (string | undefined)[]
  if (named !== undefined && against !== undefined)
    throw new UsageError('--entry and --against both name the app: give one of them')
  return named ?? against
}

function readReplay(given: Given, cwd: string, traffic: string): ReplayOptions {
  const text = (name: string): string | undefined => given[name] as string | undefined
  const urlOf = (one: string | undefined): URL | undefined =>
    one !== undefined && /^https?:/i.test(one) && URL.canParse(one)
      ? Object.assign(new URL(one), { username: '', password: '' })
      : undefined
  const [against, and, rate] = [text('against'), text('and'), text('rate')]
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

function isCommand(text: string): text is Command {
  return (commandNames as readonly string[]).includes(text)
}

function readVariables(option: string, given: Given): Record<string, string> {
  const variables = ((given[option] ?? []) as string[]).map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`--${option} takes NAME=value, not ${JSON.stringify(text)}`)
    return [text.slice(0, at), text.slice(at + 1)]
  })
  return Object.fromEntries(variables) as Record<string, string>
}

function readMilliseconds(name: string, value: string): number {
  const number = Number(value)
  // Node takes a longer time for no time at all.
  if (Number.isInteger(number) && number >= 0 && value.trim() !== '') return Math.min(number, maxTimerMs)
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

/** Gives each option that may stand without a value the one that counts then. */
function withBareValues(given: readonly string[], known: Readonly<Record<string, Option>>): string[] {
  return given.map((one, at) => {
    const { bare } = (one.startsWith('--') ? known[one.slice(2)] : undefined) ?? {}
    const next = given[at + 1]
    return bare !== undefined && (next === undefined || next.startsWith('-')) ? `${one}=${bare}` : one
  })
}

/** `--reporter NAME=FILE`, and its short forms. Throws UsageError for a name that no reporter has. */
function readOutputs(given: Given): Output[] {
  const [named, json, html] = [given['reporter'] as string[] | undefined, given['json'], given['html']]
  const outputs = (named ?? []).map((text): Output => {
    const at = text.indexOf('=')
    const [name, file] = at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
    const reporter = reporterNames.find((one) => one === name)
    if (reporter === undefined)
      throw new UsageError(
        `--reporter takes ${reporterNames.join(', ')}, with =FILE or without, not ${JSON.stringify(name)}${suggestion(name, reporterNames)}`,
      )
    if (file === '') throw new UsageError(`--reporter ${name}= names no file: leave = out to print it`)
    return { reporter, file }
  })
  return [
    ...outputs,
    ...(json === true ? [{ reporter: 'json', file: undefined } as const] : []),
    ...(html === undefined ? [] : [{ reporter: 'html', file: html as string } as const]),
  ]
}

/** Throws UsageError where a file cannot be written, or is code: before the entry runs, because parity may take minutes until it writes. */
function checkOutput(option: string, cwd: string, name: string | undefined): void {
  if (name === undefined) return
  const file = resolve(cwd, name)
  if (isKind(file, 'isDirectory')) throw new UsageError(`${option} takes a file, and ${name} is a folder`)
  // The entry, behind an option that it is no value of.
  if (/\.[cm]?[jt]sx?$/.test(name) && isKind(file, 'isFile'))
    throw new UsageError(`${option} would write over the code in ${name}: name another file`)
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

/** Throws UsageError for a path that leads nowhere, as a link to itself does. */
function isKind(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false
  } catch (error) {
    throw new UsageError(`${path} cannot be opened: ${reasonOf(error as NodeJS.ErrnoException)}`)
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ELOOP' ? 'it is a link that leads to itself; make it anew' : message
}

/** What was probably meant, and what tells of the rest. */
function orHelp(meant: string, help: string): string {
  return meant === '' ? `: ${help}` : `${meant} ${help} names all`
}

/** `, did you mean …?` with the closest name, or nothing where none is near. */
export function suggestion(given: string, names: readonly string[], prefix = ''): string {
  const closest = likelyName(given, names)
  return closest === undefined ? '' : `, did you mean ${prefix}${closest}?`
}

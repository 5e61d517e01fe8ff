// The entry of an app whose package says how it is started.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EntryError } from './run-entry.js'
import { shellLine, type ShellCommand, type ShellWord } from './shell-line.js'

/** What a package is started by. */
export interface DefaultEntry {
  /** The absolute path of the file. */
  readonly entry: string
  /** What names it: `npm start runs "node server.js"`. */
  readonly by: string
  readonly parameters: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Options of Node: what it loads before the app, files of variables. */
  readonly nodeOptions: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** A part of a script that only a shell knows. */
interface LeftOut {
  readonly text: string
  /** The option of the command that gives it, or takes its place. */
  readonly remedy: string
}

/** A file is run, and only a shell knows which. */
interface Unclear {
  readonly unclear: true
}

type Found = DefaultEntry | Unclear | undefined

// What runs a file that is named behind it.
const runners = /^(?:node|tsx|ts-node(?:-dev|-esm)?|tsnd|nodemon|babel-node|bun|pm2-runtime)$/
// Options of those whose value stands behind them, as a word of its own.
const withValue =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-P|--project|--tsconfig|--exec|-x|-e|--ext|--env-file(?:-if-exists)?|-C|--conditions|-i|--ignore|--delay|--signal|--config)$/
const preloads = /^(?:-r|--require|--import|--loader|--experimental-loader)$/
const files = /^--env-file(?:-if-exists)?$/
const evaluates = /^(?:-e|--eval|-p|--print|-pe)$/
const conditions = /^(?:-C|--conditions)$/
// What stands before the runner and changes nothing for it.
const prefixes = /^(?:cross-env(?:-shell)?|npx|exec|dotenv|env|--)$/
const elsewhere = /^(?:cd|chdir|pushd|popd)$/
// They change the variables of what runs behind them.
const changesVariables = /^(?:\.|source|eval|unset|read|readonly|declare|typeset)$/
const otherPackage =
  /^(?:--prefix|-C|--dir|-w|--workspaces?|-ws|-F|--filter|--cwd|-r|--recursive)(?:=|$)|^workspaces?$/

// In this order: `start` may run what a build has yet to make, and those for development run the source.
const scriptNames = ['start', 'start:dev', 'start:local', 'start:prod', 'dev', 'develop', 'serve', 'server']

// What builds or serves the pages of a browser, with a server of its own.
const withoutExpress =
  /^(?:vite|next|nuxt|nuxi|astro|ng|vue-cli-service|react-scripts|craco|webpack(?:-dev-server)?|parcel|gatsby|expo|remix|eleventy|http-server|serve|storybook|electron(?:-forge)?)$/

interface Manifest {
  readonly main: string | undefined
  readonly scripts: ReadonlyMap<string, string>
}

/**
 * The file that `npm start` runs in a folder, with what its command gives it: arguments, variables, and what Node loads before it. Where
 * that runs none that is there, it is what `start:dev` and the like run, or the `main` of package.json. Without scripts it is `server.js`,
 * as for npm. Undefined where there is none of them, and where only a shell knows it. Throws EntryError for a package.json that is none.
 */
export function defaultEntry(cwd: string): DefaultEntry | undefined {
  const { scripts, main } = manifestOf(cwd)
  const [first] = foundInScripts(cwd)
  if (first !== undefined) return first.found
  // Of a package that is a page, `main` is no server.
  const entry =
    main !== undefined && toolOf(scripts.get('start')) === undefined ? fileOf(cwd, main) : undefined
  if (entry === undefined) return undefined
  return { ...plainly(entry), by: `package.json has "main": ${JSON.stringify(main)}` }
}

/** The files that scripts run which start an app, `npm start` first. */
export function entriesOfScripts(cwd: string): DefaultEntry[] {
  return foundInScripts(cwd).flatMap(({ found = [] }) => found)
}

/** Why there is no such file, as a part of a sentence. */
export function noDefaultEntry(cwd: string): string {
  const start = manifestOf(cwd).scripts.get('start')
  const [first] = foundInScripts(cwd)
  if (first !== undefined) return `${first.by}, of which only a shell knows the file`
  const tool = toolOf(start)
  return tool === undefined
    ? 'npm start runs no file that is there'
    : `npm start runs ${JSON.stringify(start)}, and ${tool} serves no Express`
}

/** The package.json of a folder; empty where there is none. Throws EntryError where it cannot be read. */
export function manifestOf(cwd: string): Manifest {
  const file = join(cwd, 'package.json')
  const { main, scripts } = readObject(file)
  // As for npm: what is no text is no script.
  const own = isObject(scripts) ? Object.entries(scripts) : []
  return {
    main: typeof main === 'string' ? main : undefined,
    scripts: new Map(own.filter((one): one is [string, string] => typeof one[1] === 'string')),
  }
}

function readObject(file: string): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) return {}
  let read: unknown
  try {
    read = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new EntryError(`${file} cannot be read: ${(error as Error).message}`)
  }
  if (isObject(read)) return read
  throw new EntryError(`${file} cannot be read: it is no object of JSON`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What scripts say of the app, in the order in which they count. */
function foundInScripts(cwd: string): { readonly by: string; readonly found: DefaultEntry | undefined }[] {
  const { scripts } = manifestOf(cwd)
  return scriptNames.flatMap((name) => {
    const found = entryOfScript(cwd, scripts, name, new Set())
    if (found === undefined) return []
    const shown = name === 'start' ? 'npm start' : `npm run ${name}`
    const by = `${shown} runs ${JSON.stringify('unclear' in found ? scripts.get(name) : found.by)}`
    return { by, found: 'unclear' in found ? undefined : { ...found, by } }
  })
}

function plainly(entry: string): DefaultEntry {
  return { entry, by: '', parameters: [], env: {}, nodeOptions: [], leftOut: [] }
}

/** The tool of a script that serves no Express; undefined where that is not known. */
function toolOf(script: string | undefined): string | undefined {
  const words = shellLine(script ?? '').commands.map((command) =>
    command.words.find(({ text }) => !prefixes.test(text) && !/^[A-Za-z_]\w*=/.test(text)),
  )
  return words.find((word) => word !== undefined && withoutExpress.test(word.text))?.text
}

function entryOfScript(
  cwd: string,
  scripts: ReadonlyMap<string, string>,
  name: string,
  seen: Set<string>,
): Found {
  const script = scripts.get(name) ?? (name === 'start' ? 'node server.js' : undefined)
  if (script === undefined || seen.has(name)) return undefined
  seen.add(name)
  return entryOfLine(cwd, script, (other) => entryOfScript(cwd, scripts, other, seen))
}

function entryOfLine(cwd: string, line: string, entryOf: (script: string) => Found): Found {
  const { commands, isPlain } = shellLine(line)
  const isBefore = (one: ShellCommand, other: ShellCommand): boolean =>
    one.begin < other.begin && one.groups.every((group) => other.groups.includes(group))
  // What stands before builds or migrates; the last that runs a file is the app.
  const found = commands
    .map((command) => {
      const isElsewhere = commands.some((one) => isBefore(one, command) && elsewhere.test(one.words[0]!.text))
      return { command, isElsewhere }
    })
    .reverse()
    .map(({ command, isElsewhere }) => entryOfCommand(cwd, command, isElsewhere, entryOf))
    .reverse()
  const at = found.findLastIndex((one) => one !== undefined)
  const last = found[at]
  if (last === undefined) {
    const isKnown = isPlain && commands.every(({ words }) => runnerOf(words)?.isPlain !== false)
    return isKnown ? undefined : { unclear: true }
  }
  if ('unclear' in last || !isPlain || isOneOfSeveral(commands, found, at)) return { unclear: true }
  const own = commands[at]!
  const variables = new Variables()
  for (const one of commands.filter((one) => isBefore(one, own))) variables.change(one, line)
  variables.add(last)
  const feeds = own.joint === '|' || own.readsInput
  const input = { text: line.trim(), remedy: '--entry FILE of one that needs no input' }
  return {
    ...last,
    by: last.by === '' ? pipeOf(commands, at, line) : last.by,
    parameters: last.parameters,
    env: variables.env,
    leftOut: [...variables.leftOut, ...(feeds ? [input] : [])],
  }
}

/** True where the line runs another file at the same time as the last one, or in its place. */
function isOneOfSeveral(commands: readonly ShellCommand[], found: readonly Found[], last: number): boolean {
  const first = found.findIndex((one) => one !== undefined)
  if (first === last) return false
  const between = commands.slice(first + 1, last + 1)
  return (
    between.some(
      ({ joint }, at) => joint === '&' || (joint === '||' && found[first + 1 + at] !== undefined),
    ) || joinedByPipe(commands, last).some((at) => at !== last && found[at] !== undefined)
  )
}

/** The commands of a pipe. */
function joinedByPipe(commands: readonly ShellCommand[], at: number): number[] {
  let [from, to] = [at, at]
  while (commands[from]!.joint === '|') from--
  while (commands[to + 1]?.joint === '|') to++
  return Array.from({ length: to - from + 1 }, (_one, index) => from + index)
}

function pipeOf(commands: readonly ShellCommand[], at: number, line: string): string {
  const pipe = joinedByPipe(commands, at)
  return line.slice(commands[pipe[0]!]!.begin, commands[pipe.at(-1)!]!.end).trim()
}

/** Variables as a line sets them, from its begin to its app. */
class Variables {
  env: Record<string, string> = {}
  leftOut: LeftOut[] = []

  set(word: ShellWord, isExpandedAgain = false): void {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word.text)!
    this.#forget(name!)
    if (word.isPlain && !(isExpandedAgain && value!.includes('$'))) this.env[name!] = value!
    else this.leftOut.push({ text: word.raw, remedy: `--env ${name}=value` })
  }

  /** What a command before the app changes. */
  change({ words, begin, end }: ShellCommand, line: string): void {
    const [first, ...rest] = words
    if (first!.text === 'export') {
      for (const word of rest) {
        if (isAssignment(word)) this.set(word)
        else if (!word.isPlain) this.#leave(word.raw)
      }
      return
    }
    // On Windows, `set` is what `export` is elsewhere.
    const sets = first!.text.toLowerCase() === 'set' && rest.some(isAssignment)
    if (sets || changesVariables.test(first!.text) || words.every(isAssignment))
      this.#leave(line.slice(begin, end).trim())
  }

  /** What the command of the app sets itself. */
  add({ env, leftOut }: DefaultEntry): void {
    for (const name of Object.keys(env)) this.#forget(name)
    for (const { remedy } of leftOut) this.#forget(/^--env (.*)=value$/.exec(remedy)?.[1] ?? '')
    Object.assign(this.env, env)
    this.leftOut.push(...leftOut)
  }

  #leave(text: string): void {
    this.leftOut.push({ text, remedy: '--env NAME=value' })
  }

  #forget(name: string): void {
    delete this.env[name]
    this.leftOut = this.leftOut.filter(({ remedy }) => remedy !== `--env ${name}=value`)
  }
}

const isAssignment = ({ text }: ShellWord): boolean => /^[A-Za-z_]\w*=/.test(text)

/** The first word that is neither a variable nor a prefix. */
function runnerOf(words: readonly ShellWord[]): ShellWord | undefined {
  return words.find((word) => !isAssignment(word) && !prefixes.test(word.text))
}

function entryOfCommand(
  cwd: string,
  command: ShellCommand,
  isElsewhere: boolean,
  entryOf: (script: string) => Found,
): Found {
  const runner = runnerOf(command.words)
  if (runner?.isPlain !== true) return undefined
  const isScript = /^(?:npm|yarn|pnpm)$/.test(runner.text)
  const isNest = runner.text === 'nest'
  if (!isScript && !isNest && !runners.test(runner.text)) return undefined
  const at = command.words.indexOf(runner)
  const rest = command.words.slice(at + 1)
  const found = isScript
    ? entryOfPackageManager(runner.text, rest, isElsewhere, entryOf)
    : isElsewhere
      ? ({ unclear: true } as const)
      : isNest
        ? entryOfNest(cwd, rest)
        : entryOfRunner(cwd, runner.text, rest, entryOf)
  if (found === undefined || 'unclear' in found) return found
  const variables = new Variables()
  let isExpandedAgain = false
  for (const word of command.words.slice(0, at)) {
    isExpandedAgain ||= word.text.startsWith('cross-env')
    if (isAssignment(word)) variables.set(word, isExpandedAgain)
    else if (word.text === 'dotenv') variables.leftOut.push({ text: word.raw, remedy: '--env NAME=value' })
  }
  variables.add(found)
  return { ...found, env: variables.env, leftOut: variables.leftOut }
}

/** Its entry is one by convention. */
function entryOfNest(cwd: string, rest: readonly ShellWord[]): Found {
  const entry =
    rest[0]?.text === 'start' ? (fileOf(cwd, 'dist/main.js') ?? fileOf(cwd, 'src/main.ts')) : undefined
  return entry === undefined ? undefined : plainly(entry)
}

function entryOfPackageManager(
  manager: string,
  rest: readonly ShellWord[],
  isElsewhere: boolean,
  entryOf: (script: string) => Found,
): Found {
  const at = rest.findIndex(({ text }) => text !== 'run' && text !== 'run-script' && !text.startsWith('-'))
  const script = rest[at]
  if (script === undefined || /^(?:i|ci|install|add|exec|dlx)$/.test(script.text)) return undefined
  const behind = rest.slice(at + 1)
  const end = behind.findIndex(({ text }) => text === '--')
  const own = end < 0 ? behind : behind.slice(0, end)
  const isOther = rest.slice(0, at + 1 + own.length).some(({ text }) => otherPackage.test(text))
  if (isElsewhere || isOther || !script.isPlain) return { unclear: true }
  const found = entryOf(script.text)
  if (found === undefined || 'unclear' in found) return found
  // npm takes options for itself that stand before `--`.
  const given = own.filter(({ text }) => manager !== 'npm' || !text.startsWith('-'))
  return withParameters(found, [...given, ...(end < 0 ? [] : behind.slice(end + 1))])
}

function entryOfRunner(
  cwd: string,
  runner: string,
  words: readonly ShellWord[],
  entryOf: (script: string) => Found,
): Found {
  const rest = [...words]
  const nodeOptions: string[] = []
  const leftOut: LeftOut[] = []
  while (
    rest[0]?.text.startsWith('-') ||
    (runner !== 'node' && /^(?:watch|run)$/.test(rest[0]?.text ?? ''))
  ) {
    const option = rest.shift()!
    const [, name = '', inline] = /^([^=]*)(?:=(.*))?$/s.exec(option.text)!
    // Of nodemon these are endings. Elsewhere they run their value, and a file behind it is an argument.
    if (runner !== 'nodemon' && evaluates.test(name)) return undefined
    const isWatch = /^(?:-w|--watch)$/.test(name) && /^(?:nodemon|ts-node-dev|tsnd)$/.test(runner)
    const takesNext = inline === undefined && (withValue.test(name) || isWatch)
    const next = takesNext ? rest.shift() : undefined
    const value = inline ?? next?.text ?? ''
    const isKnown = option.isPlain && next?.isPlain !== false
    if (/^(?:--exec|-x)$/.test(name) && /\s/.test(value))
      return isKnown ? entryOfLine(cwd, value, entryOf) : { unclear: true }
    // Of ts-node it is a compiler.
    const isOfNode = !runner.startsWith('ts-') && conditions.test(name)
    if (!preloads.test(name) && !files.test(name) && !isOfNode) continue
    if (!isKnown) {
      const text = [option, next].flatMap((one) => one?.raw ?? []).join(' ')
      leftOut.push({ text, remedy: files.test(name) ? '--env NAME=value' : '--env NODE_OPTIONS=value' })
    } else if (files.test(name)) nodeOptions.push(`${name}=${resolve(cwd, value)}`)
    else nodeOptions.push(`${name === '-r' ? '--require' : name === '-C' ? '--conditions' : name}=${value}`)
  }
  const [file, ...parameters] = rest
  if (file?.isPlain === false) return { unclear: true }
  // nodemon without a file runs that of the package.
  const entry = fileOf(cwd, file?.text ?? (runner === 'nodemon' ? '.' : ''))
  return entry === undefined
    ? undefined
    : withParameters({ ...plainly(entry), nodeOptions, leftOut }, parameters)
}

/** With more arguments; with none of them where one is not known, as that would be another place for those behind it. */
function withParameters(found: DefaultEntry, words: readonly ShellWord[]): DefaultEntry {
  if (words.every(({ isPlain }) => isPlain))
    return { ...found, parameters: [...found.parameters, ...words.map(({ text }) => text)] }
  const text = words.map(({ raw }) => raw).join(' ')
  return { ...found, parameters: [], leftOut: [...found.leftOut, { text, remedy: '-- ARGUMENTS' }] }
}

/** The file that Node would run: of a folder, the `main` of its package. */
function fileOf(cwd: string, name: string): string | undefined {
  if (name === '') return undefined
  const path = resolve(cwd, name)
  // A link that leads to itself is no file either.
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  const main = isFolder ? manifestOf(path).main : undefined
  const places = main === undefined ? [path] : [resolve(path, main), path]
  const endings = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js', '/index.ts']
  return places
    .flatMap((place) => endings.map((ending) => place + ending))
    .find((file) => existsSync(file) && statSync(file).isFile())
}

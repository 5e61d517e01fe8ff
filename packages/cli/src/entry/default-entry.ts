// The entry of an app whose package says how it is started.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** What a package is started by. */
export interface DefaultEntry {
  /** The absolute path of the file. */
  readonly entry: string
  /** What names it: `npm start runs "node server.js"`. */
  readonly by: string
  readonly parameters: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

// What runs a file that is named behind it.
const runners = /^(?:node|tsx|ts-node(?:-dev|-esm)?|tsnd|nodemon|babel-node|bun|pm2-runtime)$/
// Options of those whose value stands behind them, as a word of its own.
const withValue =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-P|--project|--exec|-x|--watch|-w|-e|--ext|--env-file)$/
const preloads = /^(?:-r|--require|--import|--loader|--experimental-loader)$/

// In this order: `start` may run what a build has yet to make, and those for development run the source.
const scriptNames = ['start', 'start:dev', 'start:local', 'start:prod', 'dev', 'develop', 'serve', 'server']

// What builds or serves the pages of a browser, with a server of its own.
const withoutExpress =
  /^(?:vite|next|nuxt|nuxi|astro|ng|vue-cli-service|react-scripts|craco|webpack(?:-dev-server)?|parcel|gatsby|expo|remix|eleventy|http-server|serve|storybook|electron(?:-forge)?)$/

interface Manifest {
  readonly main?: unknown
  readonly scripts?: Readonly<Record<string, string>>
}

/**
 * The file that `npm start` runs in a folder, with what its command gives it: arguments, variables, and what Node loads before it. Where
 * that runs none that is there, it is what `start:dev` and the like run, or the `main` of package.json. Without scripts it is `server.js`,
 * as for npm. Undefined where there is none of them.
 */
export function defaultEntry(cwd: string): DefaultEntry | undefined {
  const { scripts = {}, main } = manifestOf(cwd)
  const [first] = entriesOfScripts(cwd)
  if (first !== undefined) return first
  // Of a package that is a page, `main` is no server.
  const entry =
    typeof main === 'string' && toolOf(scripts['start']) === undefined ? fileOf(cwd, main) : undefined
  if (entry === undefined) return undefined
  return { entry, by: `package.json has "main": ${JSON.stringify(main)}`, parameters: [], env: {} }
}

/** The files that scripts run which start an app, `npm start` first. */
export function entriesOfScripts(cwd: string): DefaultEntry[] {
  const { scripts = {} } = manifestOf(cwd)
  return scriptNames.flatMap((name) => {
    const found = entryOfScript(cwd, scripts, name, new Set())
    const shown = name === 'start' ? 'npm start' : `npm run ${name}`
    return found === undefined ? [] : { ...found, by: `${shown} runs ${JSON.stringify(found.by)}` }
  })
}

/** Why there is no such file, as a part of a sentence. */
export function noDefaultEntry(cwd: string): string {
  const { start } = manifestOf(cwd).scripts ?? {}
  const tool = toolOf(start)
  return tool === undefined
    ? 'npm start runs no file that is there'
    : `npm start runs ${JSON.stringify(start)}, and ${tool} serves no Express`
}

/** The package.json of a folder; empty where there is none. */
export function manifestOf(cwd: string): Manifest {
  const file = join(cwd, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as Manifest) : {}
}

/** The tool of a script that serves no Express; undefined where that is not known. */
function toolOf(script: string | undefined): string | undefined {
  const commands = (script ?? '')
    .split(/&&|\|\||;/)
    .map((command) =>
      wordsOf(command).find(
        (word) => !/^(?:[A-Za-z_]\w*=.*|cross-env(?:-shell)?|npx|exec|dotenv|env|--)$/.test(word),
      ),
    )
  return commands.find((word) => word !== undefined && withoutExpress.test(word))
}

function entryOfScript(
  cwd: string,
  scripts: Readonly<Record<string, string>>,
  name: string,
  seen: Set<string>,
): DefaultEntry | undefined {
  const script = scripts[name] ?? (name === 'start' ? 'node server.js' : undefined)
  if (script === undefined || seen.has(name)) return undefined
  seen.add(name)
  // What stands before builds or migrates; the last that runs a file is the app.
  for (const command of script.split(/&&|\|\||;/).reverse()) {
    const found = entryOfCommand(cwd, command.trim(), (other) => entryOfScript(cwd, scripts, other, seen))
    if (found !== undefined) return found
  }
  return undefined
}

function entryOfCommand(
  cwd: string,
  command: string,
  entryOf: (script: string) => DefaultEntry | undefined,
): DefaultEntry | undefined {
  const words = wordsOf(command)
  const env: Record<string, string> = {}
  for (;;) {
    const [word = ''] = words
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
    if (name !== undefined) env[name] = value!
    else if (!/^(?:cross-env(?:-shell)?|npx|exec|dotenv|env|--)$/.test(word)) break
    words.shift()
  }
  const [runner = '', ...rest] = words
  // Its entry is one by convention.
  if (runner === 'nest' && rest[0] === 'start') {
    const entry = fileOf(cwd, 'dist/main.js') ?? fileOf(cwd, 'src/main.ts')
    return entry === undefined ? undefined : { entry, by: command, parameters: [], env }
  }
  if (/^(?:npm|yarn|pnpm)$/.test(runner)) {
    const script = rest.find((word) => word !== 'run' && !word.startsWith('-'))
    const found = script === undefined ? undefined : entryOf(script)
    return found && { ...found, env: { ...env, ...found.env } }
  }
  if (!runners.test(runner)) return undefined
  const before: string[] = []
  while (rest[0]?.startsWith('-') || (runner !== 'node' && /^(?:watch|run)$/.test(rest[0] ?? ''))) {
    const option = rest.shift()!
    if (withValue.test(option)) {
      const value = rest.shift() ?? ''
      if (preloads.test(option)) before.push(`${option === '-r' ? '--require' : option}=${value}`)
    } else if (preloads.test(option.split('=', 1)[0]!)) before.push(option)
  }
  // nodemon without a file runs that of the package.
  const entry = fileOf(cwd, rest[0] ?? (runner === 'nodemon' ? '.' : ''))
  if (entry === undefined) return undefined
  // Node has the runner of a TypeScript file from elsewhere; what is loaded before the app is the app's own.
  if (before.length > 0) env['NODE_OPTIONS'] = [env['NODE_OPTIONS'], ...before].filter(Boolean).join(' ')
  return { entry, by: command, parameters: rest.slice(1), env }
}

/** The words of a command, without the quotes around them. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/["']/g, ''))
}

/** The file that Node would run: of a folder, the `main` of its package. */
function fileOf(cwd: string, name: string): string | undefined {
  if (name === '') return undefined
  const path = resolve(cwd, name)
  // A link that leads to itself is no file either.
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  const main = isFolder ? manifestOf(path).main : undefined
  const places = typeof main === 'string' ? [resolve(path, main), path] : [path]
  const endings = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js', '/index.ts']
  return places
    .flatMap((place) => endings.map((ending) => place + ending))
    .find((file) => existsSync(file) && statSync(file).isFile())
}

// The entry of an app whose package says how it is started.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** What `npm start` runs. */
export interface DefaultEntry {
  /** The absolute path of the file. */
  readonly entry: string
  /** The command that names it, as package.json has it. */
  readonly command: string
  readonly parameters: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

// What runs a file that is named behind it.
const runners = /^(?:node|tsx|ts-node(?:-dev|-esm)?|tsnd|nodemon|babel-node|bun|pm2-runtime)$/
// Options of those whose value stands behind them, as a word of its own.
const withValue =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-P|--project|--exec|-x|--watch|-w|-e|--ext|--env-file)$/
const preloads = /^(?:-r|--require|--import|--loader|--experimental-loader)$/

/**
 * The file that `npm start` runs in a folder, with what its command gives it: arguments, variables, and what Node loads before it.
 * Undefined where the script runs none that is there. Without a script it is `server.js`, as for npm.
 */
export function defaultEntry(cwd: string): DefaultEntry | undefined {
  const file = join(cwd, 'package.json')
  const { scripts = {} } = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as {
    scripts?: Record<string, string>
  }
  return entryOfScript(cwd, scripts, 'start', new Set()) ?? undefined
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
  const entry = rest[0] && fileOf(cwd, rest[0])
  if (!entry) return undefined
  // Node has the runner of a TypeScript file from elsewhere; what is loaded before the app is the app's own.
  if (before.length > 0) env['NODE_OPTIONS'] = [env['NODE_OPTIONS'], ...before].filter(Boolean).join(' ')
  return { entry, command, parameters: rest.slice(1), env }
}

/** The words of a command, without the quotes around them. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/["']/g, ''))
}

/** The file that Node would run. */
function fileOf(cwd: string, name: string): string | undefined {
  const path = resolve(cwd, name)
  const endings = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js']
  return endings
    .map((ending) => path + ending)
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
}

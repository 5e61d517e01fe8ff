// Which files in JavaScript the project's own TypeScript compiler checks.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** How the compiler checks a file in JavaScript. */
export interface CheckedScript {
  /** True where `undefined` is a type of its own. */
  readonly isStrict: boolean
}

interface Config {
  readonly compilerOptions?: {
    readonly allowJs?: boolean
    readonly checkJs?: boolean
    readonly strict?: boolean
    readonly strictNullChecks?: boolean
  }
  readonly files?: readonly string[]
}

/** The nearest tsconfig.json above a file. */
export function projectOf(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const config = join(folder, 'tsconfig.json')
    if (existsSync(config)) return config
    if (folder === dirname(folder)) return undefined
  }
}

export function compilerOf(project: string): string | undefined {
  try {
    return createRequire(project).resolve('typescript/bin/tsc')
  } catch {
    return undefined
  }
}

/** How the nearest tsconfig.json has a file in JavaScript checked; undefined where it does not, and for other files. */
export function checkedScript(file: string, text: string): CheckedScript | undefined {
  if (!/\.[cm]?jsx?$/.test(file)) return undefined
  const project = projectOf(file)
  const config = project && configOf(project)
  if (!config || !project) return undefined
  const { files = [], compilerOptions: own = {} } = config
  if (!(own.checkJs ?? false) && !(own.allowJs ?? false)) return undefined
  if (!(pragmaOf(text) ?? own.checkJs ?? false)) return undefined
  if (!files.some((one) => resolve(dirname(project), one) === file)) return undefined
  return { isStrict: own.strictNullChecks ?? own.strict ?? false }
}

/** What `// @ts-check` and `// @ts-nocheck` above the code say. */
function pragmaOf(text: string): boolean | undefined {
  const [above] = /^(?:\s|#!.*|\/\/.*|\/\*[^]*?\*\/)*/.exec(text)!
  const [, no] = /^\s*\/\/+\s*@ts-(no)?check\b/m.exec(above) ?? []
  if (no !== undefined) return false
  return /^\s*\/\/+\s*@ts-check\b/m.test(above) ? true : undefined
}

const known = new Map<string, { readonly text: string; readonly config: Config | undefined }>()

/** With what it extends, and the files that it includes; undefined where the compiler does not say. */
function configOf(project: string): Config | undefined {
  const text = readFileSync(project, 'utf8')
  const last = known.get(project)
  if (last?.text === text) return last.config
  const config = askedOf(project)
  known.set(project, { text, config })
  return config
}

function askedOf(project: string): Config | undefined {
  const tsc = compilerOf(project)
  if (tsc === undefined) return undefined
  try {
    const said = execFileSync(process.execPath, [tsc, '-p', project, '--showConfig'], {
      cwd: dirname(project),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return JSON.parse(said) as Config
  } catch {
    return undefined
  }
}

// The project's own TypeScript compiler, and what it is told.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A tsconfig.json, with what it extends. */
interface Config {
  readonly compilerOptions?: {
    readonly allowJs?: boolean
    readonly checkJs?: boolean
    readonly skipLibCheck?: boolean
    readonly strict?: boolean
    readonly strictNullChecks?: boolean
  }
  /** Those that it includes. */
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

const known = new Map<string, { readonly text: string; readonly config: Config | undefined }>()

/** Undefined where the compiler does not say. */
export function configOf(project: string): Config | undefined {
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
      maxBuffer: Infinity,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return JSON.parse(said) as Config
  } catch {
    return undefined
  }
}

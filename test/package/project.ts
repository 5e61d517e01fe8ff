import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const root = join(__dirname, '../..')

/** A fresh project, as a user has one, into which the packed package has been installed. */
export interface Project {
  directory: string
  /** Runs a file of the project, or code; returns what it prints, throws with what it says when it fails. */
  node: (...args: string[]) => string
}

/** The packed packages: the router, the command and the switch. */
export type Packed = 'core' | 'cli' | 'switch'

/** The project has the files of ./projects. `borrow` are dev dependencies of ours that it has too. */
export function createProject(borrow: string[] = [], packed: readonly Packed[] = ['core']): Project {
  const directory = mkdtempSync(join(process.env.PACKED_IN!, 'project-'))
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  installInto(directory, '.', { packed })
  for (const name of borrow) {
    const link = join(directory, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  return { directory, node: (...args) => execute(process.execPath, args, { cwd: directory }) }
}

/** The tarball of a package. */
export function tarballOf(packed: Packed): string {
  const folder = process.env.PACKED_IN!
  const start = packed === 'core' ? /^routecontrollers-\d/ : new RegExp(`^routecontrollers-${packed}-`)
  return join(
    folder,
    readdirSync(folder).find((name) => start.test(name))!,
  )
}

/** Makes `directory` a project with the files of `source` in ./projects, and installs packed packages there. */
export function installInto(
  directory: string,
  source: string,
  { packed = ['core'], ...options }: { packed?: readonly Packed[]; timeoutMs?: number } = {},
): void {
  cpSync(join(root, 'test/package/projects', source), directory, { recursive: true })
  execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packed.map(tarballOf)], {
    cwd: directory,
    ...options,
  })
}

/** Runs a command; returns what it prints, throws with what it says when it fails. */
export function execute(
  command: string,
  args: string[],
  { cwd, env: more, timeoutMs = 100_000 }: { cwd: string; env?: Record<string, string>; timeoutMs?: number },
): string {
  // Jest's own environment must not leak into the project: it would be no fresh one.
  const { NODE_ENV: _env, JEST_WORKER_ID: _worker, ...env } = process.env
  try {
    return execFileSync(command, args, {
      cwd,
      env: { ...env, ...more },
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: timeoutMs,
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error([`${command} ${args.join(' ')} failed`, stdout, stderr].join('\n'), { cause: error })
  }
}

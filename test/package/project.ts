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

/** The project has the files of ./projects. `borrow` are dev dependencies of ours that it has too. */
export function createProject(borrow: string[] = []): Project {
  const packed = process.env.PACKED_IN!
  const directory = mkdtempSync(join(packed, 'project-'))
  const tarball = join(
    packed,
    readdirSync(packed).find((name) => name.endsWith('.tgz'))!,
  )
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  cpSync(join(root, 'test/package/projects'), directory, { recursive: true })

  execute('npm', ['install', '--prefer-offline', tarball], directory)
  for (const name of borrow) {
    const link = join(directory, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  return { directory, node: (...args) => execute(process.execPath, args, directory) }
}

function execute(command: string, args: string[], cwd: string): string {
  // Jest's own environment must not leak into the project: it would be no fresh one.
  const { NODE_ENV: _env, JEST_WORKER_ID: _worker, ...env } = process.env
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe', timeout: 100_000 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error([`${command} ${args.join(' ')} failed`, stdout, stderr].join('\n'), { cause: error })
  }
}

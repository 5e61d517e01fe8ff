import { createRequire } from 'node:module'
import { join } from 'node:path'
import { execute } from '../project.js'

/** The project into which all environments have been installed, beside the packed package. */
export const directory: string = join(process.env.PACKED_IN!, 'environments')

/** Runs a program of that project; returns what it prints, throws with what it says when it fails. */
export function run(command: string, args: string[], cwd = '.', env: Record<string, string> = {}): string {
  return execute(join(directory, 'node_modules', command), args, { cwd: join(directory, cwd), env })
}

/** The same with a script that Node runs: the one that `folder` of the project finds. */
export function runScript(
  folder: string,
  script: string,
  args: string[],
  env: Record<string, string> = {},
): string {
  const cwd = join(directory, folder)
  const [name, ...path] = script.split('/') as [string, ...string[]]
  // Not the script itself, which the exports of a package may not name.
  const manifest = createRequire(join(cwd, 'package.json')).resolve(`${name}/package.json`)
  return execute(process.execPath, [join(manifest, '..', ...path), ...args], { cwd, env })
}

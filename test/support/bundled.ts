// Programs that tests start in processes of their own. Several files of tests start the same one: the first of a run bundles it.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync, type BuildOptions } from 'esbuild'

const modules = join(__dirname, '../../node_modules')

/**
 * Bundles a program into one file for Node, once in a run of tests; gives the path of that file. `jest.config.js` names the folder, and
 * `scripts/jest-remove-programs.js` removes it.
 */
export function bundled(name: string, options: BuildOptions): string {
  const given: BuildOptions = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'error', ...options }
  const key = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16)
  const folder = join(process.env.SHARED_PROGRAMS!, key)
  const file = join(folder, name)
  if (existsSync(file)) return file
  // Another process may be at it too: each makes a folder of its own, and the first one stays.
  const own = `${folder}-${process.pid}`
  mkdirSync(own, { recursive: true })
  // For the packages that the program does not hold.
  symlinkSync(modules, join(own, 'node_modules'), 'junction')
  buildSync({ ...given, outfile: join(own, name) })
  try {
    renameSync(own, folder)
  } catch {
    return join(own, name)
  }
  return file
}

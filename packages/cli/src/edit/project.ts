// What is asked of the project around the files: its repository, its manifest.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isIn } from '../documents/place.js'
import { isInPackage, isTracked } from '../code/of-package.js'
import { UsageError } from '../entry/options.js'

/** The package that is imported by what is written. */
const imported = 'routecontrollers'

/** What is read of a package.json. */
interface Manifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** What to install before the app is started without development dependencies; undefined where nothing is missing. */
export function missingDependency(cwd: string): string | undefined {
  const file = join(cwd, 'package.json')
  const manifest = readManifest(file)
  if (manifest === undefined) return undefined
  const { name, dependencies, peerDependencies } = manifest
  if (name === imported || Object.hasOwn({ ...dependencies, ...peerDependencies }, imported)) return undefined
  return existsSync(file)
    ? `${imported} is not in the dependencies of package.json, and the new code imports it: npm install ${imported}`
    : undefined
}

/** Undefined for one that is no object of JSON. */
function readManifest(file: string): Partial<Manifest> | undefined {
  try {
    return existsSync(file) ? ({ ...JSON.parse(readFileSync(file, 'utf8')) } as Partial<Manifest>) : {}
  } catch {
    return undefined
  }
}

/** The folder that may be written to: the repository, so that git shows what has changed. */
export function projectOf(cwd: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--show-toplevel'], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch {
    return cwd
  }
}

/** False for a file that only a symbolic link in the folder leads to. */
export function isBelow(folder: string, file: string): boolean {
  return isIn(realpathSync(folder), realpathSync(file))
}

/** Throws UsageError where what is written could not be told from what was changed before. */
export function requireCleanTree(cwd: string): void {
  let status: string
  try {
    // Node cuts an output at one megabyte, and throws: that would be told as no repository.
    const options = { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: Infinity } as const
    status = execFileSync('git', ['status', '--porcelain'], options)
  } catch {
    throw new UsageError(
      `--write needs git, to show what it has changed, and ${cwd} is in no repository; --force writes all the same`,
    )
  }
  if (status.trim() === '') return
  const [first] = status.trim().split('\n')
  throw new UsageError(
    `--write needs a tree without changes, and git tells of some (${first!.trim()}): commit them, or --force`,
  )
}

/** True for a file that a command may edit: one of the project, and of the chosen files, where some were chosen. */
export function canEdit(file: string, cwd: string, chosen: readonly string[]): boolean {
  if (chosen.length > 0 && !chosen.includes(file)) return false
  // A repository may keep packages of others there.
  if (isInPackage(file) && !(chosen.includes(file) && isTracked(file))) return false
  return isBelow(projectOf(cwd), file)
}

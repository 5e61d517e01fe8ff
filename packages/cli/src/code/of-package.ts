// Which files are those of packages.
import { execFileSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'

export function isInPackage(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file)
}

/** True for a file that the repository has: some keep packages of their own in a folder `node_modules`. */
export function isTracked(file: string): boolean {
  try {
    execFileSync('git', ['ls-files', '--error-unmatch', file], { cwd: dirname(file), stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** True for what a package registers, by its place: `node_modules/teas/index.js:3`. */
export function isOfPackage(at: string | undefined, cwd: string): boolean {
  const [, name] = /^(.*):\d+$/.exec(at ?? '') ?? []
  if (name === undefined) return false
  const file = resolve(cwd, name)
  return isInPackage(file) && !isTracked(file)
}

// Copies of a project's files for one side of a comparison. What that side writes stays in its copy.
import { copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { realpathSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isIn } from '../documents/place.js'
import { UsageError } from '../entry/options.js'

/** A folder, and the one that stands for it. */
export interface Tree {
  readonly from: string
  readonly to: string
}

const notCode = ['node_modules', '.git']

/** Copies code: a file or a folder, without packages. Links within the tree lead to the copy, and others where they led. */
export function copyCode(from: string, to: string, tree: Tree): void {
  copy(from, to, tree, (path) => path === from || !notCode.includes(basename(path)))
}

/** Copies a folder of packages as it is, but for what tools keep there for the next time. */
function copyPackages(from: string, to: string, tree: Tree): void {
  copy(from, to, tree, (path) => path !== join(from, '.cache'))
}

function copy(from: string, to: string, tree: Tree, isWanted: (path: string) => boolean): void {
  const filter = (path: string, copied: string): boolean => {
    if (!isWanted(path)) return false
    if (path === from || !lstatSync(path).isSymbolicLink()) return true
    // Node's own copy of a relative link would lead into the folder that was copied.
    makeLink(path, copied, tree)
    return false
  }
  mkdirSync(dirname(to), { recursive: true })
  // Node 26 refuses a link to a folder in the place of another link.
  if (isLink(from) && isLink(to)) rmSync(to)
  cpSync(from, to, { recursive: true, preserveTimestamps: true, dereference: false, filter })
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function makeLink(link: string, copied: string, tree: Tree): void {
  const target = resolve(dirname(link), readlinkSync(link))
  const own = isIn(tree.from, target)
    ? relative(dirname(copied), join(tree.to, relative(tree.from, target)))
    : target
  if (lstatSync(copied, { throwIfNoEntry: false }) !== undefined) rmSync(copied, { recursive: true })
  symlinkSync(own, copied, statSync(link, { throwIfNoEntry: false })?.isDirectory() ? 'junction' : 'file')
}

/**
 * Copies data: a file or a folder, with all that its links lead to. Throws UsageError for a link that leads back to a folder around it.
 */
export function copyData(from: string, to: string): void {
  const real = realpathSync(from)
  copyReal(real, to, { from: real, to }, [real])
}

/** `trees` are the folders that are being copied. */
function copyReal(from: string, to: string, tree: Tree, trees: readonly string[]): void {
  if (!statSync(from).isDirectory()) {
    copyFileSync(from, to)
    const { atime, mtime } = statSync(from)
    return utimesSync(to, atime, mtime)
  }
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const [own, copied] = [join(from, name), join(to, name)]
    const stat = lstatSync(own)
    if (!stat.isSymbolicLink()) {
      // What a server listens at is no data.
      if (stat.isDirectory() || stat.isFile()) copyReal(own, copied, tree, trees)
      continue
    }
    const target = existsSync(own) ? realpathSync(own) : undefined
    if (target === undefined) continue
    if (isIn(tree.from, target)) {
      makeLink(own, copied, tree)
      continue
    }
    if (trees.some((one) => isIn(target, one) || isIn(one, target)))
      throw new UsageError(`--data: ${own} leads to ${target}, which it stands in itself`)
    copyReal(target, copied, { from: target, to: copied }, [...trees, target])
  }
}

/** Throws UsageError where a path of a copy leads out of it, so that the project itself would be written. */
export function requireOwn(folder: string, path: string, option: string): void {
  let above = dirname(path)
  while (!existsSync(above)) above = dirname(above)
  if (isIn(realpathSync(folder), realpathSync(above))) return
  const shown = relative(folder, path)
  throw new UsageError(
    `${option}: ${shown} stands behind a link that leads out of the project: name what the link leads to, by --data-env NAME for data`,
  )
}

/** Gives a copy of a project the packages that the project finds, in itself and above, by links. */
export function linkPackages({ from, to }: Tree, top: string): void {
  for (const { packages, own } of packagesOf({ from, to }, top))
    if (!existsSync(own)) symlinkSync(realpathSync(packages), own, 'junction')
}

/**
 * Gives a revision the packages of the project. Those of the repository itself are the revision's own. `areWritten` says that a command runs
 * there, which may write in them: then it gets copies.
 */
export function givePackages(
  folders: Tree,
  repository: Tree,
  { top, areWritten }: { readonly top: string; readonly areWritten: boolean },
): void {
  for (const { packages, own } of packagesOf(folders, top)) {
    if (existsSync(own)) continue
    const found = realpathSync(packages)
    if (areWritten) copyPackages(found, own, repository)
    else if (hasOwnPackages(found, repository)) linkEach(found, own, repository)
    else symlinkSync(found, own, 'junction')
  }
  for (const path of ownPackages(folders, repository)) {
    const at = { from: join(repository.from, path), to: join(repository.to, path) }
    const [packages, own] = [join(at.from, 'node_modules'), join(at.to, 'node_modules')]
    if (!existsSync(packages) || !existsSync(at.to) || existsSync(own)) continue
    if (areWritten) copyPackages(packages, own, repository)
    else linkEach(packages, own, repository)
  }
}

/** The folders of packages that a project finds, each with its place in the copy. */
function* packagesOf(
  { from: folder, to: copied }: Tree,
  top: string,
): Generator<{ readonly packages: string; readonly own: string }> {
  for (let from = folder, to = copied; ; from = dirname(from), to = dirname(to)) {
    let packages = join(from, 'node_modules')
    for (let above = from; to === top && !existsSync(packages) && above !== dirname(above);) {
      above = dirname(above)
      packages = join(above, 'node_modules')
    }
    if (existsSync(packages)) yield { packages, own: join(to, 'node_modules') }
    if (to === top) return
  }
}

/** Links to packages, one by one, those in a folder of their scope too. */
function linkEach(packages: string, own: string, repository: Tree): void {
  mkdirSync(own, { recursive: true })
  for (const path of entriesOf(packages)) {
    const [from, to] = [join(packages, path), join(own, path)]
    if (!existsSync(from)) continue
    const real = realpathSync(from)
    const target = isOwnPackage(real, repository)
      ? join(repository.to, relative(repository.from, real))
      : real
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(target, to, statSync(real).isDirectory() ? 'junction' : 'file')
  }
}

function hasOwnPackages(packages: string, repository: Tree): boolean {
  return ownIn(packages, repository).length > 0
}

/** The packages of the repository that a project finds as packages, and those that these find, by their paths in it. */
function ownPackages({ from }: Tree, repository: Tree): ReadonlySet<string> {
  const found = new Set<string>()
  const folders: string[] = []
  for (let folder = from; isIn(repository.from, folder); folder = dirname(folder)) {
    folders.push(folder)
    if (folder === repository.from) break
  }
  for (const folder of folders) {
    const packages = join(folder, 'node_modules')
    for (const path of existsSync(packages) ? ownIn(packages, repository) : []) {
      if (!found.has(path)) folders.push(join(repository.from, path))
      found.add(path)
    }
  }
  return found
}

function ownIn(packages: string, repository: Tree): readonly string[] {
  return entriesOf(packages).flatMap((path) => {
    const entry = join(packages, path)
    if (!lstatSync(entry).isSymbolicLink() || !existsSync(entry)) return []
    const real = realpathSync(entry)
    return isOwnPackage(real, repository) ? [relative(repository.from, real)] : []
  })
}

function entriesOf(packages: string): readonly string[] {
  return readdirSync(packages).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(packages, name)).map((one) => join(name, one)) : [name],
  )
}

/** True for a workspace: a folder of the repository that is no installed package. */
function isOwnPackage(real: string, { from }: Tree): boolean {
  return isIn(from, real) && real !== from && !relative(from, real).split(sep).includes('node_modules')
}

// A copy of a checkout to work in: the files of its last commit, its installed packages by links, and the packages of this repository.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface WorkingCopy {
  readonly folder: string
  readonly git: (...parameters: readonly string[]) => string
  readonly commit: (message: string) => void
  readonly remove: () => void
}

/** Copies a checkout whose dependencies are installed. */
export function copyOf(checkout: string, packed: readonly string[], needs: readonly string[]): WorkingCopy {
  const from = resolve(checkout)
  const folder = mkdtempSync(join(tmpdir(), 'apps-'))
  const git = (...parameters: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=apps', '-c', 'user.email=apps@localhost', ...parameters], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    })
  const archive = spawnSync('git', ['archive', 'HEAD'], { cwd: from, maxBuffer: 2 ** 30 })
  if (archive.status !== 0) throw new Error(`${from} is no checkout of git: ${String(archive.stderr)}`)
  execFileSync('tar', ['-x', '-C', folder], { input: archive.stdout })
  const manifests = execFileSync('git', ['ls-files', 'package.json', '**/package.json'], {
    cwd: from,
    encoding: 'utf8',
  })
  for (const manifest of manifests.trim().split('\n')) {
    const modules = join(dirname(manifest), 'node_modules')
    if (!existsSync(join(from, modules))) continue
    linkAll(modules, from, folder)
    for (const name of needs) link(join(root, 'node_modules', name), join(folder, modules, name))
    for (const tarball of packed) install(tarball, join(folder, modules))
  }
  git('init', '-q')
  const commit = (message: string): void => {
    git('add', '-A')
    git('commit', '-q', '--no-verify', '--allow-empty', '-m', message)
  }
  commit('as it is')
  return { folder, git, commit, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Links what is installed. A package of the checkout itself, as a workspace has, is the one of the copy. */
function linkAll(modules: string, checkout: string, folder: string): void {
  mkdirSync(join(folder, modules), { recursive: true })
  for (const name of readdirSync(join(checkout, modules))) {
    // What tools keep there would be written through a link.
    if (name.startsWith('.') && !/^\.(?:bin|pnpm)$/.test(name)) continue
    const path = join(modules, name)
    if (name.startsWith('@')) {
      linkAll(path, checkout, folder)
      continue
    }
    const own = relative(realpathSync(checkout), realpathSync(join(checkout, path)))
    const isInstalled = own.split(sep).some((part) => part === '..' || part === 'node_modules')
    const target = isInstalled || !existsSync(join(folder, own)) ? join(checkout, path) : join(folder, own)
    link(target, join(folder, path))
  }
}

function link(target: string, path: string): void {
  if (!existsSync(path)) symlinkSync(target, path)
}

/** A packed package, with the dependencies that this repository has, and not those of the app. */
function install(tarball: string, modules: string): void {
  const name = /(routecontrollers(?:-\w+)?)-\d/.exec(tarball)![1]!.replace(/^(routecontrollers)-/, '@$1/')
  const folder = join(modules, name)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1'])
  const own = join(root, name === 'routecontrollers' ? '.' : `packages/${name.split('/')[1]}`, 'package.json')
  const { dependencies = {} } = JSON.parse(readFileSync(own, 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const one of Object.keys(dependencies)) {
    if (one === 'routecontrollers') continue
    mkdirSync(dirname(join(folder, 'node_modules', one)), { recursive: true })
    link(join(root, 'node_modules', one), join(folder, 'node_modules', one))
  }
}

/** The packages of this repository as they are published. */
export function pack(): { readonly tarballs: readonly string[]; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  execFileSync(process.execPath, ['scripts/build.js', 'core', 'cli', 'switch'], {
    cwd: root,
    stdio: 'ignore',
  })
  const parameters = [
    'pack',
    '--ignore-scripts',
    '--pack-destination',
    folder,
    '.',
    './packages/cli',
    './packages/switch',
  ]
  execFileSync('npm', parameters, { cwd: root, stdio: 'ignore' })
  const tarballs = readdirSync(folder).map((name) => join(folder, name))
  return { tarballs, remove: () => rmSync(folder, { recursive: true }) }
}

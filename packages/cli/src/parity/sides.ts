// Where the two sides of `parity` run: the project itself, copies of it, or a revision of it in a worktree.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { isIn } from '../documents/place.js'
import { buildOf, isBuilt, sourceOf } from '../entry/built-entry.js'
import { EntryFailure } from '../entry/interruptible.js'
import { type CommandOptions, suggestion, UsageError } from '../entry/options.js'
import { runCommandLine } from '../entry/run-command.js'
import type { SideFolder } from '../entry/serve-side.js'
import { type CommandContext, tell } from '../terminal/context.js'
import { shellWord } from '../terminal/shell-word.js'
import { copyCode, copyData, givePackages, linkPackages, requireOwn, type Tree } from './copies.js'

export interface SideFolders {
  readonly legacy: SideFolder
  /** Where legacy is started a second time. */
  readonly again: SideFolder
  readonly now: SideFolder
  readonly notes: readonly string[]
}

/** How packages are installed, as a lockfile says it. */
const installs: Readonly<Record<string, string>> = {
  'package-lock.json': 'npm ci',
  'npm-shrinkwrap.json': 'npm ci',
  'pnpm-lock.yaml': 'pnpm install --frozen-lockfile',
  'yarn.lock': 'yarn install --frozen-lockfile',
  'bun.lock': 'bun install --frozen-lockfile',
}

const nameOfNow = 'the code as it is'

/** How a command is heard to its end. The names of all files may be longer than the mebibyte that Node takes by itself. */
const heard = { encoding: 'utf8', stdio: 'pipe', maxBuffer: Infinity } as const

/** Makes what the two sides need; `undo` gets what takes it away. Throws UsageError, or EntryFailure where a build has failed. */
export async function prepareSides(
  options: CommandOptions,
  context: CommandContext,
  undo: (action: () => void) => void,
): Promise<SideFolders> {
  const { base, data, dataEnv, carry, run } = options.parity
  const cwd = realpathSync(options.cwd)
  const entry = relative(cwd, realpathSync(options.entry))
  const temp = mkdtempSync(join(realpathSync(tmpdir()), 'routecontrollers-parity-'))
  undo(() => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }))
  const notes: string[] = []
  const copied = data !== undefined && dataEnv === undefined

  const side = (name: string, folder: string): SideFolder => {
    const env = { ...options.env, ...(name === nameOfNow ? {} : options.parity.legacyEnv) }
    if (data !== undefined && dataEnv !== undefined) {
      env[dataEnv] = join(mkdtempSync(join(temp, 'data-')), basename(data))
      copyData(data, env[dataEnv])
    } else if (data !== undefined) {
      const own = join(folder, placeOfData(options.cwd, cwd, data))
      requireOwn(folder, own, '--data')
      rmSync(own, { recursive: true, force: true })
      copyData(data, own)
    }
    return { name, cwd: folder, entry: join(folder, entry), env }
  }
  const copyOf = (name: string): string => {
    const folder = join(temp, name)
    const tree = { from: cwd, to: folder }
    copyCode(cwd, folder, tree)
    linkPackages(tree, temp)
    return folder
  }
  const now = side(nameOfNow, copied ? copyOf('now') : cwd)
  if (base === undefined) {
    const legacyIn = (copyName: string): SideFolder =>
      side('the same code without its Controllers', copied ? copyOf(copyName) : cwd)
    return { legacy: legacyIn('legacy'), again: legacyIn('legacy-again'), now, notes }
  }
  const { folder, name, repository } = checkOut(options, base, cwd, temp, undo)
  for (const file of carry) {
    requireOwn(folder, join(folder, file), '--carry')
    copyCode(join(cwd, file), join(folder, file), repository)
  }
  const legacy = side(name, folder)
  if (run.length > 0) tell(context, `Copies the packages for ${name}, because --run may write in them.`)
  givePackages({ from: cwd, to: folder }, repository, { top: temp, areWritten: run.length > 0 })
  for (const one of run) {
    const failure = await runCommandLine(one, folder, context, true)
    if (failure !== undefined) throw new EntryFailure(`--run: ${one} has failed in ${name}: ${failure}`)
  }
  if (!existsSync(join(folder, entry)))
    throw new UsageError(`--base: there is no ${entry} in ${name}${remedyFor(options, folder)}`)
  notes.push(...codeOfToday(options))
  const ignored = ignoredFiles(cwd, folder)
  const some =
    ignored.length > 5
      ? `${ignored.slice(0, 5).join(', ')} and ${ignored.length - 5} more`
      : ignored.join(', ')
  if (ignored.length > 0)
    notes.push(`${name} has nothing that git ignores: ${some}. --carry FILE gives it what the app needs.`)
  // Data within the project are a copy of its own, so the project has to be one too.
  const other = join(temp, 'legacy-again')
  if (copied) {
    const tree = { from: folder, to: other }
    copyCode(folder, other, tree)
    linkPackages(tree, temp)
  }
  const again = side(name, copied ? other : folder)
  return { legacy, again, now, notes }
}

/** Where data stand in a copy: what leads to them from out of the project is its own there. */
function placeOfData(given: string, cwd: string, data: string): string {
  const real = realpathSync(data)
  return isIn(cwd, real) ? relative(cwd, real) : relative(given, data)
}

/** What helps where a revision has no such entry. */
function remedyFor({ cwd, entry, parity }: CommandOptions, folder: string): string {
  if (parity.run.length > 0) return ', and --run has not made it'
  if (!isBuilt(cwd, entry)) return ': name a revision that has it, or by --entry a file that both have'
  const found = sourceOf(cwd, entry)
  const source = found === undefined ? undefined : relative(cwd, found)
  const bySource =
    source !== undefined && existsSync(join(folder, source))
      ? `, or --entry ${shellWord(source)} runs its source`
      : ''
  return `, because a build makes it: --run ${buildOf(cwd)} builds it there${bySource}`
}

/** What is said where `--carry` gives a revision code, which both sides then have alike. */
export function codeOfToday({ cwd, parity: { carry } }: CommandOptions): readonly string[] {
  const code = carry.filter((file) => hasCode(join(cwd, file)))
  if (code.length === 0) return []
  return [
    `Both sides run ${code.join(', ')} of today, by --carry: what has changed in that code is not compared.`,
  ]
}

/** True for a file with code, and for a folder that has one. */
function hasCode(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return /\.[cm]?[jt]sx?$/.test(path)
  return readdirSync(path).some((name) => name !== 'node_modules' && hasCode(join(path, name)))
}

// What is made or installed, and what configures the app and is copied.
const notCarried =
  /(?:^|\/)(?:node_modules|dist|build|out|lib|coverage|logs?|te?mp)\/$|(?:^|\/)\.|\.(?:log|pid|tsbuildinfo|map)$/

/** What git ignores in the project, and a revision has not. */
function ignoredFiles(cwd: string, folder: string): string[] {
  try {
    const said = execFileSync(
      'git',
      ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'],
      { ...heard, cwd },
    )
    return said
      .split('\0')
      .filter((one) => one !== '' && !notCarried.test(one) && !existsSync(join(folder, one)))
  } catch {
    return []
  }
}

/** The folder of the project in a worktree of a revision. */
function checkOut(
  { parity: { install } }: CommandOptions,
  base: string,
  cwd: string,
  temp: string,
  undo: (action: () => void) => void,
): { readonly folder: string; readonly name: string; readonly repository: Tree } {
  const run = (
    command: string,
    parameters: readonly string[],
    where: string,
    shell = false,
    refusal?: () => string,
  ): string => {
    try {
      return execFileSync(command, parameters, { ...heard, cwd: where, shell }).trim()
    } catch (error) {
      const { stdout, stderr, message, code } = error as Error &
        Partial<Record<'stdout' | 'stderr' | 'code', string>>
      if (code === 'ENOENT') throw new UsageError(`--base needs ${command}, which is not installed`)
      if (refusal !== undefined) throw new UsageError(`--base: ${refusal()}`)
      const failed = shell ? `${command} has failed: ` : ''
      throw new UsageError(`--base ${base}: ${failed}${firstLinesOf(stderr || (shell && stdout) || message)}`)
    }
  }
  const git = (parameters: readonly string[], refusal?: () => string): string =>
    run('git', ['-c', 'core.hooksPath=/dev/null', ...parameters], cwd, false, refusal)
  const top = git(['rev-parse', '--show-toplevel'], () => `${cwd} is in no repository of git`)
  const root = realpathSync(top)
  const commit = git(['rev-parse', '--verify', '--end-of-options', `${base}^{commit}`], () => {
    const names = git(['for-each-ref', '--format=%(refname:short)']).split('\n')
    return `there is no revision ${JSON.stringify(base)} in ${root}${suggestion(base, names)}`
  })
  const tree = join(temp, 'legacy')
  const repository = { from: root, to: tree }
  undo(() => {
    rmSync(tree, { recursive: true, force: true, maxRetries: 3 })
    git(['worktree', 'prune'])
  })
  git(['worktree', 'add', '--detach', tree, commit])
  const folder = join(tree, relative(root, cwd))
  for (const file of git(['ls-files', '-z', '--full-name', root]).split('\0')) {
    // Validators of static files are made of their times.
    const [own, other] = [join(root, file), join(tree, file)]
    if (!existsSync(own) || !existsSync(other)) continue
    const { atime, mtime } = statSync(own)
    if (statSync(other).isFile()) utimesSync(other, atime, mtime)
  }
  for (const from of new Set([folder, tree])) {
    const to = from === tree ? root : cwd
    for (const [lockfile, command] of Object.entries(installs)) {
      if (textOf(join(from, lockfile)) === textOf(join(to, lockfile))) continue
      if (!install) {
        throw new UsageError(
          `--base ${base}: ${lockfile} is another one there: --install installs its packages (${command})`,
        )
      }
      if (existsSync(join(from, lockfile))) run(command, [], from, true)
    }
  }
  // What configures the app is no code of it, and no revision has it.
  for (const name of readdirSync(cwd).filter((one) => one.startsWith('.env'))) {
    if (!existsSync(join(folder, name))) copyCode(join(cwd, name), join(folder, name), repository)
  }
  return { folder, name: `${base} (${commit.slice(0, 7)})`, repository }
}

// An installer tells all of its usage behind its error.
const mostLines = 5
const mostLetters = 500
const ofNpm = /^npm (?:error|ERR!)/
const usageOfNpm = /^(?:Clean install a project|Usage:)$/

/** The first lines of what a command has said, in one line; of npm those of its error. */
function firstLinesOf(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => ofNpm.test(line)).map((line) => line.replace(ofNpm, '').trim())
  const told = (errors.length > 0 ? errors : lines).filter((line) => line !== '')
  const usage = told.findIndex((line) => usageOfNpm.test(line))
  const shown = told.slice(0, usage < 0 ? mostLines : Math.min(usage, mostLines))
  const text = [...(errors.length > 0 ? ['npm error'] : []), ...shown].join(' ').replace(/\s+/g, ' ')
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

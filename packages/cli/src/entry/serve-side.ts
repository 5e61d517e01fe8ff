// Starts an entry that answers requests, for what compares its answers.
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../../../compare/src/ask.js'
import { maskOf } from '../../../compare/src/mask.js'
import type { Report } from '../documents/child.js'
import { appOutput } from '../terminal/app-output.js'
import { type CommandContext, tell } from '../terminal/context.js'
import { buildOf } from './built-entry.js'
import { failureOf, shownEntry } from './command-context.js'
import { EntryFailure } from './interruptible.js'
import type { CommandOptions } from './options.js'
import { type StartedEntry, startEntry } from './run-entry.js'
import { shellWord } from '../terminal/shell-word.js'

/** Where one side runs. */
export interface SideFolder {
  /** What it is called in the report. */
  readonly name: string
  readonly cwd: string
  readonly entry: string
  readonly env: Readonly<Record<string, string>>
}

/** One of the two that are compared. */
export interface Side {
  readonly name: string
  /** Undefined for one that serves already. */
  readonly report: Report | undefined
  placeOf(app: number): Place
  readonly entry: StartedEntry | undefined
  /** Starts it again where a request has ended it; gives false where that has happened too often. */
  revive(): Promise<boolean>
}

/** Which side of a route that has both answers: that of the state of its migration, the Controller, or the handler. */
export type SideKind = 'by state' | 'native' | 'legacy'

const startLimitMs = 30_000
// An app that each request ends is not worth the time.
const mostRevivals = 5
/** Starts the entry as it is, for a command that asks it alone. Throws EntryFailure. */
export async function serveEntry(
  options: CommandOptions,
  context: CommandContext,
  undo: (action: () => void) => void,
): Promise<Place> {
  const { entry, cwd, env } = options
  const side = await startSide(
    { name: shownEntry(options), entry, cwd, env },
    'by state',
    options,
    context,
    undo,
  )
  return side.placeOf(0)
}

/** Starts one of two sides. Throws EntryFailure. */
export async function startSide(
  folder: SideFolder,
  kind: SideKind,
  options: CommandOptions,
  context: CommandContext,
  undo: (action: () => void) => void,
): Promise<Side> {
  let entry: StartedEntry
  let report: Report
  let revivals = 0
  const timeLimitMs = Math.min(options.timeLimitMs, startLimitMs)
  const start = async (): Promise<void> => {
    const output = new PassThrough()
    const shown = appOutput(context)
    output.pipe(shown)
    const said: string[] = []
    const listen = (chunk: Buffer): void => void said.push(chunk.toString())
    output.on('data', listen)
    entry = startEntry({
      ...options,
      ...folder,
      timeLimitMs,
      question: [],
      preload: context.preload,
      output,
      serve: {
        withoutControllers: kind === 'legacy',
        side: kind === 'by state' ? undefined : kind,
        parent: process.pid,
      },
    })
    const own = entry
    undo(() => void own.stop().catch(() => {}))
    const outcome = await entry.outcome()
    const name = `${relative(folder.cwd, folder.entry)} (${folder.name})`
    const failure = failureOf(outcome, name, { ...options, timeLimitMs })
    output.off('data', listen)
    const missed = missedFiles(said.join(''), folder.cwd, options.cwd)
    const remedy = missed
      .map((file) => ` It has not found ${file}, which git ignores: ${remedyFor(file, options.cwd)}`)
      .join('')
    if (failure !== undefined) throw new EntryFailure(failure + remedy)
    if (remedy !== '') tell(context, `${folder.name}:${remedy}`)
    report = outcome.report!
    if (report.addresses.length === 0) throw new EntryFailure(`${shownEntry(options)} has not called listen.`)
    // What it says of each request would hide what is said here.
    output.unpipe(shown).resume()
  }
  await start()
  return {
    name: folder.name,
    get report() {
      return report
    },
    get entry() {
      return entry
    },
    placeOf(app) {
      const { port, isSecure } = report.addresses[app] ?? report.addresses[0]!
      return {
        url: new URL(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`),
        host: 'localhost',
        folder: folder.cwd,
        answerLimitMs: options.parity.answerLimitMs,
        mask: maskOf(options.parity.headers),
      }
    },
    async revive() {
      // A connection is closed a moment before its process is seen to have ended.
      for (let waited = 0; waited < 10 && !entry.hasEnded; waited++) await sleep(20)
      if (!entry.hasEnded) return true
      if (revivals++ >= mostRevivals) return false
      await start()
      return true
    },
  }
}

/** Code of today would be compared with itself. */
function remedyFor(file: string, cwd: string): string {
  return /\.[cm]?[jt]sx?$/.test(file)
    ? `--run ${buildOf(cwd)} makes what a build makes`
    : `--carry ${shellWord(file)}`
}

/** The files of the project that a side has not found, by what it has said: those that git ignores are in no revision. */
function missedFiles(said: string, folder: string, cwd: string): string[] {
  const missed = new Set<string>()
  const found = said.matchAll(
    /ENOENT[^'\n]*'([^'\n]+)'|Cannot find module '([^'\n]+)'(?:\n+Require stack:\n- ([^\n]+))?/g,
  )
  for (const [, opened, required = '', by = ''] of found) {
    if (opened === undefined && !/^[./]/.test(required)) continue
    const path = opened === undefined ? resolve(dirname(by || folder), required) : resolve(folder, opened)
    const name = relative(folder, path)
    if (name === '' || isAbsolute(name) || name.split(sep)[0] === '..') continue
    const there = ['', '.js', '.cjs', '.json'].find((ending) => existsSync(join(cwd, name + ending)))
    if (there !== undefined && !existsSync(path + there)) missed.add(name + there)
  }
  return [...missed]
}

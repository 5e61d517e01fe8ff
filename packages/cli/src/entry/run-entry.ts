// Runs an entry in a process of its own, with the preload, until it has reported.
import { spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { PreloadOptions, Serve } from '../documents/child.js'
import type { Question, Report } from '../documents/child.js'
import type { Observation } from '../documents/inventory.js'

export interface RunOptions {
  /** The absolute path of the entry. */
  readonly entry: string
  readonly parameters: readonly string[]
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly settleMs: number
  readonly timeLimitMs: number
  readonly question: Question
  /** True to look for what stands in the way too. */
  readonly seeksObstacles?: boolean
  /** Whether the places of registrations are told too. */
  readonly wantsRegistered?: boolean
  /** Where it is to answer requests. */
  readonly serve?: Serve
  /** The compiled preload. */
  readonly preload: string
  /** Where the output of the entry goes. */
  readonly output: NodeJS.WritableStream
}

/** How a run has ended. */
export interface RunOutcome {
  /** Undefined where the process has said nothing. */
  readonly report: Report | undefined
  /** Undefined where it was still running. */
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** A reason for which an entry cannot even be tried. */
export class EntryError extends Error {}

// For a process that does not come to its own time limit, because it never gives its loop a turn.
const graceMs = 3000
// Until Node runs the first line in a process, on a machine that does much else.
const startMs = 30_000
// For one that is asked when it has served many requests, on a machine that does much else.
const observeMs = 15_000
// For what an entry has written when it ended.
const outputMs = 500

/** An entry that runs. */
export interface StartedEntry {
  /** Waits until it has reported, has ended, or the time is over. */
  outcome(): Promise<RunOutcome>
  /** Whom it would answer by; undefined where it cannot say that any more. */
  observe(question: Question): Promise<readonly Observation[] | undefined>
  readonly hasEnded: boolean
  /** Ends it and all that it has started, at once: what stops gently has effects of its own. */
  stop(): Promise<void>
}

/** Starts an entry with the preload. */
export function startEntry(options: RunOptions): StartedEntry {
  const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-'))
  const reports = join(folder, 'reports')
  const preload = join(folder, 'preload.cjs')
  const {
    settleMs,
    timeLimitMs,
    question,
    cwd,
    serve,
    output,
    seeksObstacles = false,
    wantsRegistered,
  } = options
  const settings: PreloadOptions = {
    reports,
    root: cwd,
    settleMs,
    timeLimitMs,
    question,
    serve,
    seeksObstacles,
    wantsRegistered,
  }
  // In a file, and not in the environment: children by `fork` and `cluster` run with the same arguments, whatever environment they get.
  writeFileSync(preload, `require(${JSON.stringify(options.preload)}).start(${JSON.stringify(settings)})\n`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  let child: ChildProcess
  try {
    child = spawnEntry(options, preload)
  } catch (error) {
    remove()
    throw error
  }
  child.stdout!.pipe(output, { end: false })
  child.stderr!.pipe(output, { end: false })
  let ended: { code: number | null; signal: string | null } | undefined
  const closed = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
    child.once('exit', (code, signal) => {
      ended = { code, signal }
      // What it has started in a group of its own may hold its output open for as long as it runs.
      const lag = setTimeout(() => {
        child.stdout!.destroy()
        child.stderr!.destroy()
      }, outputMs)
      child.once('close', () => clearTimeout(lag))
    })
  })
  closed.catch(() => {})
  let report: Report | undefined
  return {
    get hasEnded() {
      return ended !== undefined
    },
    async outcome() {
      const spawnedAt = performance.now()
      let startedAt: number | undefined
      for (;;) {
        const found = readReports(reports)
        // The process counts its time limit from then, too.
        if (startedAt === undefined && runningIn(reports).length > 0) startedAt = performance.now()
        const until = (startedAt ?? spawnedAt + startMs) + timeLimitMs + graceMs
        // One that has not listened may yet have started those that do.
        const isDone = found.some(({ hasListened, ended: { by } }) => hasListened || by === 'time limit')
        if (isDone || ended || performance.now() > until) break
        await Promise.race([sleep(20), closed])
      }
      if (ended) await closed
      report = mostOf(readReports(reports))
      return {
        report,
        code: exitCodeOf(ended?.code ?? undefined, report),
        signal: ended?.signal ?? undefined,
      }
    },
    async observe(asked) {
      const file = join(reports, `${report?.pid}.answer`)
      // The answer to an earlier question.
      rmSync(file, { force: true })
      // Whole or not at all: the other process looks for it.
      const question = join(reports, `${report?.pid}.question`)
      writeFileSync(`${question}.part`, JSON.stringify(asked))
      renameSync(`${question}.part`, question)
      const until = performance.now() + observeMs
      while (!existsSync(file)) {
        if (ended || performance.now() > until) return undefined
        await sleep(20)
      }
      return JSON.parse(readFileSync(file, 'utf8')) as readonly Observation[]
    },
    stop() {
      killGroup(child)
      killOthers(reports)
      remove()
      return closed
    },
  }
}

/** Runs an entry until it has reported. */
export async function runEntry(options: RunOptions): Promise<RunOutcome> {
  const started = startEntry(options)
  const interrupt = (signal: NodeJS.Signals): void => {
    void started.stop()
    process.exitCode = signal === 'SIGINT' ? 130 : 143
    process.exit()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    return await started.outcome()
  } finally {
    await started.stop()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

function spawnEntry(options: RunOptions, preload: string): ChildProcess {
  const { entry, parameters, nodeOptions, cwd, env } = options
  const own = ['--require', preload, ...loaderFor(entry, cwd)]
  return spawn(process.execPath, [...nodeOptions, ...own, entry, ...parameters], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it has started ends with it.
    detached: process.platform !== 'win32',
  })
}

/** What Node needs to run TypeScript. */
function loaderFor(entry: string, cwd: string): string[] {
  if (!/\.[cm]?tsx?$/.test(entry)) return []
  for (const from of [join(cwd, 'package.json'), entry]) {
    try {
      return ['--import', pathToFileURL(createRequire(from).resolve('tsx')).href]
    } catch {
      // Perhaps it is where the entry is.
    }
  }
  const { typescript } = process.features as { typescript?: string | false }
  if (typescript) return []
  throw new EntryError(
    `${entry} is TypeScript, which Node ${process.version} does not run: install tsx (npm install --save-dev tsx), or use Node 22.18 or newer`,
  )
}

/** Ends a process that has a group of its own, with all that it has started there. */
export function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Those that stand in groups of their own: each with the preload has a file while it runs. */
function killOthers(reports: string): void {
  for (const pid of runningIn(reports)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended with its group.
    }
  }
}

/** The processes of an entry that have the preload and run. */
function runningIn(reports: string): number[] {
  if (!existsSync(reports)) return []
  return readdirSync(reports).flatMap((name) => {
    const [, pid] = /^(\d+)\.running$/.exec(name) ?? []
    return pid === undefined ? [] : [Number(pid)]
  })
}

function readReports(folder: string): Report[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report)
}

/** A report of a crash comes before its process has ended; and where that is a fork, its own code alone tells of it. */
function exitCodeOf(code: number | undefined, report: Report | undefined): number | undefined {
  const said = report?.ended.by === 'exit' ? report.ended.code : undefined
  return code === undefined || code === 0 ? (said ?? code) : code
}

/** Of several processes: the one that serves, and has the most to show. */
function mostOf(reports: readonly Report[]): Report | undefined {
  const size = ({ hasListened, inventory }: Report): number =>
    (inventory?.routes.length ?? -1) + (hasListened ? 1e6 : 0)
  return [...reports].sort((a, b) => size(b) - size(a))[0]
}

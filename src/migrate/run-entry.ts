// Runs an entry in a process of its own, with the preload, until it has reported.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { PreloadOptions } from './preload.js'
import type { Question, Report } from './report.js'

export interface RunOptions {
  /** The absolute path of the entry. */
  readonly entry: string
  readonly parameters: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly settleMs: number
  readonly timeLimitMs: number
  readonly question: Question
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

export async function runEntry(options: RunOptions): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-'))
  const reports = join(folder, 'reports')
  const preload = join(folder, 'preload.cjs')
  const { settleMs, timeLimitMs, question, cwd } = options
  const settings: PreloadOptions = { reports, root: cwd, settleMs, timeLimitMs, question }
  // In a file, and not in the environment: children by `fork` and `cluster` run with the same arguments, whatever environment they get.
  writeFileSync(preload, `require(${JSON.stringify(options.preload)}).start(${JSON.stringify(settings)})\n`)
  try {
    return await follow(spawnEntry(options, preload), reports, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function spawnEntry({ entry, parameters, cwd, env }: RunOptions, preload: string): ChildProcess {
  return spawn(process.execPath, ['--require', preload, ...loaderFor(entry, cwd), entry, ...parameters], {
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

async function follow(
  child: ChildProcess,
  reports: string,
  { timeLimitMs, output }: RunOptions,
): Promise<RunOutcome> {
  child.stdout!.pipe(output, { end: false })
  child.stderr!.pipe(output, { end: false })
  let ended: { code: number | null; signal: string | null } | undefined
  const closed = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      ended = { code, signal }
      resolve()
    })
  })
  const stop = (): void => killGroup(child)
  const interrupt = (signal: NodeJS.Signals): void => {
    stop()
    process.exitCode = signal === 'SIGINT' ? 130 : 143
    process.exit()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    const until = performance.now() + timeLimitMs + graceMs
    for (;;) {
      const found = readReports(reports)
      // One that has not listened may yet have started those that do.
      if (
        found.some(({ hasListened, ended: { by } }) => hasListened || by === 'time limit') ||
        ended ||
        performance.now() > until
      )
        break
      await Promise.race([sleep(20), closed])
    }
    const wasRunning = ended === undefined
    stop()
    await closed
    return {
      report: mostOf(readReports(reports)),
      code: wasRunning ? undefined : (ended!.code ?? undefined),
      signal: wasRunning ? undefined : (ended!.signal ?? undefined),
    }
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** Ends a process and all that it has started. At once: what stops gently has effects of its own. */
function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function readReports(folder: string): Report[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report)
}

/** Of several processes: the one that serves, and has the most to show. */
function mostOf(reports: readonly Report[]): Report | undefined {
  const size = ({ hasListened, inventory }: Report): number =>
    (inventory?.routes.length ?? -1) + (hasListened ? 1e6 : 0)
  return [...reports].sort((a, b) => size(b) - size(a))[0]
}

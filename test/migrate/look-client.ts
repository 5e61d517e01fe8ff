import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LookContext } from '../../packages/cli/src/entry/command-context.js'
import type { RunOutcome } from '../../packages/cli/src/entry/run-entry.js'
import { endsItself, type LookAnswer, type LookRequest } from './look-documents.js'

// For an entry that gives its loop no turn.
const graceMs = 3_000

/** Has many entries looked at by one process (look-server.ts), which it starts for the first of them. */
export class LookClient {
  #server: ChildProcess | undefined
  #isBusy = false
  readonly #file: string
  readonly #folder: string

  /** `file` is the compiled server; reports go to folders in `folder`. */
  constructor(file: string, folder: string) {
    this.#file = file
    this.#folder = folder
  }

  /** Undefined for an entry that needs a process of its own. */
  async look({ output, ...options }: Parameters<LookContext['look']>[0]): Promise<RunOutcome | undefined> {
    // Node keeps the modules of ESM for as long as it runs, and takes its own options when it starts.
    if (this.#isBusy || !options.entry.endsWith('.cjs') || options.nodeOptions.length > 0) return undefined
    this.#isBusy = true
    const reports = mkdtempSync(join(this.#folder, 'reports-'))
    try {
      const { entry, parameters, cwd, env, settleMs, timeLimitMs, question } = options
      const { seeksObstacles = false, wantsRegistered } = options
      const answer = await this.#ask({
        entry,
        parameters,
        cwd,
        env,
        settings: { reports, root: cwd, settleMs, timeLimitMs, question, seeksObstacles, wantsRegistered },
      })
      if (answer?.report === undefined) return undefined
      if (answer.written !== '') output.write(answer.written)
      const { ended } = answer.report
      return { report: answer.report, code: ended.by === 'exit' ? ended.code : undefined, signal: undefined }
    } finally {
      this.#isBusy = false
      rmSync(reports, { recursive: true })
    }
  }

  close(): void {
    if (this.#server?.connected) this.#server.disconnect()
  }

  #ask(request: LookRequest): Promise<LookAnswer | undefined> {
    const server = (this.#server ??= fork(this.#file, [__filename], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }))
    return new Promise((resolve) => {
      const done = (answer?: LookAnswer): void => {
        clearTimeout(limit)
        server.off('exit', onExit)
        if (answer === undefined || !endsItself(answer)) this.#server = undefined
        resolve(answer)
      }
      const onExit = (): void => done()
      const limit = setTimeout(() => server.kill('SIGKILL'), request.settings.timeLimitMs + graceMs)
      server.once('exit', onExit)
      server.once('message', done)
      server.send(request)
    })
  }
}

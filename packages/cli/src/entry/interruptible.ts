// A command that takes a while: Ctrl+C and the time limit end its work early, it tells what is known, and it leaves no process behind.
import { type CommandContext, tell } from '../terminal/context.js'

/** An entry that must be told of as it has failed. */
export class EntryFailure extends Error {}

/** What a command that can be ended early is given. */
export interface Interruption {
  /** Aborted when the command is to come to its end. */
  readonly signal: AbortSignal
  /** Adds what is done when the command ends, however it ends. What was added last is done first. */
  readonly undo: (action: () => void) => void
  /** From now on there is something to tell, so the first signal ends the work, and the second one the process. */
  readonly beginWork: () => void
}

/** Runs a command until it ends or is ended; gives the exit code. */
export async function runInterruptibly(
  { timeLimitMs }: { readonly timeLimitMs: number },
  context: CommandContext,
  run: (interruption: Interruption) => Promise<number>,
): Promise<number> {
  const stop = new AbortController()
  const undone: (() => void)[] = []
  const undo = (): void => {
    for (const action of undone.splice(0).reverse()) action()
  }
  let isWorking = false
  let exitCode: number | undefined
  const interrupt = (signal: NodeJS.Signals): void => {
    exitCode = signal === 'SIGINT' ? 130 : 143
    if (stop.signal.aborted || !isWorking) process.exit(exitCode)
    stop.abort()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('exit', undo)
  const timer = setTimeout(() => stop.abort(), timeLimitMs)
  try {
    const code = await run({
      signal: stop.signal,
      undo: (action) => void undone.push(action),
      beginWork: () => void (isWorking = true),
    })
    return exitCode ?? code
  } catch (error) {
    if (!(error instanceof EntryFailure)) throw error
    tell(context, error.message)
    return 3
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('exit', undo)
    undo()
  }
}

// The command `prove`: proves some routes, again after each change of the code where it watches.
import type { ProveReport, Verdict } from '../documents/prove.js'
import { shownEntry } from '../entry/command-context.js'
import { EntryFailure, runInterruptibly } from '../entry/interruptible.js'
import type { CommandOptions } from '../entry/options.js'
import { readTraffic } from '../entry/traffic.js'
import { type Started, startSides } from '../parity/parity.js'
import { tellReport } from '../report/tell-report.js'
import { type CommandContext, tell as tellSentence } from '../terminal/context.js'
import { count } from '../terminal/text.js'
import { Proof } from './proof.js'
import { namedRequests } from './recorded-part.js'
import { CodeWatch } from './watch.js'

/** Runs `prove`; gives the exit code. */
export function proveRoutes(options: CommandOptions, context: CommandContext): Promise<number> {
  const { named } = options
  const recorded = named.recording === undefined ? [] : readTraffic(named.recording).exchanges
  // First those of the command line: a long recording is not played to its end.
  const exchanges = [...namedRequests(named.requests), ...recorded]
  // A watch lasts until it is ended.
  const timeLimitMs = named.watch ? longestMs : options.timeLimitMs
  return runInterruptibly({ timeLimitMs }, context, async (interruption) => {
    const { undo, beginWork, signal } = interruption
    const start = (): Promise<Started> => startSides(options, context, undo)
    let started = await start()
    beginWork()
    const tell = (report: ProveReport): number => {
      const has = count(report.routes.length, 'route')
      tellReport('prove', report, { ...options, name: shownEntry(options), has }, context)
      return exitCodes[report.verdict]
    }
    const proof = (sides: Started): Promise<ProveReport> =>
      new Proof(sides, options, context, interruption, exchanges).run()
    const watch = named.watch ? new CodeWatch(options.cwd) : undefined
    undo(() => watch?.close())
    let code = tell(await proof(started))
    // What requests have written stays in a process, and a copy of the project has not what has changed.
    const isRestarted = options.parity.unsafe || options.parity.data !== undefined
    while (watch !== undefined) {
      await watch.changed(signal)
      if (signal.aborted) break
      try {
        started = isRestarted ? await restarted(started, start) : await withNewCode(started)
        let report = await proof(started)
        // Legacy has run for a while, which may be all that differs.
        if (report.verdict === 'different' && !isRestarted)
          report = await proof((started = await restarted(started, start)))
        code = tell(report)
      } catch (error) {
        // Code that is being written does not always start.
        if (!(error instanceof EntryFailure)) throw error
        tellSentence(context, error.message)
        code = exitCodes.unproved
      }
    }
    return code
  })
}

// What a timer of Node takes.
const longestMs = 2 ** 31 - 1
const exitCodes: Readonly<Record<Verdict, number>> = { proved: 0, different: 1, unproved: 3 }

async function stop({ sides, again }: Started): Promise<void> {
  for (const side of [...sides, again]) await side?.entry?.stop()
}

async function restarted(started: Started, start: () => Promise<Started>): Promise<Started> {
  await stop(started)
  return start()
}

async function withNewCode(started: Started): Promise<Started> {
  const [legacy, now] = started.sides
  await now.entry?.stop()
  return { ...started, sides: [legacy, await started.startNow()] }
}

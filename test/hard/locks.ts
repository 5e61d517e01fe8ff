// Random apps, written as files, that are changed again and again: `check` finds each guard that is lost, weakened or moved, whatever
// was accepted of other routes and of other changes, and whoever has edited or merged the lock.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SequenceCounts } from '../migrate/lock-sequences.js'
import { grouped, judge, type Row } from './row.js'

// The inspector of a process tells of all files again at each app, so a process has a few apps alone.
const atOnce = 20

export const row: Row = {
  asked:
    '1 000 sequences of changed apps, accepted findings, and edited or merged locks: a change that was not accepted is always found',
  async run({ seed, count, tell }) {
    const wanted = count(1_000)
    const findings: string[] = []
    const total: SequenceCounts = { checks: 0, accepted: 0, edited: 0, changed: 0 }
    let done = 0
    for (; done < wanted && findings.length < 10; done += atOnce) {
      const seeds = Array.from(
        { length: Math.min(atOnce, wanted - done) },
        (_, at) => seed * 100_000 + done + at,
      )
      const { counts, findings: found } = await runApart(seeds)
      findings.push(...found)
      for (const name of ['checks', 'accepted', 'edited', 'changed'] as const) total[name] += counts[name]
      tell(`${grouped(Math.min(wanted, done + atOnce))} of ${grouped(wanted)} sequences`)
    }
    const { checks, accepted, edited, changed } = total
    const measured =
      `${grouped(Math.min(wanted, done))} sequences, ${grouped(checks)} checks, ${grouped(accepted)} acceptances, ${grouped(edited)} edited or merged locks, ` +
      `${grouped(changed)} changes of a route that were not accepted: ${findings.length} not found or hidden`
    // Else the run proves nothing.
    if (changed < wanted / 2) findings.push(`only ${changed} changes`)
    return judge(measured, findings)
  },
}

async function runApart(
  seeds: readonly number[],
): Promise<{ counts: SequenceCounts; findings: readonly string[] }> {
  const child = fork(join(import.meta.dirname, 'locks-process.ts'), [JSON.stringify(seeds)], {
    execArgv: ['--import', 'tsx'],
  })
  let told: { counts: SequenceCounts; findings: readonly string[] } | undefined
  child.on('message', (message: typeof told) => (told = message))
  const [code] = (await once(child, 'exit')) as [number | null]
  if (told === undefined) throw new Error(`The sequences from ${seeds[0]} on have ended with ${code}`)
  return told
}

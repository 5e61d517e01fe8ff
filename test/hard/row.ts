/** One row of the table of reliability: a promise, and the run that shows whether it holds. */
export interface Row {
  /** What is asked, as docs/reliability.md has it. */
  asked: string
  run: (run: Run) => Promise<Outcome>
}

/** How a row is run: its size, its chances and its voice. */
export interface Run {
  /** The same seed makes the same run. */
  seed: number
  /** How much of a number is run at this scale, at least 1. */
  count: (full: number) => number
  /** Says on stderr how far it is. */
  tell: (progress: string) => void
}

export interface Outcome {
  measured: string
  /** `failed`: a promise is broken. `short`: a figure of time or memory, which is the machine's as well, was not reached. */
  verdict: 'ok' | 'short' | 'failed'
  /** What shows the fault, to be run again. */
  findings?: readonly string[]
}

/** The verdict of a row that knows no figures of time and memory. */
export function judge(measured: string, findings: readonly string[]): Outcome {
  return { measured, verdict: findings.length === 0 ? 'ok' : 'failed', findings }
}

/** Runs work on the numbers from 0 to `count`, so many at once. */
export async function runMany(
  count: number,
  atOnce: number,
  work: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

/** A number with its thousands apart: 200 000. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** Counts by their names: 2xx 132, 4xx 845. */
export function countsOf(counts: Readonly<Record<string, number>>): string {
  return Object.keys(counts)
    .sort()
    .map((name) => `${name} ${grouped(counts[name]!)}`)
    .join(', ')
}

const mebibyte = 1024 * 1024

/** Bytes as MiB with one digit. */
export function inMebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`
}

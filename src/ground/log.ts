import type { Logger } from './types.js'

/** Writes one line. A logger that throws must not prevent the answer, and one that rejects must not end the process. */
export function log(logger: Logger, level: keyof Logger, message: string): void {
  try {
    const written = logger[level](message) as Partial<PromiseLike<unknown>> | undefined
    if (typeof written?.then === 'function') void written.then(undefined, () => {})
  } catch {
    // The logger fails, and there is no other place for a line.
  }
}

/**
 * What was thrown, with its stack where it has one, for a log line. What has caused it follows, and the errors of an AggregateError: five of
 * each, in so many steps, and with 3 000 characters each.
 */
export function describeThrown(thrown: unknown, steps = 4): string {
  let text = 'something that cannot be shown'
  try {
    const { stack, message, code, cause, errors } = (thrown ?? {}) as Readonly<Record<string, unknown>>
    text = typeof stack === 'string' ? stack : `something that is no Error: ${String(message ?? thrown)}`
    // No other member: the `detail` of a database may write out a row.
    if (typeof code === 'string' && !text.includes(code)) text += `\n  code: ${code}`
    for (const one of [cause].concat(errors).slice(0, steps && 5) as (Partial<Error> | null)[]) {
      if (one?.stack) text += `\n  [cause]: ${describeThrown(one, steps - 1).slice(0, 3_000)}`
    }
  } catch {
    // A getter may throw in its turn.
  }
  return text
}

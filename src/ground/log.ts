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

/** What was thrown, with its stack where it has one, for a log line. */
export function describeThrown(thrown: unknown): string {
  try {
    const { stack } = (thrown ?? {}) as { stack?: unknown }
    return typeof stack === 'string' ? stack : String(thrown)
  } catch {
    return 'something that cannot be shown'
  }
}

import type { Logger } from './types.js'

/** Writes one line; a logger that throws must not take the answer with it. */
export function log(logger: Logger, level: keyof Logger, message: string): void {
  try {
    logger[level](message)
  } catch {
    // Where the logger is broken there is nobody left to tell.
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

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
  if (
    typeof thrown === 'object' &&
    thrown !== null &&
    'stack' in thrown &&
    typeof thrown.stack === 'string'
  ) {
    return thrown.stack
  }
  try {
    return String(thrown)
  } catch {
    return Object.prototype.toString.call(thrown)
  }
}

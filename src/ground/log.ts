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

/** Errors that one line tells of: what was thrown, and what has caused it. */
const mostErrors = 8
const longestCause = 3_000

/** What is shown of an error besides its stack. Not the `detail` of a database, which may write out a whole row. */
const shownMembers = ['code', 'constraint'] as const

type Label = '' | 'cause' | 'errors'

/** What was thrown, with its stack where it has one, for a log line. Its causes and its `errors` follow. */
export function describeThrown(thrown: unknown): string {
  // What is added while it is read is read too.
  const all = new Map<unknown, Label>([[thrown, '']])
  let text = ''
  for (const [one, label] of all) {
    const described = describeOne(one, label, (more, its) => {
      if (all.size < mostErrors && !all.has(more)) all.set(more, its)
    })
    text += label === '' ? described : `\n  [${label}]: ${described.slice(0, longestCause)}`
  }
  return text
}

function describeOne(thrown: unknown, label: Label, add: (more: unknown, label: Label) => void): string {
  let text = 'something that cannot be shown'
  try {
    const error = (thrown ?? {}) as Readonly<Record<string, unknown>>
    const { stack, message } = error
    if (typeof stack === 'string') text = stack
    else {
      const plain = typeof message === 'string' ? message : String(thrown)
      text = label === '' ? `something that is no Error was thrown: ${plain}` : plain
    }
    for (const name of shownMembers) {
      const value = error[name]
      if ((typeof value === 'string' || typeof value === 'number') && !text.includes(String(value)))
        text += `\n  ${name}: ${String(value).slice(0, 100)}`
    }
    const { cause, errors } = error
    if (cause !== undefined) add(cause, 'cause')
    if (!Array.isArray(errors)) return text
    for (const one of errors.slice(0, mostErrors) as ({ stack?: unknown } | null | undefined)[]) {
      if (typeof one?.stack === 'string') add(one, 'errors')
    }
  } catch {
    // A getter may throw in its turn.
  }
  return text
}

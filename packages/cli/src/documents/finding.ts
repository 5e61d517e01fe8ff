// What findings of all commands have in common: a code with its facts. report/ has a table for each command, with the texts.

/** How bad a finding is: an error lets requests in, or breaks a route; a warning may; a note is worth knowing. */
export type Severity = 'error' | 'warning' | 'note'

/** The findings of some codes, each with its own facts. */
export type FindingOf<Facts, Code extends keyof Facts = keyof Facts> = {
  readonly [C in Code]: { readonly code: C } & Facts[C]
}[Code]

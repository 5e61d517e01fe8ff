// What the exit code of each command says. 2 is the same for all: wrong use.
import { wrap } from '../terminal/text.js'
import type { Command } from './options-table.js'

interface ExitCodes {
  readonly 0: string
  /** Undefined where a command finds nothing: it tells. */
  readonly 1: string | undefined
  /** Besides an entry that fails. */
  readonly 3: string | undefined
}

const ofAnswers: ExitCodes = {
  0: 'all answers are the same',
  1: 'an answer differs',
  3: 'nothing differs so far, and not all was compared',
}

const ofEdits: ExitCodes = {
  0: 'the change is shown, or written and compared',
  1: 'the change was put back: something else would change, or what --run names has failed',
  3: 'the change is written and could not be compared, or was put back because the app did not start',
}

const ofTelling = (what: string): ExitCodes => ({ 0: what, 1: undefined, 3: undefined })

export const exitCodes: Readonly<Record<Command, ExitCodes>> = {
  doctor: { 0: 'nothing stands in the way', 1: 'there are findings, and not notes alone', 3: undefined },
  inspect: ofTelling('the routes are listed'),
  check: { 0: 'nothing has changed', 1: 'there are findings', 3: undefined },
  parity: ofAnswers,
  move: ofEdits,
  retire: ofEdits,
  lift: ofEdits,
  brief: ofTelling('the page is made'),
  prove: { 0: 'each route is proved', 1: 'something differs', 3: 'nothing differs, and a proof is missing' },
  replay: ofAnswers,
  status: ofTelling('the table is made'),
}

const wrongUse = '2 wrong use'
const failed = 'the entry has failed, or has not called listen in time'

/** What `--help` says of all commands. */
export function exitHelp(): string[] {
  const found = "1 findings, or a change that was put back; each command's own help says which"
  return wrap(
    `Exit code: 0 nothing found, ${found}; ${wrongUse}, 3 ${failed}, or not all could be looked at.`,
    0,
  )
}

/** What the help of one command says. */
export function exitHelpOf(command: Command): string[] {
  const codes = exitCodes[command]
  const said = [
    `0 ${codes[0]}`,
    ...(codes[1] === undefined ? [] : [`1 ${codes[1]}`]),
    wrongUse,
    `3 ${[failed, codes[3]].filter(Boolean).join('; ')}`,
  ]
  return wrap(`Exit code: ${said.join(', ')}.`, 0)
}

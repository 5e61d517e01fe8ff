import type { ParityReport } from '../documents/parity.js'
import type { CommandContext } from '../terminal/context.js'
import { count } from '../terminal/text.js'
import { tellReport } from './tell-report.js'

interface TellOptions {
  /** The name of what was compared, for the page. */
  readonly name: string
  readonly cwd: string
  readonly json: boolean
  /** The file of the page. */
  readonly html?: string | undefined
}

/** Prints what `parity` or `replay` has found. */
export function tellParity(report: ParityReport, options: TellOptions, context: CommandContext): void {
  tellReport(
    'parity',
    report,
    { ...options, pageOf: `${count(report.compared, 'request')} compared` },
    context,
  )
}

/** 1 for differences; 3 where too little could be compared. */
export function exitCodeOf({ groups, ok }: ParityReport): number {
  return groups.length > 0 ? 1 : ok ? 0 : 3
}

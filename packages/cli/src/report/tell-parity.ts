import type { ParityReport } from '../documents/parity.js'
import type { CommandContext } from '../terminal/context.js'
import { count } from '../terminal/text.js'
import { type Output, tellReport } from './tell-report.js'

interface TellOptions {
  readonly command: string
  /** The name of what was compared. */
  readonly name: string
  readonly cwd: string
  readonly outputs: readonly Output[]
}

/** Prints what `parity` or `replay` has found. */
export function tellParity(report: ParityReport, options: TellOptions, context: CommandContext): void {
  const has = `${count(report.compared, 'request')} compared`
  tellReport('parity', report, { ...options, has }, context)
}

/** 1 for differences; 3 where too little could be compared. */
export function exitCodeOf({ groups, ok }: ParityReport): number {
  return groups.length > 0 ? 1 : ok ? 0 : 3
}

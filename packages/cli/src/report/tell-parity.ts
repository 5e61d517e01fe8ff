import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ParityReport } from '../documents/parity.js'
import { type CommandContext, hasColours, tell } from '../terminal/context.js'
import { count } from '../terminal/text.js'
import { parityPage, parityText } from './parity-text.js'

interface TellOptions {
  /** The name of what was compared, for the page. */
  readonly name: string
  readonly cwd: string
  readonly json: boolean
  /** The file of the page. */
  readonly html?: string | undefined
}

/** Prints a report, and writes its page where one was asked for. */
export function tellReport(report: ParityReport, options: TellOptions, context: CommandContext): void {
  const { html, json, cwd, name } = options
  if (html !== undefined) {
    writeFileSync(resolve(cwd, html), parityPage(report, name))
    tell(context, `${html}: ${count(report.compared, 'request')} compared`)
  }
  if (json) context.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  else context.stdout.write(parityText(report, { colours: hasColours(context) }))
}

/** 1 for differences; 3 where too little could be compared. */
export function exitCodeOf({ groups, ok }: ParityReport): number {
  return groups.length > 0 ? 1 : ok ? 0 : 3
}

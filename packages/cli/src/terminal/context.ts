import { printable } from '../../../../src/ground/printable.js'

/** Where the command reads and writes. */
export interface CommandContext {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  /** The compiled preload. */
  readonly preload: string
  /** The day that is written beside what is accepted. */
  readonly today: string
  /** The version of this package. */
  readonly version: () => string
}

export function hasColours({ stdout }: CommandContext): boolean {
  return stdout.isTTY === true && !process.env['NO_COLOR']
}

export function tell({ stderr }: CommandContext, sentence: string): void {
  stderr.write(`routecontrollers: ${printable(sentence)}\n`)
}

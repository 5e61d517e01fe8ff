import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { type CommandContext, hasColours, tell } from '../terminal/context.js'
import { type Documents, type ReporterName, reporters } from './reporters.js'

interface TellOptions {
  /** What the document is of: the entry. */
  readonly name: string
  readonly cwd: string
  readonly json: boolean
  /** The file of the page, and what is told of it: `12 routes`. */
  readonly html?: string | undefined
  readonly pageOf?: string
  /** False where the text is not wanted, because something else was written. */
  readonly hasText?: boolean
}

/** Prints a document of a command in the format that was asked for, and writes its page where one was. */
export function tellReport<D extends keyof Documents>(
  of: D,
  document: Documents[D],
  { name, cwd, json, html, pageOf, hasText = true }: TellOptions,
  context: CommandContext,
): void {
  const write = (reporter: ReporterName): string => {
    const own = reporters[reporter][of]
    if (own === undefined)
      throw new RouteControllersError('ERR_OPTION_INVALID', `${of} has no report as ${reporter}`)
    return own(document, { name, colours: hasColours(context) })
  }
  if (html !== undefined) {
    writeFileSync(resolve(cwd, html), write('html'))
    tell(context, `${html}: ${pageOf}`)
  }
  if (json || hasText) context.stdout.write(write(json ? 'json' : 'text'))
}

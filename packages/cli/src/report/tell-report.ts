import { RouteControllersError } from '../../../../src/ground/errors.js'
import { type CommandContext, hasColours, tell } from '../terminal/context.js'
import { writeOutput } from '../terminal/output-file.js'
import { folderInRepository } from './places.js'
import { type Documents, type ReporterName, reporters } from './reporters.js'

/** A format that was asked for. */
export interface Output {
  readonly reporter: ReporterName
  /** Where it is written; undefined to print it. */
  readonly file: string | undefined
}

interface TellOptions {
  /** The command that has made the document. */
  readonly command: string
  /** What the document is of: the entry. */
  readonly name: string
  readonly cwd: string
  readonly outputs: readonly Output[]
  /** What is told of a file that was written: `12 routes`. */
  readonly has: string
  /** False where the text is not wanted, because something else was written. */
  readonly hasText?: boolean
}

/** Writes a document of a command in the formats that were asked for. Where none of them is printed, the text is. */
export function tellReport<D extends keyof Documents>(
  of: D,
  document: Documents[D],
  { command, name, cwd, outputs, has, hasText = true }: TellOptions,
  context: CommandContext,
): void {
  const folder = folderInRepository(cwd)
  const isPrinted = outputs.some(({ file }) => file === undefined)
  const usual: Output[] = hasText && !isPrinted ? [{ reporter: 'text', file: undefined }] : []
  for (const { reporter, file } of [...outputs, ...usual]) {
    const write = reporters[reporter][of]
    if (write === undefined)
      throw new RouteControllersError('ERR_OPTION_INVALID', `${of} has no report as ${reporter}`)
    const colours = file === undefined && hasColours(context)
    const written = write(document, {
      command,
      name,
      folder,
      colours,
      // Read from a file, which few formats ask for.
      get version() {
        return context.version()
      },
    })
    if (file === undefined) context.stdout.write(written)
    else {
      writeOutput(cwd, file, written)
      tell(context, `${file}: ${has}`)
    }
  }
}

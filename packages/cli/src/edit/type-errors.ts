// What the project's own TypeScript compiler finds in what is written, and did not find before.
import { spawn } from 'node:child_process'
import { dirname, relative, resolve } from 'node:path'
import { compilerOf, projectOf } from '../code/compiler.js'
import type { CommandContext } from '../terminal/context.js'
import { tell } from '../terminal/context.js'
import { alignedCall, partAt } from './aligned-call.js'
import type { ChangedFile } from './changed-file.js'
import { checkedScript } from './checked-scripts.js'

/** An error of the compiler. */
interface CompileError {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** What an error keeps from being written: a call, or a file. */
interface TypeError {
  readonly file: string
  readonly call: number | undefined
  readonly reason: string
}

/**
 * Compiles the projects of written files in TypeScript without output. Where that finds something, the files are put back and compiled,
 * so that what was wrong before does not count.
 */
export async function newTypeErrors(
  files: readonly ChangedFile[],
  cwd: string,
  context: CommandContext,
  { putBack, putIn }: { readonly putBack: () => void; readonly putIn: () => void },
): Promise<readonly TypeError[]> {
  const projects = new Set(
    files.flatMap(({ file, text }) =>
      /\.[cm]?tsx?$/.test(file) || checkedScript(file, text) !== undefined ? (projectOf(file) ?? []) : [],
    ),
  )
  const found: TypeError[] = []
  for (const project of projects) {
    const tsc = compilerOf(project)
    if (tsc === undefined) continue
    tell(context, `Compiling ${relative(cwd, project)}`)
    const after = await compile(tsc, project)
    if (after.length === 0) continue
    putBack()
    const before = new Set((await compile(tsc, project)).map(keyOf))
    putIn()
    for (const error of after) {
      if (before.has(keyOf(error))) continue
      const own = placed(error, files, cwd)
      // One error may lead to others in the same call.
      const isKnown = found.some(({ file, call }) => file === own.file && call === own.call)
      if (!isKnown) found.push(own)
    }
  }
  return found
}

/** What helps where declarations of packages do not compile. */
const remedyOfPackages =
  'Declarations of packages need skipLibCheck in tsconfig.json, or npm install --save-dev typescript@5 @types/node@20'

/** Lines differ from before. */
function keyOf({ file, message }: CompileError): string {
  return `${file} ${message}`
}

function placed(error: CompileError, files: readonly ChangedFile[], cwd: string): TypeError {
  const { file, line, column, message } = error
  const changed = files.find((one) => one.file === file)
  const reason = `its types do not fit: ${message}`
  if (changed === undefined) {
    const isOfPackage = /[\\/]node_modules[\\/].*\.d\.[cm]?ts$/.test(file)
    const remedy = isOfPackage ? ` ${remedyOfPackages}` : ''
    return { file, call: undefined, reason: `${relative(cwd, file)}: ${message}${remedy}` }
  }
  return { file, call: partAt(changed, line, column) ?? alignedCall(changed, line, column), reason }
}

async function compile(tsc: string, project: string): Promise<CompileError[]> {
  const folder = dirname(project)
  const child = spawn(process.execPath, [tsc, '-p', project, '--noEmit', '--pretty', 'false'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said = await new Promise<string>((done, fail) => {
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', fail)
    child.once('close', () => done(Buffer.concat(chunks).toString()))
  })
  return [...said.matchAll(/^(\S.*?)\((\d+),(\d+)\): error (TS\d+: .*)$/gm)].map(
    ([, file, line, column, message]) => ({
      file: resolve(folder, file!),
      line: Number(line),
      column: Number(column),
      message: message!,
    }),
  )
}

// The command, in this process. In the loop one process looks at many entries, and those that need one of their own have it; in
// `test:all` each has its own, as always.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommand } from '../../packages/cli/src/command.js'
import { shared } from '../../packages/cli/src/entry/options-table.js'
import { runEntry } from '../../packages/cli/src/entry/run-entry.js'
import { bundled } from '../support/bundled.js'
import { isWhole } from '../support/counts.js'
import { LookClient } from './look-client.js'

export const apps = join(__dirname, 'apps')

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface Command {
  run: (...parameters: string[]) => Promise<Ran>
  remove: () => void
}

interface CommandOptions {
  readonly isTerminal?: boolean
  /** True where each entry has a process of its own, in the loop too. */
  readonly ownProcesses?: boolean
  /** Gets what is printed as it is. */
  readonly onOutput?: (text: string) => void
}

/** Compiles what runs in other processes, as the build does. */
export function createCommand({
  isTerminal = false,
  ownProcesses = isWhole,
  onOutput = () => {},
}: CommandOptions = {}): Command {
  const folder = mkdtempSync(join(tmpdir(), 'preload-'))
  const compiled = (file: string): string =>
    bundled(`${file.split('/').at(-1)}.cjs`, { entryPoints: [join(__dirname, `${file}.ts`)] })
  const preload = compiled('../../packages/cli/src/preload')
  const client = ownProcesses ? undefined : new LookClient(compiled('look-server'), folder)
  return {
    async run(...parameters) {
      const stdout = new PassThrough()
      stdout.on('data', (chunk: Buffer) => onOutput(chunk.toString()))
      const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal })
      const texts = [stdout, stderr].map(read)
      const code = await runCommand(parameters, {
        stdout,
        stderr,
        look: async (options) => {
          const patient = { ...options, timeLimitMs: patientLimit(options.timeLimitMs) }
          return (await client?.look(patient)) ?? runEntry({ ...patient, preload })
        },
        preload,
        today: '2026-11-21',
        version: () => '1.2.3',
      })
      stdout.end()
      stderr.end()
      const [out, error] = await Promise.all(texts)
      return { code, stdout: out!, stderr: error! }
    },
    remove() {
      client?.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Where a test sets no limit of its own: on a busy machine tsx alone may take more than the 30 seconds of the command. */
function patientLimit(limitMs: number): number {
  return limitMs === Number(shared['time-limit-ms'].default) ? 240_000 : limitMs
}

async function read(stream: PassThrough): Promise<string> {
  let text = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) text += String(chunk)
  return text
}

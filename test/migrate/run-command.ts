// The command, in this process; the entries that it runs have a process of their own, as always.
import { buildSync } from 'esbuild'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommand } from '../../packages/cli/src/command.js'

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

/** Compiles the preload, as the build does. */
export function createCommand({ isTerminal = false } = {}): Command {
  const folder = mkdtempSync(join(tmpdir(), 'preload-'))
  const preload = join(folder, 'preload.cjs')
  buildSync({
    entryPoints: [join(__dirname, '../../packages/cli/src/preload.ts')],
    outfile: preload,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
  return {
    async run(...parameters) {
      const stdout = new PassThrough()
      const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal })
      const texts = [stdout, stderr].map(read)
      const context = { stdout, stderr, preload, today: '2026-11-21', version: () => '1.2.3' }
      const code = await runCommand(parameters, context)
      stdout.end()
      stderr.end()
      const [out, error] = await Promise.all(texts)
      return { code, stdout: out!, stderr: error! }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

async function read(stream: PassThrough): Promise<string> {
  let text = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) text += String(chunk)
  return text
}

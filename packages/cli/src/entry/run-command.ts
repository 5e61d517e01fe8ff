// Runs a command line of the user's, and notes what it says.
import { spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import type { CommandContext } from '../terminal/context.js'
import { killGroup } from './run-entry.js'

/** A stream that writes on, and notes what it has written. */
export function tee(stream: CommandContext['stderr'], said: string[]): CommandContext['stderr'] {
  return Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said.push(chunk.toString())
        stream.write(chunk)
        done()
      },
    }),
    { isTTY: stream.isTTY === true },
  )
}

/**
 * Runs a command line; gives how it has failed. `endsWithUs` is for a process that ends by itself at a signal: all that was started ends
 * with it.
 */
export function runCommandLine(
  command: string,
  cwd: string,
  { stderr }: CommandContext,
  endsWithUs = false,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const detached = endsWithUs && process.platform !== 'win32'
    const child = spawn(command, { cwd, shell: true, detached, stdio: ['ignore', 'pipe', 'pipe'] })
    const end = (): void => killGroup(child)
    if (endsWithUs) process.once('exit', end)
    child.stdout.pipe(stderr, { end: false })
    child.stderr.pipe(stderr, { end: false })
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code, signal) => {
      process.off('exit', end)
      resolve(
        code === 0 ? undefined : signal === null ? `its exit code is ${code}` : `it was ended by ${signal}`,
      )
    })
  })
}

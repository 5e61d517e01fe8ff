// Runs a command line of the user's, and notes what it says.
import { spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import type { CommandContext } from '../terminal/context.js'

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

/** Runs a command line; gives how it has failed. */
export function runCommandLine(
  command: string,
  cwd: string,
  { stderr }: CommandContext,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.pipe(stderr, { end: false })
    child.stderr.pipe(stderr, { end: false })
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code, signal) => {
      resolve(
        code === 0 ? undefined : signal === null ? `its exit code is ${code}` : `it was ended by ${signal}`,
      )
    })
  })
}

import { Writable } from 'node:stream'
import type { CommandContext } from './context.js'

const prefix = 'app | '

/**
 * Shows what an app writes, each line behind `app | `, so that it is told from what the command says.
 *
 * `said` gets it as it was written.
 */
export function appOutput({ stderr }: CommandContext, said?: string[]): Writable {
  let isAtStart = true
  return new Writable({
    // At once, so that what the command says next stands behind it.
    write(chunk: Buffer, _encoding, done) {
      said?.push(chunk.toString())
      // A letter of several bytes may stand in two chunks.
      const text = chunk.toString('latin1')
      const lines = text.replace(/\n(?!$)/g, `\n${prefix}`)
      stderr.write(Buffer.from(isAtStart ? prefix + lines : lines, 'latin1'))
      isAtStart = text.endsWith('\n')
      done()
    },
  })
}

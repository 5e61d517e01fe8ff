// A file with recorded traffic, as commands are given it.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readRecording } from '../../../compare/src/recording.js'
import { UsageError } from './options.js'

const mostFileBytes = 500 * 1024 * 1024

/** Reads a recording. Throws UsageError. */
export function readTraffic(traffic: string): ReturnType<typeof readRecording> {
  const found = existsSync(traffic) ? statSync(traffic) : undefined
  // A pipe has an end, and a device has none.
  if (found === undefined || found.isDirectory() || found.isCharacterDevice())
    throw new UsageError(`There is no file ${traffic}`)
  // Node makes no longer text of it.
  if (found.size > mostFileBytes)
    throw new UsageError(
      `${traffic} has more than ${mostFileBytes} bytes: split it, each line stands for itself`,
    )
  const read = readRecording(readFileSync(traffic, 'utf8'))
  if (read.exchanges.length === 0)
    throw new UsageError(`${traffic} holds no requests: recorder() writes such a file`)
  return read
}

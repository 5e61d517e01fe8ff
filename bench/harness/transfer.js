import { join } from 'node:path'
import { run } from './load.js'

const client = join(import.meta.dirname, 'transfer-client.js')

/** Moves so many MiB, in a process of its own beside the server; `requests` are MiB, each way counted once. */
export async function transfer(port, way, mebibytes) {
  const output = await run(process.execPath, [client, String(port), way, String(mebibytes)])
  return { requests: mebibytes, seconds: Number(output) }
}

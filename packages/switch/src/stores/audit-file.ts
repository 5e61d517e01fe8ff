// The audit trail of a file of states: a JSON object a line, in a file beside it.
import { promises as files } from 'node:fs'
import { nodeCrypto } from '../states/node-crypto.js'

/** Notes an entry, once. Called while the file of states is locked. The oldest entries are left out where there are more than `most`. */
export async function noteInFile(file: string, entry: { readonly id: string }, most: number): Promise<void> {
  const line = JSON.stringify(entry)
  const before = await files.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = before.split('\n').filter((one) => one !== '')
  // A change that was offered again, as its answer was lost.
  if (lines.some((one) => one.includes(JSON.stringify(entry.id)))) return
  if (lines.length < most) return files.appendFile(file, `${line}\n`)
  const draft = `${file}.${nodeCrypto().randomUUID()}.tmp`
  await files.writeFile(draft, [...lines.slice(lines.length - most + 1), line, ''].join('\n'), { flag: 'wx' })
  await files.rename(draft, file)
}

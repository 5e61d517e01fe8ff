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
  // Of a disk that was full, or a process that was ended, a line may have no end: what is added to it could not be read either.
  const end = before === '' || before.endsWith('\n') ? '' : '\n'
  const lines = before.split('\n').filter((one) => one !== '')
  // A change that was offered again, as its answer was lost.
  if (lines.some((one) => one.includes(JSON.stringify(entry.id)) && one.endsWith('}'))) return
  if (lines.length < most) return files.appendFile(file, `${end}${line}\n`)
  const draft = `${file}.${nodeCrypto().randomUUID()}.tmp`
  try {
    await files.writeFile(draft, [...lines.slice(lines.length - most + 1), line, ''].join('\n'), {
      flag: 'wx',
    })
    await files.rename(draft, file)
  } catch (error) {
    // Each change would leave another one, and fill the disk.
    await files.rm(draft, { force: true })
    throw error
  }
}

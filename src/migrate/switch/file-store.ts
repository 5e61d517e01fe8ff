import { randomUUID } from 'node:crypto'
import { type FSWatcher, mkdirSync, readFileSync, type Stats, statSync, watch } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOptions, checkText, isOptions } from '../../options.js'
import { applied } from './memory-store.js'
import type { MigrationStore, StoreChange, StoredStates } from './schema.js'
import { mostHistory, readStates } from './stored-states.js'

/** Who has held the lock for so long has ended without giving it back. */
const staleLockMs = 5000
const lockTries = 200
/** A larger file is none of states, and to read it would hold all requests up. */
const mostBytes = 4 * 1024 * 1024

/**
 * States in a JSON file, `{ "states": { "GET /users/:id": "canary 5%" } }`, which people may edit too. Processes that use the same file
 * follow one another.
 *
 * It is written to a file beside it that then takes its name, so that no process reads half of it. What cannot be read changes nothing.
 *
 * @example
 * ```ts
 * import { fileStore } from 'routecontrollers/migrate'
 *
 * const store = fileStore({ file: '/tmp/migration.json' })
 * console.log(store.name) // file
 * ```
 */
export function fileStore(options: { file: string }): MigrationStore {
  checkOptions('fileStore', options, { file: checkText })
  checkText('file', options.file)
  const file = resolve(options.file)
  let known: { readonly stamp: string; readonly content: StoredStates } | undefined

  const write = async ({ route, state, takeBack, entry }: StoreChange): Promise<void> => {
    const release = await lock(`${file}.lock`)
    try {
      // What cannot be read is for somebody to mend: to write over it would take all states away.
      const { states, history = [] } = parse(await readText(file))
      const isThere = history.some(({ id }) => id === entry.id)
      const next = {
        states: applied(states, route, state, takeBack),
        history: isThere ? history : [...history, entry].slice(-mostHistory),
      }
      const draft = `${file}.${randomUUID()}.tmp`
      try {
        await writeFile(draft, `${JSON.stringify(next, null, 2)}\n`)
        await rename(draft, file)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    } finally {
      await release()
    }
  }

  return {
    name: 'file',
    // Sync, so that the states are there before the first request; and only where the file is another one than before.
    read() {
      const found = statSync(file, { throwIfNoEntry: false })
      if (found === undefined) {
        // A file that was there and is gone says nothing; one that was never there is to be written yet.
        if (known !== undefined) throw new Error(`there is no ${file} any more`)
        return { states: {} }
      }
      checkFile(file, found)
      const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`
      if (known?.stamp !== stamp) known = { stamp, content: parse(readFileSync(file, 'utf8')) }
      return known.content
    },
    write,
    watch(changed) {
      mkdirSync(dirname(file), { recursive: true })
      let watcher: FSWatcher | undefined
      try {
        // The folder: to rename a file is to put another one in its place.
        watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
          if (name === null || name === basename(file)) changed()
        })
        watcher.on('error', () => watcher?.close())
      } catch {
        // Where nothing can be watched the file is looked at once a second all the same.
      }
      return () => watcher?.close()
    },
  }
}

/** Before it is read. */
function checkFile(file: string, found: Stats): void {
  // A pipe would never end.
  if (!found.isFile()) throw new Error(`${file} is no file`)
  if (found.size > mostBytes) throw new Error(`${file} has more than ${mostBytes} bytes`)
}

async function readText(file: string): Promise<string> {
  try {
    checkFile(file, await stat(file))
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}'
    throw error
  }
}

function parse(text: string): StoredStates {
  const content = JSON.parse(text) as { states?: unknown; history?: unknown }
  if (!isOptions(content)) throw new Error('the file holds no object')
  return readStates(content)
}

/** Keeps other processes from writing in between. Gives what lets them. */
async function lock(path: string): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    try {
      const handle = await open(path, 'wx')
      await handle.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries >= lockTries) throw error
    }
    const held = await stat(path).catch(() => undefined)
    if (held !== undefined && Date.now() - held.mtimeMs > staleLockMs) await rm(path, { force: true })
    else await sleep(5 + Math.random() * 20)
  }
}

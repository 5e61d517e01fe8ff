import {
  type FSWatcher,
  mkdirSync,
  promises as files,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
  watch,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import { checkOptions, checkText, count } from '../../../../src/ground/options.js'
import { withAcceptance } from './acceptances.js'
import { noteInFile } from './audit-file.js'
import { applied, isOutdated } from './memory-store.js'
import { lineOf } from '../states/error-line.js'
import { nodeCrypto } from '../states/node-crypto.js'
import type { Acceptance, MigrationStore, StoreAnswer, StoreChange, StoredStates } from '../states/schema.js'
import { mostAudited, mostHistory, readStates } from '../states/stored-states.js'

/** Who has held the lock for so long has ended without giving it back. */
const staleLockMs = 5000
/** The same where its date is in the future, as the clock has been set since, or is another machine's. */
const staleWatchedMs = 2000
const mostLockMs = 10_000
const mostLinks = 40
/** An editor may take a file away before it writes the new one. */
const lostAfterMs = 500
/** A larger file is none of states, and to read it would hold all requests up. */
const mostBytes = 4 * 1024 * 1024

/**
 * States in a JSON file, `{ "states": { "GET /users/:id": "canary 5%" } }`, which people may edit too. Processes that use the same file
 * follow one another.
 *
 * It has a version, which each change makes greater. A change that was decided on another content of the file is refused.
 *
 * It is written to a file beside it that then takes its name, so that no process reads half of it. A symbolic link stays, and so do the
 * permissions, and the owner where this process may set it. What cannot be read changes nothing.
 *
 * Beside it the last `auditEntries` changes (10 000) are noted, a JSON object a line: `migration.json.audit.jsonl`. 0 notes none.
 *
 * @example
 * ```ts
 * import { fileStore } from '@routecontrollers/switch'
 *
 * const store = fileStore({ file: '/tmp/migration.json' })
 * console.log(store.name) // file
 * ```
 */
export function fileStore(options: { file: string; auditEntries?: number }): MigrationStore {
  const { auditEntries = mostAudited } = checkOptions('fileStore', options, {
    file: checkText,
    auditEntries: count('a count', 0, 1_000_000),
  })
  checkText('file', options.file)
  const file = resolve(options.file)
  let known: Known | undefined
  // Who writes a file anew by hand writes no version: then the one that is known here counts.
  let version = 0

  /** Since when a file is gone that was there. */
  let goneSince: number | undefined

  const isGone = (): Error => new Error(`there is no ${file} any more`)

  /** Writes what `next` makes of the content, unless that is undefined, and notes it. */
  const writeNext = async (next: Next, noted?: Noted): Promise<StoreAnswer> => {
    for (;;) {
      const answer = await tryToWrite(next, noted)
      if (answer !== 'lost') return answer
    }
  }

  /** `'lost'` where this process was held up for so long that another one has taken its lock away. */
  const tryToWrite = async (next: Next, noted?: Noted): Promise<StoreAnswer | 'lost'> => {
    // Beside the file itself: others may know it by another name than the link.
    const target = await targetOf(file)
    const held = await lock(`${target}.lock`)
    try {
      // What cannot be read is for a person to mend: to write over it would take all states away.
      const { text, found } = await readText(target)
      const content = next({ text, isThere: found !== undefined, stored: parse(target, text) })
      if (content === undefined) return { isStored: false }
      const draft = `${target}.${nodeCrypto().randomUUID()}.tmp`
      try {
        // For no other user, until it has the permissions of the file.
        const mode = found === undefined ? 0o666 : 0o600
        await files.writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode, flag: 'wx' })
        if (found !== undefined) await giveOwner(draft, found)
        if (!(await held.isHeld())) {
          await files.rm(draft, { force: true })
          return 'lost'
        }
        await files.rename(draft, target)
      } catch (error) {
        await files.rm(draft, { force: true })
        throw error
      }
      const entry = auditEntries > 0 ? noted?.(content) : undefined
      if (entry === undefined) return { isStored: true }
      try {
        await noteInFile(`${target}.audit.jsonl`, entry, auditEntries)
        return { isStored: true }
      } catch (error) {
        // A rollback must not wait for a disk.
        return { isStored: true, auditProblem: lineOf(error) }
      }
    } finally {
      await held.release()
    }
  }

  /** Who edits a file by hand leaves its version: who has looked at it before has seen another one all the same. */
  const isEdited = ({ states }: StoredStates): boolean =>
    known !== undefined && JSON.stringify(states) !== JSON.stringify(known.content.states)

  const following = (there: number | undefined): number => Math.max(version, there ?? 0) + 1

  const write = (change: StoreChange): Promise<StoreAnswer> =>
    writeNext(
      ({ text, stored: { states, history = [], version: there, accepted } }) => {
        const { route, state, takeBack, entry, seen } = change
        if (isOutdated(seen, version) || (seen !== undefined && text !== (known?.text ?? noStates))) {
          // Of the same stamp it would not be read again.
          known &&= { ...known, stamp: '' }
          return undefined
        }
        const isThere = history.some(({ id }) => id === entry.id)
        const next = following(there)
        return {
          version: next,
          states: applied(states, route, state, takeBack),
          history: isThere ? history : [...history, { ...entry, version: next }].slice(-mostHistory),
          ...(accepted !== undefined && { accepted }),
        }
      },
      ({ history }) => history?.find(({ id }) => id === change.entry.id),
    )

  const restore = ({ states, history, accepted, version: had }: StoredStates): Promise<StoreAnswer> =>
    writeNext(({ isThere }) =>
      isThere
        ? undefined
        : { version: following(had), states, ...(history && { history }), ...(accepted && { accepted }) },
    )

  /** The version stays: no state is another one. */
  const accept = async (acceptance: Acceptance, isTakenBack: boolean): Promise<void> => {
    await writeNext(
      ({ stored, isThere }) => {
        // What is gone is put back first: a file with nothing but this would take all states away.
        if (!isThere && known !== undefined) throw isGone()
        return { ...stored, accepted: withAcceptance(stored.accepted ?? [], acceptance, isTakenBack) }
      },
      () => ({ id: nodeCrypto().randomUUID(), ...acceptance, isTakenBack }),
    )
  }

  return {
    name: 'file',
    // Sync, so that the states are there before the first request; and only where the file is another one than before.
    read() {
      const found = statSync(file, { throwIfNoEntry: false })
      if (found === undefined) {
        // A file that was there and is gone says nothing. One that was never there, as far as is known here, is to be written yet.
        if (known === undefined) return { states: {}, version }
        goneSince ??= performance.now()
        if (performance.now() - goneSince < lostAfterMs) throw isGone()
        return { states: {}, version, isLost: true }
      }
      goneSince = undefined
      checkFile(file, found)
      const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`
      if (known?.stamp !== stamp) {
        const text = readFileSync(file, 'utf8')
        const content = parse(file, text)
        version = Math.max(version + Number(isEdited(content)), content.version ?? 0)
        known = { stamp, text, content }
      }
      // Who writes a file without states means that.
      return { ...known.content, version, isLost: false }
    },
    write,
    accept,
    restore,
    watch(changed) {
      mkdirSync(dirname(file), { recursive: true })
      const watchers = [...new Set([file, linkedBy(file)])].map((one) => watchFile(one, changed))
      return () => {
        for (const watcher of watchers) watcher?.close()
      }
    },
  }
}

/** What was read of a file. */
interface Known {
  readonly stamp: string
  readonly text: string
  readonly content: StoredStates
}

/** What stands in a file while it is locked. */
interface Content {
  readonly text: string
  readonly isThere: boolean
  readonly stored: StoredStates
}

type Next = (now: Content) => StoredStates | undefined
type Noted = (content: StoredStates) => { readonly id: string } | undefined

interface Lock {
  /** False once another process has taken it away. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

/** What helps where something else than a file of states is there. */
const remedy = 'mend it, or delete it, and a process that still knows the states writes them anew'

/** What a file holds that is yet to be written. */
const noStates = '{ "states": {} }'

/** The file that a link leads to now; where it leads to another one, that is found once a second. */
function linkedBy(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function watchFile(file: string, changed: () => void): FSWatcher | undefined {
  try {
    // The folder: to rename a file is to put another one in its place.
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) changed()
    })
    return watcher.on('error', () => watcher.close())
  } catch {
    // Where nothing can be watched the file is looked at once a second all the same.
    return undefined
  }
}

/** Before it is read. */
function checkFile(file: string, found: Stats): void {
  // A pipe would never end.
  if (!found.isFile()) throw new Error(`${file} is no file: ${remedy}`)
  if (found.size > mostBytes) throw new Error(`${file} has more than ${mostBytes} bytes: ${remedy}`)
}

async function readText(file: string): Promise<{ text: string; found: Stats | undefined }> {
  try {
    const found = await files.stat(file)
    checkFile(file, found)
    return { text: await files.readFile(file, 'utf8'), found }
  } catch (error) {
    if (!isMissing(error)) throw error
    return { text: noStates, found: undefined }
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** The file that a path leads to by symbolic links, whether it is there or not. */
async function targetOf(path: string): Promise<string> {
  let target = path
  for (let links = 0; links <= mostLinks; links++) {
    try {
      return await files.realpath(target)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    // `realpath` knows no file that is yet to be written.
    const next = await files.readlink(target).catch(() => undefined)
    if (next === undefined) return target
    target = resolve(dirname(target), next)
  }
  throw new Error(`${path} leads through more than ${mostLinks} links`)
}

/** Gives a new file the owner and the permissions of the one that it replaces, as far as this process may. */
async function giveOwner(draft: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await files.stat(draft)
  const give = (user: number, group: number): Promise<boolean> =>
    files.chown(draft, user, group).then(
      () => true,
      () => false,
    )
  // A user who is not root may give it to a group alone.
  if ((own.uid !== uid || own.gid !== gid) && !(await give(uid, gid))) await give(own.uid, gid)
  // Last: a change of the owner takes some of them away.
  await files.chmod(draft, mode & 0o7777)
}

function parse(file: string, text: string): StoredStates {
  try {
    // Editors of Windows begin a file with a BOM, which is no JSON.
    return readStates(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as Error).message}): ${remedy}`)
  }
}

/** Keeps other processes from writing in between. */
async function lock(path: string): Promise<Lock> {
  const began = performance.now()
  const isOver = (): boolean => performance.now() - began > mostLockMs
  let watched: { readonly stamp: string; readonly since: number } | undefined
  for (;;) {
    try {
      await create(path)
      const own = await stampOf(path)
      return {
        isHeld: async () => own !== undefined && (await stampOf(path)) === own,
        release: () => takeAway(path, own),
      }
    } catch (error) {
      if (!isThere(error) || isOver()) throw error
    }
    const held = await files.stat(path).catch(() => undefined)
    if (held === undefined) continue
    const stamp = shownStamp(held)
    if (watched?.stamp !== stamp) watched = { stamp, since: performance.now() }
    const age = Date.now() - held.mtimeMs
    const isStale = age < 0 ? performance.now() - watched.since > staleWatchedMs : age > staleLockMs
    if (isStale) await takeAway(path, stamp)
    else await pause()
  }
}

/**
 * Takes a lock away, unless there is another one by now: to look and to take are one step for all processes, as who does so holds a file
 * of its own.
 */
async function takeAway(path: string, stamp: string | undefined): Promise<void> {
  const claim = `${path}.away`
  const began = performance.now()
  let watched: { readonly stamp: string; readonly since: number } | undefined
  for (;;) {
    try {
      await create(claim)
      break
    } catch (error) {
      if (!isThere(error)) throw error
      // Who waits for the lock finds it stale later on.
      if (performance.now() - began > mostLockMs) return
    }
    const found = await stampOf(claim)
    if (found === undefined) continue
    if (watched?.stamp !== found) watched = { stamp: found, since: performance.now() }
    // Hazard: one that is left over. Two processes that remove it in the same moment could both go on.
    if (performance.now() - watched.since > staleWatchedMs) await files.rm(claim, { force: true })
    else await pause()
  }
  try {
    if ((await stampOf(path)) === stamp) await files.rm(path, { force: true })
  } finally {
    await files.rm(claim, { force: true })
  }
}

async function create(path: string): Promise<void> {
  const handle = await files.open(path, 'wx')
  await handle.close()
}

function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** Which file has a name now; undefined for none. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await files.stat(path).catch(() => undefined)
  return found && shownStamp(found)
}

function shownStamp({ ino, mtimeMs }: Stats): string {
  return `${ino} ${mtimeMs}`
}

function pause(): Promise<void> {
  return timers.promises.setTimeout(5 + Math.random() * 20)
}

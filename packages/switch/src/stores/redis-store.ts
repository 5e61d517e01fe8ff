import {
  checkOptions,
  checkText,
  count,
  hasMethods,
  nameType,
  wrongOption,
} from '../../../../src/ground/options.js'
import { nodeCrypto } from '../states/node-crypto.js'
import type { FleetView, HistoryEntry, MigrationStore, StoreAnswer, StoredStates } from '../states/schema.js'
import {
  mostAudited,
  mostHistory,
  readAccepted,
  readHistory,
  readMap,
  readVersion,
} from '../states/stored-states.js'
import { acceptScript, changeScript, reportScript } from './redis-scripts.js'

/** For how long a replica leads that is not heard of. */
const leaseMs = 5000
/** For how long a replica counts that is not heard of. */
const freshMs = 15_000
/** For how long it is known which report of it was the last one. */
const knownMs = 86_400_000

/** What is used of a client of the package `redis`, version 4 or newer, or of its cluster. */
export interface RedisClient {
  readonly isOpen: boolean
  hGetAll(key: string): Promise<Record<string, string>>
  lRange(key: string, start: number, stop: number): Promise<string[]>
  multi(): RedisTransaction
  evalSha(sha1: string, options: RedisScriptCall): Promise<unknown>
  eval(script: string, options: RedisScriptCall): Promise<unknown>
  duplicate(): RedisSubscriber
}

/** What a script is given. */
export interface RedisScriptCall {
  keys: string[]
  arguments: string[]
}

/** Commands that are carried out together. */
export interface RedisTransaction {
  hGetAll(key: string): RedisTransaction
  lRange(key: string, start: number, stop: number): RedisTransaction
  get(key: string): RedisTransaction
  exec(): Promise<unknown>
}

/** The connection that waits for messages. */
export interface RedisSubscriber {
  connect(): Promise<unknown>
  on(event: 'error' | 'ready', listener: () => void): unknown
  subscribe(channel: string, listener: () => void): Promise<unknown>
  destroy?(): unknown
  disconnect?(): unknown
}

/**
 * States in Redis, so that all workers and machines follow one another: by a message, and once a second in case that one was lost.
 *
 * `client` is one of the package `redis` that you have made and connected, with a listener of `'error'`; close it yourself. `key` is the
 * prefix of what is written: `redisStore({ client, key: 'shop:migration' })`. In braces it is the hash tag of all keys, so that they are in
 * one slot of a Redis Cluster.
 *
 * A change is one script. It is refused where another user has made one that it has not seen, and its time is that of Redis. It notes the change in a
 * stream, too, which has about the last `auditEntries` (10 000): `XREVRANGE {routecontrollers:migration}:audit + - COUNT 20`. 0 notes none.
 */
export function redisStore(options: {
  client: RedisClient
  key?: string
  auditEntries?: number
}): MigrationStore {
  const checkClient = (option: string, value: unknown): void => {
    if (hasMethods(value, 'hGetAll', 'multi', 'duplicate', 'lRange', 'evalSha', 'eval')) return
    throw wrongOption(option, 'a client of the package redis', nameType(value))
  }
  const { key = 'routecontrollers:migration', auditEntries = mostAudited } = checkOptions(
    'redisStore',
    options,
    { client: checkClient, key: checkText, auditEntries: count('a count', 0, 1_000_000) },
  )
  const { client } = options
  checkClient('client', client)
  // A key may have a hash tag of its own.
  const prefix = /\{[^}]+\}/.test(key) ? key : `{${key}}`
  const channel = `${prefix}:changed`
  const [states, history] = keysOf(prefix)
  const leader = `${prefix}:leader`
  const [acceptedKey, audit] = [`${prefix}:accepted`, `${prefix}:audit`]
  const keys = [states, history, `${prefix}:version`, leader, acceptedKey, audit]
  const fleetKeys = [
    leader,
    ...['leaders', 'replicas', 'figures', 'reports', 'members', 'asked'].map((name) => `${prefix}:${name}`),
  ]
  /** What stands under the keys that had no hash tag, as long as there is nothing under the others. */
  let former: StoredStates | undefined

  const run = async (script: string, given: string[], keysOfScript = keys): Promise<unknown> => {
    const call = { keys: keysOfScript, arguments: given }
    try {
      return await client.evalSha(nodeCrypto().createHash('sha1').update(script).digest('hex'), call)
    } catch (error) {
      // Redis has been started again, or has never seen it.
      if (!isReply(error, 'NOSCRIPT')) throw error
      return client.eval(script, call)
    }
  }

  const change = async (seen: number | undefined, ...given: (string | number)[]): Promise<StoreAnswer> => {
    const all = [seen ?? '', channel, mostHistory, ...given].map(String)
    const done = await run(changeScript, all)
    const auditProblem = typeof done === 'string' ? { auditProblem: done } : {}
    return {
      isStored: done === 1 || typeof done === 'string',
      ...(done === 2 && { isLeaseOver: true }),
      ...auditProblem,
    }
  }

  return {
    name: 'redis',
    async read(): Promise<StoredStates> {
      // Without it a client keeps what it is asked until it is connected again.
      requireOpen(client)
      // Together: a change in between would give the states of one version and the number of another.
      const transaction = client.multi().hGetAll(states).lRange(history, -mostHistory, -1).get(keys[2]!)
      const [found, entries, version, differences] = (await transaction
        .hGetAll(acceptedKey)
        .exec()
        .catch((error: unknown) => {
          throw refusalIn(error)
        })) as unknown[]
      const stored = readStored(found, entries)
      const isNew = version === null && Object.keys(stored.states).length === 0
      former = isNew && prefix !== key ? await readFormer(client, key) : undefined
      const isEmpty = Object.keys(stored.states).length === 0
      // What has a version has held states. Redis takes them away for want of memory, too.
      const isLost = version !== null && isEmpty ? true : undefined
      const accepted = readAccepted(Object.values({ ...(differences as object) }).map(parseJson))
      return { ...(former ?? stored), accepted, version: readVersion(version), isLost }
    },
    async write({ route, state, takeBack, entry, seen, lease = '' }): Promise<StoreAnswer> {
      requireOpen(client)
      const begin = former === undefined ? '' : beginText(former)
      return change(seen, begin, 0, route, state, JSON.stringify(entry), lease, auditEntries, ...takeBack)
    },
    async accept(acceptance, isTakenBack): Promise<void> {
      requireOpen(client)
      const text = isTakenBack ? '' : JSON.stringify(acceptance)
      const entry = Object.entries({ ...acceptance, isTakenBack }).flat()
      const difference = JSON.stringify([acceptance.route, acceptance.place])
      const given = [difference, text, channel, auditEntries, ...entry].map(String)
      await run(acceptScript, given, [acceptedKey, audit])
    },
    restore(stored, seen): Promise<StoreAnswer> {
      requireOpen(client)
      return change(seen, beginText(stored), stored.version ?? 0, '', '', '', '', 0)
    },
    async report({ replica, run: ownRun, number, counts, asked, mayLead, about }): Promise<FleetView> {
      requireOpen(client)
      const times = [mayLead ? leaseMs : 0, freshMs, knownMs]
      const given = [replica, ownRun, number, ...times, about, JSON.stringify(asked), ...[...counts].flat()]
      return viewOf(await run(reportScript, given.map(String), fleetKeys))
    },
    watch(changed) {
      const subscriber = client.duplicate()
      let isClosed = false
      // A client that has lost the connection tries again by itself, and may have missed a message.
      subscriber.on('error', () => {})
      subscriber.on('ready', changed)
      void subscriber
        .connect()
        .then(() => subscriber.subscribe(channel, changed))
        .catch(() => {})
        .then(() => {
          if (isClosed) end()
        })
      const end = (): void => {
        try {
          if (subscriber.destroy !== undefined) subscriber.destroy()
          else void subscriber.disconnect?.()
        } catch {
          // It was closed already.
        }
      }
      return () => {
        isClosed = true
        end()
      }
    },
  }
}

function viewOf(answer: unknown): FleetView {
  const [lease, isLeader, members, figures, asked, now] = answer as unknown[]
  const askedAt = mapOf(asked, timeOf)
  const since = askedAt.get('') ?? Number(now)
  askedAt.delete('')
  const text = String(lease)
  return {
    lease: text === '' ? undefined : text,
    leader: text === '' ? undefined : text.slice(0, text.indexOf('#')),
    isLeader: Number(isLeader) === 1,
    members: mapOf(members, String),
    counts: mapOf(figures, finite),
    askedAt,
    since,
    now: Number(now),
  }
}

/** Of a hash, whose names and values Redis gives in turn. */
function mapOf<Value>(flat: unknown, read: (value: unknown) => Value | undefined): Map<string, Value> {
  const list = Array.isArray(flat) ? (flat as unknown[]) : []
  const map = new Map<string, Value>()
  for (let at = 0; at + 1 < list.length; at += 2) {
    const value = read(list[at + 1])
    if (value !== undefined) map.set(String(list[at]), value)
  }
  return map
}

function finite(value: unknown): number | undefined {
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** A time that a Date can have: other programs may have written into this Redis. */
function timeOf(value: unknown): number | undefined {
  const time = finite(value)
  return Number.isNaN(new Date(time ?? NaN).getTime()) ? undefined : time
}

/** The keys of the states and of the history. */
function keysOf(prefix: string): [states: string, history: string] {
  return [`${prefix}:states`, `${prefix}:history`]
}

function readStored(states: unknown, entries: unknown): StoredStates & { history: readonly HistoryEntry[] } {
  const texts = Array.isArray(entries) ? (entries as unknown[]) : []
  return { states: readMap({ ...(states as object) }), history: readHistory(texts.map(parse)) }
}

/** Of a version of this package that knew no hash tag. Two commands: on a cluster they are in two slots. */
async function readFormer(client: RedisClient, key: string): Promise<StoredStates | undefined> {
  const [states, history] = keysOf(key)
  try {
    const stored = readStored(
      ...(await Promise.all([client.hGetAll(states), client.lRange(history, -mostHistory, -1)])),
    )
    return Object.keys(stored.states).length > 0 ? stored : undefined
  } catch (error) {
    // A user of Redis may have these keys alone, or the node of a cluster.
    if (isReply(error, 'NOPERM') || isReply(error, 'MOVED')) return undefined
    throw error
  }
}

/** What a script lays down before a change. Names and values in turn: Lua keeps no order of an object. */
function beginText({ states, history = [], accepted = [] }: StoredStates): string {
  const entries = history.map((entry) => JSON.stringify(entry))
  const differences = accepted.flatMap((one) => [JSON.stringify([one.route, one.place]), JSON.stringify(one)])
  return JSON.stringify({ states: Object.entries(states).flat(), history: entries, accepted: differences })
}

/** What Redis has said to the first command of several that it has refused, where a client only counts them. */
function refusalIn(error: unknown): unknown {
  const { replies, errorIndexes } = (error ?? {}) as { replies?: unknown[]; errorIndexes?: number[] }
  return replies?.[errorIndexes?.[0] ?? -1] ?? error
}

/** True for what Redis itself has answered. */
function isReply(error: unknown, code: string): boolean {
  return String((error as { message?: unknown } | undefined)?.message).startsWith(code)
}

function requireOpen({ isOpen }: RedisClient): void {
  if (!isOpen) throw new Error('the client of Redis is not connected')
}

/** An entry, by the time of Redis where that has noted it. */
function parse(text: unknown): HistoryEntry | undefined {
  const found = parseJson(text)
  if (typeof found !== 'object' || found === null) return undefined
  const { time: noted, ...entry } = found as HistoryEntry & { time?: unknown }
  const time = typeof noted === 'number' ? timeOf(noted) : undefined
  return time === undefined ? entry : { ...entry, at: new Date(time).toISOString() }
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return undefined
  }
}

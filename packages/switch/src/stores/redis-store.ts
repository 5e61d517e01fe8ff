import { checkOptions, checkText, hasMethods, nameType, wrongOption } from '../../../../src/ground/options.js'
import type { HistoryEntry, MigrationStore, StoredStates } from '../states/schema.js'
import { mostHistory, readHistory } from '../states/stored-states.js'

/** What is used of a client of the package `redis`, version 4 or newer. */
export interface RedisClient {
  readonly isOpen: boolean
  hGetAll(key: string): Promise<Record<string, string>>
  lRange(key: string, start: number, stop: number): Promise<string[]>
  multi(): RedisTransaction
  duplicate(): RedisSubscriber
}

/** Commands that are carried out together. */
export interface RedisTransaction {
  hSet(key: string, field: string, value: string): RedisTransaction
  hDel(key: string, fields: string[]): RedisTransaction
  rPush(key: string, value: string): RedisTransaction
  lTrim(key: string, start: number, stop: number): RedisTransaction
  publish(channel: string, message: string): RedisTransaction
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
 * prefix of what is written: `redisStore({ client, key: 'shop:migration' })`.
 */
export function redisStore(options: { client: RedisClient; key?: string }): MigrationStore {
  const checkClient = (option: string, value: unknown): void => {
    if (hasMethods(value, 'hGetAll', 'multi', 'duplicate', 'lRange')) return
    throw wrongOption(option, 'a client of the package redis', nameType(value))
  }
  const { key = 'routecontrollers:migration' } = checkOptions('redisStore', options, {
    client: checkClient,
    key: checkText,
  })
  const { client } = options
  checkClient('client', client)
  const [states, history, channel] = [`${key}:states`, `${key}:history`, `${key}:changed`]
  return {
    name: 'redis',
    async read(): Promise<StoredStates> {
      // Without it a client keeps what it is asked until it is connected again.
      requireOpen(client)
      const [found, entries] = await Promise.all([
        client.hGetAll(states),
        client.lRange(history, -mostHistory, -1),
      ])
      return { states: { ...found }, history: readHistory(entries.map(parse)) }
    },
    async write({ route, state, takeBack, entry }) {
      requireOpen(client)
      let transaction = client.multi().hSet(states, route, state)
      if (takeBack.length > 0) transaction = transaction.hDel(states, [...takeBack])
      await transaction
        .rPush(history, JSON.stringify(entry))
        .lTrim(history, -mostHistory, -1)
        .publish(channel, entry.id)
        .exec()
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

function requireOpen({ isOpen }: RedisClient): void {
  if (!isOpen) throw new Error('the client of Redis is not connected')
}

function parse(text: string): HistoryEntry | undefined {
  try {
    return JSON.parse(text) as HistoryEntry
  } catch {
    return undefined
  }
}

import type { RedisClient, RedisSubscriber, RedisTransaction } from '@routecontrollers/switch'

/** As much of Redis as the store uses; the real one runs in `npm run test:hard`. */
export class FakeRedis {
  isAway = false
  isSilent = false
  readonly #hashes = new Map<string, Map<string, string>>()
  readonly #lists = new Map<string, string[]>()
  readonly #subscribers = new Set<{ ready: (() => void)[]; messages: (() => void)[] }>()

  async #do<T>(work: () => T): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.isSilent) return new Promise<T>(() => {})
    if (this.isAway) throw new Error('Socket closed unexpectedly')
    return work()
  }

  #hash(key: string): Map<string, string> {
    if (!this.#hashes.has(key)) this.#hashes.set(key, new Map())
    return this.#hashes.get(key)!
  }

  #list(key: string): string[] {
    if (!this.#lists.has(key)) this.#lists.set(key, [])
    return this.#lists.get(key)!
  }

  client(): RedisClient {
    return {
      isOpen: true,
      hGetAll: (key) => this.#do(() => Object.fromEntries(this.#hash(key))),
      lRange: (key, start) => this.#do(() => this.#list(key).slice(start)),
      multi: () => this.#transaction(),
      duplicate: () => this.#subscriber(),
    }
  }

  #transaction(): RedisTransaction {
    const work: (() => void)[] = []
    const add = (one: () => void): RedisTransaction => {
      work.push(one)
      return transaction
    }
    const transaction: RedisTransaction = {
      hSet: (key, field, value) => add(() => void this.#hash(key).set(field, value)),
      hDel: (key, fields) => add(() => fields.forEach((field) => this.#hash(key).delete(field))),
      rPush: (key, value) => add(() => void this.#list(key).push(value)),
      lTrim: (key, start) => add(() => void this.#lists.set(key, this.#list(key).slice(start))),
      publish: () =>
        add(() => {
          for (const { messages } of this.#subscribers) for (const one of messages) setImmediate(one)
        }),
      exec: () => this.#do(() => work.forEach((one) => one())),
    }
    return transaction
  }

  /** How many wait for messages. */
  get subscribers(): number {
    return this.#subscribers.size
  }

  /** The longest of its lists. */
  get longest(): number {
    return Math.max(0, ...[...this.#lists.values()].map(({ length }) => length))
  }

  #subscriber(): RedisSubscriber {
    const own = { ready: [] as (() => void)[], messages: [] as (() => void)[] }
    return {
      connect: () => this.#do(() => void this.#subscribers.add(own)),
      on: (event, listener) => void (event === 'ready' && own.ready.push(listener)),
      subscribe: async (_channel, listener) => void own.messages.push(listener),
      destroy: () => void this.#subscribers.delete(own),
    }
  }

  /** Lets all who wait for messages know that they are connected again. */
  reconnect(): void {
    for (const { ready } of this.#subscribers) for (const one of ready) one()
  }
}

import { createHash } from 'node:crypto'
import type {
  RedisClient,
  RedisScriptCall,
  RedisSubscriber,
  RedisTransaction,
} from '@routecontrollers/switch'
import type { LuaEngine } from 'wasmoon'
import { type Reply, runLua, startLua } from '../../support/redis-lua.js'

/** As much of Redis as the store uses, in this process. It runs the scripts. A real one stands behind `npm run test:fleet`. */
export class FakeRedis {
  isAway = false
  isSilent = false
  /** What it says to one of several commands, which are sent together. */
  refusal: string | undefined
  /** Of reports: they are carried out all the same. */
  losesAnswers = false
  /** By its own clock, which is that of no process. */
  time = Date.UTC(2031, 0, 1)
  /** What was asked for. */
  readonly asked: string[] = []
  readonly #values = new Map<string, string>()
  /** Until when values are kept. */
  readonly #ends = new Map<string, number>()
  /** By their digests. */
  readonly #scripts = new Map<string, string>()
  readonly #hashes = new Map<string, Map<string, string>>()
  readonly #lists = new Map<string, string[]>()
  readonly #sets = new Map<string, Map<string, number>>()
  readonly #subscribers = new Set<{ ready: (() => void)[]; messages: (() => void)[] }>()

  async #do<T>(work: () => T): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.isSilent) return new Promise<T>(() => {})
    if (this.isAway) throw new Error('Socket closed unexpectedly')
    return work()
  }

  /** What is asked of it is done, and the answer to a report may be lost. */
  async #taken<T>(call: RedisScriptCall, work: (lua: LuaEngine) => T): Promise<T> {
    // A report that is on its way already is answered.
    const isLost = this.losesAnswers && isReport(call)
    const lua = await startLua()
    return this.#do(() => {
      const done = work(lua)
      if (isLost) throw new Error('Socket closed unexpectedly')
      return done
    })
  }

  #run(lua: LuaEngine, script: string, { keys, arguments: given }: RedisScriptCall): Reply {
    return runLua(lua, script, keys, given, (name, ...args) => {
      const command = this.#commands[name]
      if (command === undefined) throw new Error(`ERR unknown command ${name}`)
      return command(...args)
    })
  }

  readonly #commands: Readonly<Record<string, (...given: any[]) => Reply>> = {
    TIME: () => [String(Math.floor(this.time / 1000)), String(Math.floor(this.time % 1000) * 1000)],
    GET: (key: string) => {
      // A lease ends where a test moves `time`, or by `flush`.
      if ((this.#ends.get(key) ?? Infinity) <= this.time) this.#values.delete(key)
      return this.#values.get(key) ?? null
    },
    SET: (key: string, value: string, _px?: string, ms?: string) => {
      this.#values.set(key, value)
      this.#ends.set(key, this.time + Number(ms ?? Infinity))
      return 'OK'
    },
    PEXPIRE: (key: string, ms: string) => {
      this.#ends.set(key, this.time + Number(ms))
      return 1
    },
    INCR: (key: string) => {
      const next = wholeOf(this.#values.get(key)) + 1
      this.#values.set(key, String(next))
      return next
    },
    DEL: (...keys: string[]) => {
      for (const key of keys) this.flush(key)
      return keys.length
    },
    HGET: (key: string, field: string) => this.#hash(key).get(field) ?? null,
    HGETALL: (key: string) => [...this.#hash(key)].flat(),
    HSET: (key: string, field: string, value: string) => {
      this.#hash(key).set(field, value)
      return 1
    },
    HSETNX: (key: string, field: string, value: string) => {
      if (this.#hash(key).has(field)) return 0
      this.#hash(key).set(field, value)
      return 1
    },
    HDEL: (key: string, field: string) => Number(this.#hash(key).delete(field)),
    HINCRBY: (key: string, field: string, by: string) => {
      const next = wholeOf(this.#hash(key).get(field)) + wholeOf(by)
      this.#hash(key).set(field, String(next))
      return next
    },
    RPUSH: (key: string, value: string) => this.#list(key).push(value),
    LTRIM: (key: string, start: string) => {
      this.#lists.set(key, this.#list(key).slice(Number(start)))
      return 'OK'
    },
    ZADD: (key: string, score: string, member: string) => {
      this.#sorted(key).set(member, Number(score))
      return 1
    },
    ZRANGEBYSCORE: (key: string, _from: string, to: string) => this.#upTo(key, Number(to)),
    ZREMRANGEBYSCORE: (key: string, _from: string, to: string) => {
      const gone = this.#upTo(key, Number(to))
      for (const member of gone) this.#sorted(key).delete(member)
      return gone.length
    },
    XADD: (key: string, _maxlen: string, _about: string, most: string, _id: string, ...fields: string[]) => {
      const names = fields.filter((_text, at) => at % 2 === 0)
      const noted = names.map((name, at) => [name, fields[2 * at + 1]] as const)
      this.#list(key).push(JSON.stringify(Object.fromEntries(noted)))
      this.#lists.set(key, this.#list(key).slice(-Number(most)))
      return '1-0'
    },
    PUBLISH: () => {
      for (const { messages } of this.#subscribers) for (const one of messages) setImmediate(one)
      return 1
    },
  }

  #upTo(key: string, score: number): string[] {
    return [...this.#sorted(key)].flatMap(([member, own]) => (own <= score ? [member] : []))
  }

  #hash(key: string): Map<string, string> {
    if (!this.#hashes.has(key)) this.#hashes.set(key, new Map())
    return this.#hashes.get(key)!
  }

  #sorted(key: string): Map<string, number> {
    if (!this.#sets.has(key)) this.#sets.set(key, new Map())
    return this.#sets.get(key)!
  }

  #list(key: string): string[] {
    if (!this.#lists.has(key)) this.#lists.set(key, [])
    return this.#lists.get(key)!
  }

  client(): RedisClient {
    return {
      isOpen: true,
      hGetAll: (key) => this.#do(() => this.hash(key)),
      lRange: (key, start) => this.#do(() => this.#list(key).slice(start)),
      multi: () => this.#transaction(),
      evalSha: (sha, call) => {
        if (isChange(call)) this.asked.push('evalSha')
        return this.#taken(call, (lua) => {
          const script = this.#scripts.get(sha)
          if (script === undefined) throw new Error('NOSCRIPT No matching script.')
          return this.#run(lua, script, call)
        })
      },
      eval: (script, call) => {
        if (isChange(call)) this.asked.push('eval')
        return this.#taken(call, (lua) => {
          this.#scripts.set(createHash('sha1').update(script).digest('hex'), script)
          return this.#run(lua, script, call)
        })
      },
      duplicate: () => this.#subscriber(),
    }
  }

  #transaction(): RedisTransaction {
    const work: (() => unknown)[] = []
    const add = (one: () => unknown): RedisTransaction => {
      work.push(one)
      return transaction
    }
    const transaction: RedisTransaction = {
      hGetAll: (key) => add(() => this.hash(key)),
      lRange: (key, start) => add(() => this.#list(key).slice(start)),
      get: (key) => add(() => this.#values.get(key) ?? null),
      exec: () =>
        this.#do(() => {
          if (this.refusal === undefined) return work.map((one) => one())
          // As the client of Redis rejects, from version 5 on.
          throw Object.assign(
            new Error('1 commands failed, see .replies and .errorIndexes for more information'),
            {
              replies: [{}, new Error(this.refusal)],
              errorIndexes: [1],
            },
          )
        }),
    }
    return transaction
  }

  /** What stands under a key, as a command line would show it. */
  hash(key: string): Record<string, string> {
    return Object.fromEntries(this.#hash(key))
  }

  /** Takes everything away, or what stands under a key, as Redis itself does for want of memory. */
  flush(key?: string): void {
    for (const all of [this.#hashes, this.#lists, this.#sets, this.#values])
      if (key === undefined) all.clear()
      else all.delete(key)
  }

  /** Writes as a command line does, or as a version of this package did that knew no script. */
  hSet(key: string, field: string, value: string): void {
    this.#hash(key).set(field, value)
  }

  rPush(key: string, value: string): void {
    this.#list(key).push(value)
  }

  /** What was pushed to a list, the oldest first. */
  list(key: string): readonly string[] {
    return this.#list(key)
  }

  /** How many wait for messages. */
  get subscribers(): number {
    return this.#subscribers.size
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

/** As Redis reads a number that it counts with. */
function wholeOf(text = '0'): number {
  if (!/^-?\d{1,18}$/.test(text)) throw new Error('ERR value is not an integer or out of range')
  return Number(text)
}

function isChange({ keys }: RedisScriptCall): boolean {
  return keys[0]!.endsWith(':states')
}

function isReport({ keys }: RedisScriptCall): boolean {
  return keys[0]!.endsWith(':leader')
}

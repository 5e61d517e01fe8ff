import type {
  RedisClient,
  RedisScriptCall,
  RedisSubscriber,
  RedisTransaction,
} from '@routecontrollers/switch'

/** As much of Redis as the store uses, with its script in another language; the real one runs in `npm run test:fleet`. */
export class FakeRedis {
  isAway = false
  isSilent = false
  /** Of reports: they are carried out all the same. */
  losesAnswers = false
  /** By its own clock, which is that of no process. */
  time = Date.UTC(2031, 0, 1)
  /** What was asked for. */
  readonly asked: string[] = []
  readonly #values = new Map<string, string>()
  #hasScript = false
  readonly #hashes = new Map<string, Map<string, string>>()
  readonly #lists = new Map<string, string[]>()
  readonly #subscribers = new Set<{ ready: (() => void)[]; messages: (() => void)[] }>()

  async #do<T>(work: () => T): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.isSilent) return new Promise<T>(() => {})
    if (this.isAway) throw new Error('Socket closed unexpectedly')
    return work()
  }

  /** What is asked of it is done, and the answer may be lost. */
  #taken<T>(work: () => T): Promise<T> {
    return this.#do(() => {
      const done = work()
      if (this.losesAnswers) throw new Error('Socket closed unexpectedly')
      return done
    })
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
      hGetAll: (key) => this.#do(() => this.hash(key)),
      lRange: (key, start) => this.#do(() => this.#list(key).slice(start)),
      multi: () => this.#transaction(),
      evalSha: (_sha, call) => {
        if (isReport(call)) return this.#taken(() => this.#report(call))
        if (call.keys[0]!.endsWith(':accepted')) return this.#do(() => this.#accept(call))
        this.asked.push('evalSha')
        return this.#do(() => {
          if (!this.#hasScript) throw new Error('NOSCRIPT No matching script.')
          return this.#change(call)
        })
      },
      eval: (_script, call) => {
        if (isReport(call)) return this.#taken(() => this.#report(call))
        if (call.keys[0]!.endsWith(':accepted')) return this.#do(() => this.#accept(call))
        this.asked.push('eval')
        return this.#do(() => {
          this.#hasScript = true
          return this.#change(call)
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
      exec: () => this.#do(() => work.map((one) => one())),
    }
    return transaction
  }

  #change({ keys, arguments: given }: RedisScriptCall): number {
    const [states, history, counter] = keys as [string, string, string]
    const [seen, , most, begin, had, route, state, entry, lease, audited, ...takeBack] = given
    if (lease !== '' && lease !== this.#values.get(keys[3]!)) return 2
    const version = this.#values.get(counter) ?? '0'
    if (seen !== '' && seen !== version) return 0
    const following = Math.max(Number(version), Number(had)) + 1
    if (begin !== '') {
      const {
        states: pairs,
        history: entries,
        accepted,
      } = JSON.parse(begin!) as Record<string, string[]> & { states: string[]; history: string[] }
      for (let at = 0; at < accepted!.length; at += 2)
        this.#hash(keys[4]!).set(accepted![at]!, accepted![at + 1]!)
      this.#hash(states).clear()
      for (let at = 0; at < pairs.length; at += 2) this.#hash(states).set(pairs[at]!, pairs[at + 1]!)
      this.#lists.set(history, [...entries])
    }
    if (route !== '') {
      this.#hash(states).set(route!, state!)
      for (const key of takeBack) this.#hash(states).delete(key)
      const noted = { ...(JSON.parse(entry!) as object), version: following }
      this.#list(history).push(JSON.stringify({ ...noted, time: this.time }))
      if (audited !== '0') this.#list(keys[5]!).push(JSON.stringify(noted))
    }
    this.#lists.set(history, this.#list(history).slice(-Number(most)))
    this.#values.set(counter, String(following))
    for (const { messages } of this.#subscribers) for (const one of messages) setImmediate(one)
    return 1
  }

  /** Leases do not end by themselves here: a test ends one by `flush`. */
  #report({ keys, arguments: given }: RedisScriptCall): unknown[] {
    const [leader, leaders, , figures, reports, members, asked] = keys
    const [name, run, number, leaseMs, , , about, routes, ...counts] = given as [string, ...string[]]
    this.#hash(members!).set(name, about!)
    if (!this.#hash(asked!).has('')) this.#hash(asked!).set('', String(this.time))
    const [lastRun, last = '0'] = (this.#hash(reports!).get(name) ?? '').split(' ')
    if (lastRun !== run || Number(number) > Number(last)) {
      this.#hash(reports!).set(name, `${run} ${number}`)
      for (let at = 0; at < counts.length; at += 2) {
        const before = Number(this.#hash(figures!).get(counts[at]!) ?? 0)
        this.#hash(figures!).set(counts[at]!, String(before + Number(counts[at + 1])))
      }
      for (const route of JSON.parse(routes!) as string[]) this.#hash(asked!).set(route, String(this.time))
    }
    if (leaseMs !== '0' && !this.#values.has(leader!)) {
      const count = Number(this.#values.get(leaders!) ?? 0) + 1
      this.#values.set(leaders!, String(count))
      this.#values.set(leader!, `${name}#${run}#${count}`)
    }
    const lease = this.#values.get(leader!) ?? ''
    const isOwn = Number(lease.startsWith(`${name}#${run}#`))
    const flat = (key: string): string[] => [...this.#hash(key)].flat()
    return [lease, isOwn, flat(members!), flat(figures!), flat(asked!), String(this.time)]
  }

  #accept({ keys: [accepted, audit], arguments: given }: RedisScriptCall): number {
    const [difference, text, , , ...entry] = given as [string, string, ...string[]]
    if (text === '') this.#hash(accepted!).delete(difference)
    else this.#hash(accepted!).set(difference, text)
    this.#list(audit!).push(JSON.stringify(entry))
    for (const { messages } of this.#subscribers) for (const one of messages) setImmediate(one)
    return 1
  }

  /** What stands under a key, as a command line would show it. */
  hash(key: string): Record<string, string> {
    return Object.fromEntries(this.#hash(key))
  }

  /** Takes everything away, or what stands under a key, as Redis itself does for want of memory. */
  flush(key?: string): void {
    for (const all of [this.#hashes, this.#lists, this.#values])
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

function isReport({ keys }: RedisScriptCall): boolean {
  return keys[0]!.endsWith(':leader')
}

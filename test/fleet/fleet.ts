// Replicas in this process: each has a client of its own, and knows nothing of the others.
import { createServer, type Server, type Socket } from 'node:net'
import { connect } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createClient } from 'redis'
import { Controller, RouteControllers } from 'routecontrollers'
import { type Migration, migration, type MigrationOptions, redisStore } from '@routecontrollers/switch'

export interface Replica {
  readonly switching: Migration
  readonly logged: string[]
  /** Of each route, the first one first. */
  readonly states: () => string[]
  readonly close: () => Promise<void>
}

export interface ReplicaOptions extends Omit<MigrationOptions, 'legacy' | 'routeControllers' | 'store'> {
  readonly key?: string
}

export type Client = ReturnType<typeof createClient>

/** A client that is connected, and tries again soon. */
export async function connected(url: string): Promise<Client> {
  const client = createClient({ url, socket: { reconnectStrategy: 50 } })
  client.on('error', () => {})
  await client.connect()
  return client as Client
}

/** A replica whose client need not be connected. */
export function replicaOf(client: Client, { key, ...options }: ReplicaOptions = {}): Replica {
  const logged: string[] = []
  const note = (line: string): void => void logged.push(line)
  const switching = migration({
    legacy: (_req, res) => void res.end('legacy'),
    routeControllers: new RouteControllers([
      new Controller('GET', '/a', () => 'native'),
      new Controller('GET', '/b', () => 'native'),
    ]),
    logger: { info: note, warn: note, error: note },
    ...options,
    store: redisStore({ client: client, ...(key !== undefined && { key }) }),
  })
  return {
    switching,
    logged,
    states: () => switching.status().routes.map(({ state }) => state),
    close: async () => {
      await switching.close()
      if (client.isOpen) client.destroy()
    },
  }
}

export async function startReplica(url: string, options?: ReplicaOptions): Promise<Replica> {
  return replicaOf(await connected(url), options)
}

/** A way to Redis that can be cut. */
export class Partition {
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #isCut = false

  constructor(port: number) {
    this.#server = createServer((here) => {
      if (this.#isCut) return void here.destroy()
      const there = connect(port, '127.0.0.1')
      here.pipe(there).pipe(here)
      for (const [one, other] of [
        [here, there],
        [there, here],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
      }
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    for (const one of this.#sockets) one.destroy()
  }

  heal(): void {
    this.#isCut = false
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}

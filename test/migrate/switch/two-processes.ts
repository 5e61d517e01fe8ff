// Migrations whose states are in one store, as several processes have them.
import { join } from 'node:path'
import { Controller, RouteControllers } from 'routecontrollers'
import {
  fileStore,
  memoryStore,
  type Migration,
  type MigrationOptions,
  type MigrationStore,
  redisStore,
} from '@routecontrollers/switch'
import { createMigration } from '../../../packages/switch/src/migration.js'
import { FakeRedis } from './fake-redis.js'
import type { TestClock } from './shop.js'

export interface Kind {
  readonly name: string
  /** Makes two that share their states, in files of a folder. */
  readonly pair: (folder: string) => readonly [MigrationStore, MigrationStore]
}

/** Each store of this package that can be written. */
export const kinds: readonly Kind[] = [
  {
    name: 'memoryStore',
    pair: () => {
      const store = memoryStore()
      return [store, store]
    },
  },
  {
    name: 'fileStore',
    pair: (folder) => {
      const file = join(folder, 'states.json')
      return [fileStore({ file }), fileStore({ file })]
    },
  },
  {
    name: 'redisStore',
    pair: () => {
      const redis = new FakeRedis()
      return [redisStore({ client: redis.client() }), redisStore({ client: redis.client() })]
    },
  },
]

/** A store that tells of no change, so that each process reads it once a second. */
export function unwatched(store: MigrationStore): MigrationStore {
  return { ...store, watch: () => () => {} }
}

interface Started {
  readonly switching: Migration
  readonly logged: string[]
}

/** A process of its own, as far as states go. */
export function startMigration(
  paths: readonly string[],
  clock: TestClock,
  options: Pick<MigrationOptions, 'store' | 'snapshot' | 'startTimeoutMs' | 'initial'>,
): Started {
  const logged: string[] = []
  const note = (message: string): void => void logged.push(message)
  const switching = createMigration(
    {
      legacy: (_req, res) => void res.end('legacy'),
      routeControllers: new RouteControllers(
        paths.map((path) => new Controller('GET', path, () => 'native')),
      ),
      logger: { info: note, warn: note, error: note },
      ...options,
    },
    clock,
  )
  return { switching, logged }
}

/** The states of all routes. */
export function statesOf(switching: Migration): string {
  return switching
    .status()
    .routes.map(({ state }) => state)
    .join(' ')
}

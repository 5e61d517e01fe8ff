import { log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import { printableJson } from '../../../../src/ground/printable.js'
import { catchRejection, lineOf } from './error-line.js'
import type { MigrationEvents } from './schema.js'

const levels: Readonly<Record<keyof MigrationEvents, 'info' | 'warn' | 'error'>> = {
  change: 'info',
  rollback: 'error',
  difference: 'warn',
  dropped: 'warn',
  store: 'warn',
}

/** Who is told of what happens. One that throws or rejects is logged, and changes nothing; none is waited for. */
export class Listeners {
  readonly #logger: Logger
  readonly #replica: string | undefined
  readonly #byEvent = new Map<keyof MigrationEvents, Set<(event: never) => void>>()

  /** With the name of a replica each event is one line of JSON, too. */
  constructor(logger: Logger, replica?: string) {
    this.#logger = logger
    this.#replica = replica
  }

  add<Name extends keyof MigrationEvents>(
    name: Name,
    listener: (event: MigrationEvents[Name]) => unknown,
  ): () => void {
    let all = this.#byEvent.get(name)
    if (all === undefined) this.#byEvent.set(name, (all = new Set()))
    all.add(listener)
    return () => void this.#byEvent.get(name)?.delete(listener)
  }

  tell<Name extends keyof MigrationEvents>(name: Name, event: MigrationEvents[Name]): void {
    if (this.#replica !== undefined) {
      const line = JSON.stringify({ event: `migration.${name}`, replica: this.#replica, ...event })
      log(this.#logger, levels[name], printableJson(line))
    }
    for (const listener of this.#byEvent.get(name) ?? []) {
      const failed = (error: unknown): void =>
        log(this.#logger, 'error', `migration: a listener of '${name}' has failed: ${lineOf(error)}`)
      try {
        catchRejection((listener as (event: MigrationEvents[Name]) => unknown)(event), failed)
      } catch (error) {
        failed(error)
      }
    }
  }

  clear(): void {
    this.#byEvent.clear()
  }
}

import { describeThrown, log } from '../../log.js'
import type { Logger } from '../../types.js'
import type { MigrationEvents } from './schema.js'

/** Who is told of what happens. One that throws is logged, and changes nothing. */
export class Listeners {
  readonly #logger: Logger
  readonly #byEvent = new Map<keyof MigrationEvents, Set<(event: never) => void>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add<Name extends keyof MigrationEvents>(
    name: Name,
    listener: (event: MigrationEvents[Name]) => void,
  ): () => void {
    let all = this.#byEvent.get(name)
    if (all === undefined) this.#byEvent.set(name, (all = new Set()))
    all.add(listener)
    return () => void this.#byEvent.get(name)?.delete(listener)
  }

  tell<Name extends keyof MigrationEvents>(name: Name, event: MigrationEvents[Name]): void {
    for (const listener of this.#byEvent.get(name) ?? []) {
      try {
        ;(listener as (event: MigrationEvents[Name]) => void)(event)
      } catch (error) {
        log(this.#logger, 'error', `migration: a listener of '${name}' has thrown: ${describeThrown(error)}`)
      }
    }
  }

  clear(): void {
    this.#byEvent.clear()
  }
}

// The states that were read last, in a file of this machine: for a process that is started while the store is away.
import { promises as files, readFileSync } from 'node:fs'
import { log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import { lineOf } from '../states/error-line.js'
import { nodeCrypto } from '../states/node-crypto.js'
import type { StoredStates } from '../states/schema.js'
import { readStates } from '../states/stored-states.js'

export class Snapshot {
  readonly #file: string
  readonly #logger: Logger
  /** What stands in it, as far as this process has written it. */
  #written: string | undefined
  #wanted: string | undefined
  #writing: Promise<void> | undefined
  #hasFailed = false

  constructor(file: string, logger: Logger) {
    this.#file = file
    this.#logger = logger
  }

  /** Undefined without one that can be read. The first process of all has none; of another one that cannot be read one line tells. */
  read(): StoredStates | undefined {
    try {
      return readStates(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      log(
        this.#logger,
        'warn',
        `migration: the snapshot ${lineOf(this.#file)} cannot be read: ${lineOf(error)}`,
      )
      return undefined
    }
  }

  /** Keeps what was read, where that is something else than before. Nothing waits for it. */
  keep({ version, states, history, accepted }: StoredStates): void {
    const text = `${JSON.stringify({ version, states, history, accepted }, null, 2)}\n`
    if (text === (this.#wanted ?? this.#written)) return
    this.#wanted = text
    this.#writing ??= this.#write()
  }

  /** Once it holds what it was given last. */
  async written(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    // Another process that is started in between reads a whole one.
    const draft = `${this.#file}.${nodeCrypto().randomUUID()}.tmp`
    try {
      while (this.#wanted !== undefined) {
        const text = this.#wanted
        this.#wanted = undefined
        this.#written = text
        await files.writeFile(draft, text, { flag: 'wx' })
        await files.rename(draft, this.#file)
      }
    } catch (error) {
      await files.rm(draft, { force: true }).catch(() => {})
      // It is tried again with what is read next. Last, as something may have been read meanwhile.
      this.#written = this.#wanted = undefined
      if (!this.#hasFailed)
        log(
          this.#logger,
          'warn',
          `migration: the snapshot ${lineOf(this.#file)} is not written: ${lineOf(error)}`,
        )
      this.#hasFailed = true
    } finally {
      this.#writing = undefined
    }
  }
}

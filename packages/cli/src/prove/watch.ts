// Tells when the code of a project has changed.
import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Files of data are no code: the app itself may write them with each request.
const code = /\.[cm]?[jt]sx?$/
const installed = /(?:^|[\\/])node_modules(?:[\\/]|$)/
// Editors write a file in several steps, and several files at once.
const quietMs = 150

/** Watches the code of a project. */
export class CodeWatch {
  readonly #watchers: readonly FSWatcher[]
  #isChanged = false
  #wake = (): void => {}

  /** Installed packages and folders with a dot are not watched. */
  constructor(folder: string) {
    const inner = readdirSync(folder, { withFileTypes: true }).filter(
      (one) => one.isDirectory() && !one.name.startsWith('.') && !installed.test(one.name),
    )
    const note = (_event: string, name: string | null): void => {
      if (name === null || !code.test(name) || installed.test(name)) return
      this.#isChanged = true
      this.#wake()
    }
    this.#watchers = [
      watch(folder, note),
      ...inner.map(({ name }) => watch(join(folder, name), { recursive: true }, note)),
    ]
    // A folder that goes away is a change of what is in it, which was told.
    for (const one of this.#watchers) one.on('error', () => {})
  }

  /** Resolves once code has changed since the last time, or when the signal comes. */
  async changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (this.#isChanged || signal.aborted) resolve()
    })
    await sleep(quietMs, undefined, { signal }).catch(() => {})
    this.#isChanged = false
  }

  close(): void {
    for (const one of this.#watchers) one.close()
  }
}

// A Redis of the system's packages, on a port of its own, with its data in a folder of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export class RedisProcess {
  readonly #port: number
  readonly #options: readonly string[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'redis-'))
  #child: ChildProcess | undefined

  constructor(port: number, options: readonly string[] = []) {
    this.#port = port
    this.#options = options
  }

  /** Whether there is one to be run: `apt-get install redis-server`. */
  static get isInstalled(): boolean {
    return spawnSync('redis-server', ['--version']).status === 0
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    this.#child = spawn(
      'redis-server',
      [
        ...[
          '--port',
          String(this.#port),
          '--bind',
          '127.0.0.1',
          '--dir',
          this.#folder,
          '--appendonly',
          'yes',
        ],
        ...this.#options,
      ],
      { stdio: 'ignore' },
    )
    while (!(await answers(this.#port))) await sleep(20)
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (text) => {
      resolve(String(text).startsWith('+PONG'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}

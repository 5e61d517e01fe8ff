import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A server in a process of its own, which tells its port first and then answers questions. */
export class ServerChild {
  readonly port: number
  readonly #child: ChildProcess
  /** Rejects when it has exited, with what it has said last. */
  readonly #ended: Promise<never>

  private constructor(child: ChildProcess, port: number, ended: Promise<never>) {
    this.#child = child
    this.port = port
    this.#ended = ended
  }

  /** Starts a file of `test`. */
  static async start(file: string, ...parameters: string[]): Promise<ServerChild> {
    const child = fork(join(import.meta.dirname, '..', file), parameters, {
      execArgv: ['--import', 'tsx', '--expose-gc'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    // Express writes every error there; the end of it is what tells why a process has died.
    let errors = ''
    child.stderr!.on('data', (text) => (errors = (errors + String(text)).slice(-4000)))
    const ended = once(child, 'exit').then(([code, signal]): never => {
      const error = new Error(`${file} has ended (${String(signal ?? code)}): ${errors}`)
      if (code !== 0) process.stderr.write(`${error.message}\n`)
      throw error
    })
    const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
    ended.catch(() => {})
    return new ServerChild(child, port, ended)
  }

  /** False once it has exited, which no request may bring about. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Asks for what `answerQuestions` of it gives. */
  async ask<T>(question = ''): Promise<T> {
    const answer = once(this.#child, 'message') as Promise<[T]>
    this.#child.send(question)
    return (await Promise.race([answer, this.#ended]))[0]
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }
}

/** The other side: tells the port to whoever has started this process, answers its questions, and ends with it. */
export function serveParent(port: number, answer: (question: string) => unknown): void {
  process.on('message', (question: string) => void process.send!(answer(question)))
  process.once('disconnect', () => process.exit())
  process.send?.(port)
}

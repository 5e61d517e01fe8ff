import type { IncomingMessage } from 'node:http'
import { aborted } from '../body/body.js'
import { callLater } from '../ground/call-later.js'
import { maxDrainedBytes, maxDrainMs } from './drain.js'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Gives a request in memory the bytes of a Request's body, as a connection gives them. */
export class MemoryBody {
  readonly #incoming: IncomingMessage
  readonly #reader: Reader | undefined
  #isOver = false
  #isAnswered = false
  #discarded = 0
  #timer: ReturnType<typeof callLater> | undefined

  constructor(incoming: IncomingMessage, reader: Reader | undefined) {
    this.#incoming = incoming
    this.#reader = reader
    const beginReading = incoming._read.bind(incoming)
    const ignored = (): boolean => true
    const read = (size: number): void => {
      // IncomingMessage of Node holds its stream back until its own _read has run once. That of workerd says there that the body is at its end.
      incoming.push = ignored
      beginReading(size)
      delete (incoming as Partial<IncomingMessage>).push
      this.#read()
    }
    incoming._read = read
    incoming.once('close', () => this.#cancel())
  }

  /** The answer is complete: a body without a reader is read no more. */
  answered(): void {
    this.#isAnswered = true
    if (this.#isUnheard) this.#cancel()
  }

  get #isUnheard(): boolean {
    return this.#incoming.listenerCount('data') === 0 && this.#incoming.listenerCount('readable') === 0
  }

  /** It flows, and no listener hears it. One that is read by `read()`, or heard again later, is not discarded. */
  get #isDiscarded(): boolean {
    return this.#incoming.readableFlowing === true && this.#isUnheard
  }

  #read(): void {
    if (this.#isOver) return
    if (this.#reader === undefined) return this.#end()
    // Express discards what is left of a body before it answers, and a client may send without an end.
    if (this.#isDiscarded) this.#timer ??= callLater(() => this.#endDiscarding(), maxDrainMs)
    this.#reader.read().then(
      ({ done, value }) => (done ? this.#end() : this.#give(value)),
      (cause: unknown) => this.#break(cause),
    )
  }

  #give(bytes: Uint8Array): void {
    if (this.#isOver) return
    if (this.#isDiscarded) {
      this.#discarded += bytes.byteLength
      if (this.#isAnswered || this.#discarded > maxDrainedBytes) return this.#break(undefined)
    }
    this.#incoming.push(bytes)
  }

  #endDiscarding(): void {
    this.#timer = undefined
    if (this.#isDiscarded) this.#break(undefined)
  }

  #end(): void {
    if (this.#isOver) return
    this.#close()
    this.#incoming.complete = true
    this.#incoming.push(null)
  }

  /** The body breaks off, and the Response can still be made: the socket stays. */
  #break(cause: unknown): void {
    if (this.#isOver) return
    const incoming = this.#incoming
    this.#cancel()
    const tell: typeof incoming._destroy = (error, done) =>
      done(incoming.listenerCount('error') > 0 ? error : null)
    incoming._destroy = tell
    incoming.destroy(aborted(cause))
    // Who waits for the end of a request that is given up, as Express's error page does, asks these (the package on-finished). An `end` would
    // say that the body is whole.
    ;(incoming.socket as { readable: boolean }).readable = false
    process.nextTick(() => incoming.emit('finish'))
  }

  #cancel(): void {
    if (this.#isOver) return
    this.#close()
    this.#reader?.cancel().catch(() => {})
  }

  #close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}

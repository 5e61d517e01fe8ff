/** Waits for the answer to one request, and names the hook or Controller that has not given it. */
export class AnswerTimer {
  /** Who has the request now, as a log line names it. */
  pending = 'nobody'
  /** True from when the time is over: whatever comes then comes too late. */
  expired = false
  /** Called when the time is over. A wait for the first piece of an answer takes its place for as long. */
  onExpire: (timer: AnswerTimer) => void
  readonly #ms: number
  #isEnded = false
  #timeout: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number, onExpire: () => void) {
    this.#ms = ms
    this.onExpire = onExpire
  }

  /** Waits from now on, for the whole of its time. */
  start(): void {
    this.stop()
    if (this.#isEnded) return
    this.#timeout = setTimeout(() => {
      this.expired = true
      this.onExpire(this)
    }, this.#ms)
  }

  stop(): void {
    clearTimeout(this.#timeout)
  }

  /** Stops for good, as where the client has gone. */
  end(): void {
    this.#isEnded = true
    this.stop()
  }
}

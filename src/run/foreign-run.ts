import { defaultBodyLimit } from '../body/limits.js'
import type { EngineConfig } from './engine.js'
import { RequestRun } from './request-run.js'
import { withoutUndoneCoding } from '../answer/answer.js'
import type { ForeignFetchHandler, Logger } from '../ground/types.js'
import type { NodeExchange } from '../node/exchange.js'
import { toRequest } from '../node/to-request.js'

const bare: Omit<EngineConfig, 'logger'> = {
  hooks: [],
  headers: [],
  bodyLimit: defaultBodyLimit,
  answerTimeoutMs: 0,
  middleware: [],
  refusedStatus: 422,
  checkOutput: 'off',
}

/** One request that another fetch handler answers, by `Request` and `Response`. */
export class ForeignRun extends RequestRun {
  declare readonly exchange: NodeExchange

  constructor(exchange: NodeExchange, logger: Logger) {
    super({ ...bare, logger }, exchange)
  }

  /** Never rejects. */
  async start(fetchHandler: ForeignFetchHandler): Promise<void> {
    const { exchange } = this
    if (exchange.answered) return
    try {
      if (exchange.problem !== undefined) throw exchange.problem
      const response = await fetchHandler(toRequest(exchange))
      if (response !== undefined) {
        return this.deliver(withoutUndoneCoding(response), (error) => this.failAtEnd(error))
      }
    } catch (error) {
      return this.failAtEnd(error)
    }
    if (exchange.pass === undefined) return this.miss()
    exchange.unwatch()
    // Outside of this promise: the handler behind has its own errors, and throws them as it would alone.
    queueMicrotask(exchange.pass)
  }
}

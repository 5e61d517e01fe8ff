// Copies at the place of a native callback: each copy begins there, with what guards have left, and no guard runs again.
import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from 'routecontrollers/introspection'
import { handleOf, layersFor, placesOf, type Route, trace } from 'routecontrollers/express-model'
import { isThenable } from '../../../../src/ground/thenable.js'
import { type NoAnswer, runInMemory } from '../../../compare/src/memory-request.js'
import type { ReceivedAnswer } from '../../../compare/src/received-answer.js'
import type { SideName } from '../states/schema.js'
import { markSide, wasReached } from '../states/side-key.js'
import { capture, type Captured, watchLeft } from './capture.js'
import { type Asked, type Copies, type Keeping, passedOn } from './copies.js'
import { TooLarge } from './copier.js'
import { PlaceSnapshot } from './place-snapshot.js'

type Next = (signal?: unknown) => void
type Handler = (...parameters: readonly unknown[]) => unknown

/** What answers at a place. */
type Handlers = Readonly<Record<SideName, Handler | undefined>>

export class PlaceCopies implements Copies {
  readonly #app: object
  readonly #asIs: ReadonlySet<string>

  constructor(app: object, asIs: readonly string[]) {
    this.#app = app
    this.#asIs = new Set(asIs)
  }

  keep({ incoming, outgoing, method }: Exchange, first: SideName, keeping: Keeping): void {
    const { done, hold, release, thrown, maxBytes } = keeping
    const { route, params } = incoming as { route?: Route; params?: unknown }
    const handlers = handlersOf(route, method)
    if (handlers[first === 'legacy' ? 'native' : 'legacy'] === undefined) return
    let snapshot: PlaceSnapshot
    try {
      snapshot = new PlaceSnapshot(incoming!, outgoing!, { maxBytes, asIs: this.#asIs })
    } catch (error) {
      if (error instanceof TooLarge) return done('size')
      thrown(error)
      return done('error')
    }
    const { bytes } = snapshot
    if (!hold(bytes)) return done('size')
    // What guards have opened for those behind them, as a storage of AsyncLocalStorage, is open for a copy, too.
    const scope = new AsyncResource('routecontrollers.shadow', { requireManualDestroy: false })
    capture({
      ...keeping,
      incoming: incoming!,
      outgoing: outgoing!,
      isAtPlace: true,
      done: (captured) => {
        if (typeof captured === 'string') {
          release(bytes)
          return done(captured)
        }
        done({
          ...captured,
          bytes: captured.bytes + bytes,
          isTagged: true,
          isAtPlace: true,
          // Express gives each function that it calls params of its own, and those of before where none is left.
          isLeft: (incoming as { params?: unknown }).params !== params,
          canAsk: (side) => handlers[side] !== undefined,
          ask: (side) =>
            scope.runInAsyncScope(() =>
              new CopyRun(this.#app, captured, snapshot, side, handlers[side]!, route).run(keeping),
            ),
        })
      },
    })
  }
}

/**
 * The native callback in a route, and the handler that it replaces. Where more than one function stands behind it, one of them may be a
 * guard: then legacy cannot be asked again.
 */
function handlersOf(route: Route | undefined, method: string): Handlers {
  const handles = route === undefined ? [] : layersFor(route, method).map(handleOf)
  const at = handles.findIndex((one) => placesOf(one) !== undefined)
  const behind = handles.slice(at + 1).filter((one) => one.length < 4)
  return {
    native: handles[at] as Handler | undefined,
    legacy: behind.length === 1 ? (behind[0] as Handler) : undefined,
  }
}

/** One copy on its way through one handler. */
class CopyRun {
  readonly #app: object
  readonly #captured: Captured
  readonly #snapshot: PlaceSnapshot
  readonly #side: SideName
  readonly #handler: Handler
  readonly #route: Route | undefined
  readonly #missed = new Set<string>()
  readonly #chunks: Buffer[] = []
  /** A handler may go on to write once the copy was given up. */
  #hasEnded = false
  #incoming: IncomingMessage | undefined
  /** What it has come to, where that is no answer of its own. */
  #end: ReceivedAnswer | undefined

  constructor(
    app: object,
    captured: Captured,
    snapshot: PlaceSnapshot,
    side: SideName,
    handler: Handler,
    route: Route | undefined,
  ) {
    this.#app = app
    this.#route = route
    this.#captured = captured
    this.#snapshot = snapshot
    this.#side = side
    this.#handler = handler
  }

  async run({ timeoutMs, maxBytes }: Keeping): Promise<Asked | NoAnswer> {
    let left: ReturnType<typeof watchLeft> | undefined
    const answer = await runInMemory(
      (incoming, outgoing) => {
        this.#incoming = incoming
        const next: Next = (signal) => this.#goOn(signal, incoming, outgoing)
        this.#snapshot.putOn(incoming, outgoing, next, (name) => void this.#missed.add(name))
        markSide(incoming, this.#side)
        const isSent = incoming.method !== 'HEAD'
        left = watchLeft(outgoing, (chunk) => {
          if (isSent && !this.#hasEnded) this.#chunks.push(Buffer.from(chunk))
        })
        call(this.#handler, [incoming, outgoing, next], next)
      },
      this.#captured.request,
      { timeoutMs, maxBytes, prepare: () => {} },
    )
    this.#hasEnded = true
    const chunks = this.#chunks.splice(0)
    const missed = [...this.#missed]
    const asAnswered = (one: ReceivedAnswer): Asked => ({ answer: one, isTagged: true, missed })
    if (this.#end !== undefined) return asAnswered(this.#end)
    if (typeof answer === 'string') return answer
    if (this.#side === 'native' && !wasReached(this.#incoming!)) return 'failed'
    const head = left?.()
    if (head === undefined || answer.failure !== undefined) return asAnswered(answer)
    return asAnswered({ ...head, body: Buffer.concat(chunks).toString('latin1') })
  }

  #goOn(signal: unknown, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const isError = Boolean(signal) && signal !== 'route' && signal !== 'router'
    if (isError) return this.#fail(signal, incoming, outgoing)
    this.#passOn(outgoing)
  }

  #passOn(outgoing: ServerResponse): void {
    this.#finish({ status: 0, failure: passedOn, headers: new Map(), body: '' }, outgoing)
  }

  /** Runs the error handlers of the app that stand behind. Where none answers, as Express itself would, the status alone is known. */
  #fail(error: unknown, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const handlers = this.#errorHandlers()
    const step: Next = (signal) => {
      const handler = handlers.shift()
      if (outgoing.headersSent) return void outgoing.destroy()
      // It takes the error for handled: Express goes on with the handlers that take none.
      if (!signal) return this.#passOn(outgoing)
      if (handler === undefined) {
        const { answer } = this.#captured
        return this.#finish({ ...answer, status: statusOf(signal, outgoing) }, outgoing)
      }
      call(handler, [signal, incoming, outgoing, step], step)
    }
    step(error)
  }

  #errorHandlers(): Handler[] {
    const { method, target } = this.#captured.request
    const steps = trace(this.#app, method, target)
    // The callback and the handlers behind it have the same ones.
    const at = steps.findLastIndex((step) => step.route === this.#route && step.behind !== undefined)
    const behind = at < 0 ? [] : steps.slice(at + 1)
    return behind.filter(({ kind }) => kind === 'error').map(({ run }) => run as Handler)
  }

  #finish(end: ReceivedAnswer, outgoing: ServerResponse): void {
    // As for a client, its answer counts.
    if (outgoing.writableEnded) return
    this.#end ??= end
    outgoing.destroy()
  }
}

function call(handler: Handler, parameters: readonly unknown[], next: Next): void {
  try {
    const returned = handler(...parameters)
    if (isThenable(returned))
      returned.then(undefined, (error: unknown) => next(error ?? new Error('rejected')))
  } catch (error) {
    next(error)
  }
}

/** As Express itself answers an error. */
function statusOf(error: unknown, { statusCode }: ServerResponse): number {
  const { status, statusCode: other } = error as { status?: unknown; statusCode?: unknown }
  const isOfError = (one: unknown): one is number => typeof one === 'number' && one >= 400 && one <= 599
  return [status, other, statusCode].find(isOfError) ?? 500
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Frame } from './frame.js'
import type { WalkPlan } from './walk-plan.js'

/** `next` of Express: on with nothing, behind the route or the router with `'route'` and `'router'`, else with an error. */
export type Next = (signal?: unknown) => void

/** Node's request, with what Express keeps on it. */
export interface WalkedRequest extends IncomingMessage {
  method: string
  url: string
  baseUrl: string
  originalUrl?: string
  params: Record<string, unknown> | undefined
  next?: Next | undefined
  route?: object
  app?: object
}

interface Response extends ServerResponse {
  app?: object
}

/**
 * One request on its way through the layers of an app, in Express's order and with Express's effects.
 *
 * It is taken up by one Controller after another: each brings it to its own route, past what has been run already, and leaves it
 * there when that route calls `next()`.
 */
export class Walk {
  readonly request: WalkedRequest
  readonly response: Response
  plan: WalkPlan
  /** Runs when the route of the plan has passed its request on, or when there is nothing left. */
  done!: Next
  /** The innermost router that the request is in. */
  frame: Frame
  /** True where no layer may be passed by unseen: what is decoded may fail, and a route is entered that does not answer the method. */
  careful = false
  /** The method that the plan is for. */
  method = ''
  /** How many handlers are on the stack. */
  depth = 0
  ended = false
  /** The mounted app that is shown. */
  app: object | undefined
  /** What the request was like inside of its routers while somebody else has it. */
  #inside: Pick<WalkedRequest, 'url' | 'params'> | undefined

  constructor(request: IncomingMessage, response: ServerResponse, plan: WalkPlan) {
    this.request = request as WalkedRequest
    this.response = response
    this.plan = plan
    this.request.originalUrl ??= this.request.url
    this.frame = new Frame(this, plan.root)
  }

  /** Goes on to the route of a plan, unless it has been passed already. */
  goTo(plan: WalkPlan, done: Next): void {
    if (this.ended || this.frame.order > plan.order) return done()
    this.plan = plan
    this.done = done
    if (this.app !== undefined) this.#setApp(this.app)
    if (this.#inside !== undefined) {
      Object.assign(this.request, this.#inside)
      this.#inside = undefined
    }
    const { url, method } = this.request
    this.method = method
    this.careful ||= method === 'OPTIONS' || method === 'HEAD' || /%|\/\/|^[^/]/.test(url)
    this.frame.look()
    this.frame.next()
  }

  /** Leaves the request to whoever comes next, as it is outside of all routers. */
  handOver(): void {
    const { request, frame } = this
    if (frame.outer !== undefined) {
      const { url, params } = request
      this.#inside = { url, params }
      let outermost: Frame = frame
      for (; outermost.outer !== undefined; outermost = outermost.outer) {
        request.url = outermost.outer.restore(request.url)
      }
      outermost.giveBack()
    }
    if (this.app !== undefined) this.#setApp(undefined)
    this.done()
  }

  end(error: unknown): void {
    this.ended = true
    if (this.app !== undefined) this.#setApp(undefined)
    this.done(error)
  }

  /** Makes a mounted app what `req.app` and `res.app` are; undefined for the one that the profile was made of. */
  showApp(app: object | undefined): void {
    this.app = app
    this.#setApp(app)
  }

  #setApp(app: object | undefined): void {
    const { request, response } = this
    // What the profile has stands on a prototype.
    delete request.app
    delete response.app
    if (app === undefined) return
    request.app = app
    response.app = app
  }
}

import { RouteControllersError } from '../ground/errors.js'
import { peerPlatform } from '../request/runtime-platform.js'
import type { RouteRequest } from '../request/request.js'
import { fetchHandlerOf, type Served } from './served.js'

export type { Served } from './served.js'

/** The part of the context of Workers that `toWorker` uses. */
export interface WorkerContext {
  /** Keeps the Worker alive until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void
}

/** What a module of Workers exports. */
export interface WorkerHandler<Env> {
  /** Answers a request; it never rejects. */
  fetch(this: void, request: Request, env: Env, context?: WorkerContext): Promise<Response>
}

/**
 * Serves RouteControllers on Cloudflare Workers: `export default toWorker(routeControllers)`.
 *
 * `req.platform` has the bindings as `env`, `waitUntil`, and the context as `raw`. `bindings` gives `env` its type. `req.realIp` is `CF-Connecting-IP`,
 * which Cloudflare sets: where a client can reach workerd itself, the client sets it. Throws ERR_OPTION_INVALID for anything but a RouteControllers.
 *
 * @example
 * ```ts
 * import { Controller, RouteControllers } from 'routecontrollers'
 * import { toWorker } from 'routecontrollers/workers'
 *
 * const worker = toWorker<{ GREETING: string }>(
 *   new RouteControllers([new Controller('GET', '/ip', (req) => req.realIp ?? 'unknown')]),
 * )
 * const request = new Request('http://localhost/ip', { headers: { 'CF-Connecting-IP': '203.0.113.7' } })
 * const response = await worker.fetch(request, { GREETING: 'Hello' })
 * console.log(await response.text()) // 203.0.113.7
 * ```
 */
export function toWorker<Env = unknown>(routeControllers: Served): WorkerHandler<Env> {
  const fetchHandler = fetchHandlerOf('toWorker', routeControllers)
  return {
    fetch: (request, env, context) => {
      const peer = (): string | undefined => request.headers.get('cf-connecting-ip') ?? undefined
      const waitUntil = context && ((promise: Promise<unknown>) => context.waitUntil(promise))
      return fetchHandler(request, peerPlatform(context, env, peer, waitUntil))
    },
  }
}

/**
 * Middleware that adds the bindings of the Worker to the request, as `req.env` with its type.
 *
 * It throws ERR_RUNTIME_UNSUPPORTED, which is answered with 500, where a request comes from anything but `toWorker` or a `platform` with `env`.
 *
 * @example
 * ```ts
 * import { group, RouteControllers } from 'routecontrollers'
 * import { bindings, toWorker } from 'routecontrollers/workers'
 *
 * interface Env {
 *   GREETING: string
 * }
 * const app = group('/').with(bindings<Env>())
 * const hello = app.get('/hello', (req) => req.env.GREETING)
 * const worker = toWorker<Env>(new RouteControllers([hello]))
 * const response = await worker.fetch(new Request('http://localhost/hello'), { GREETING: 'Hello' })
 * console.log(await response.text()) // Hello
 * ```
 */
export function bindings<Env>(): (req: RouteRequest) => { env: Env } {
  return ({ platform }) => {
    if (platform?.env === undefined) {
      throw new RouteControllersError(
        'ERR_RUNTIME_UNSUPPORTED',
        'bindings: this request has no env; serve it by toWorker, or give platform({ env }) to the fetch handler',
      )
    }
    return { env: platform.env as Env }
  }
}

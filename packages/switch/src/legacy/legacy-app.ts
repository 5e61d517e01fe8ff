// What the legacy app adds to each of its answers, and Controllers of our own engine do without.
import type { RunnableController } from 'routecontrollers/introspection'
import { withHeaders } from 'routecontrollers/introspection'
import type { Exchange } from 'routecontrollers/introspection'
import { isApp, type App } from 'routecontrollers/express-model'
import { sentByApp } from 'routecontrollers/express-model'
import { type LightResponse, partsOf } from 'routecontrollers/introspection'
import { hasMethods } from '../../../../src/ground/options.js'

/** The app of Express behind what serves: itself, or the one that listens to a server. */
function appOf(legacy: unknown): App | undefined {
  if (isApp(legacy)) return legacy
  if (typeof legacy === 'function' || !hasMethods(legacy, 'listeners')) return undefined
  const [listener, ...others] = (legacy as { listeners(event: string): unknown[] }).listeners('request')
  return others.length === 0 && isApp(listener) ? listener : undefined
}

export interface LegacyAppParts {
  readonly legacy: unknown
  /** The mounted apps that lead to the route of a Controller. */
  readonly appsOf: (controller: RunnableController) => readonly App[]
}

export class LegacyApp {
  readonly #parts: LegacyAppParts
  /** Requests whose answers of Controllers got their ETag from the app. */
  readonly #tagged = new WeakSet<object>()

  constructor(parts: LegacyAppParts) {
    this.#parts = parts
  }

  /** Begins an answer as an app does, before any middleware of it: helmet and others take the header away again. */
  begin(controller: RunnableController, { fail, outgoing }: Exchange): void {
    // Inside, the app has done so.
    if (fail !== undefined || outgoing === undefined || outgoing.headersSent) return
    if (this.#isPowered(controller)) outgoing.setHeader('X-Powered-By', 'Express')
  }

  /** The answer as the app would send it. */
  finish(answer: LightResponse | Response, exchange: Exchange): LightResponse | Response {
    const { incoming, outgoing, fail } = exchange
    const controller = exchange.routed as RunnableController | undefined
    // Inside, the innermost app that the request is in.
    const host = fail === undefined ? undefined : (incoming as { app?: unknown }).app
    const app = isApp(host) ? host : this.#appsOf(controller).at(-1)
    if (app === undefined) return answer
    // Before the app has sent it, which may take a header away.
    const hadEtag = outgoing?.hasHeader('etag') === true || hasEtag(answer)
    const sent = sentByApp(app, answer, exchange)
    if (incoming !== undefined && !hadEtag && sent !== answer) this.#tagged.add(incoming)
    // A web Response has no head that was begun.
    return outgoing === undefined && this.#isPowered(controller)
      ? withHeaders(sent, ['X-Powered-By', 'Express'])
      : sent
  }

  /** True where an ETag in the answer of the Controller to a request is the app's. */
  isTagged(request: object): boolean {
    return this.#tagged.has(request)
  }

  #isPowered(controller: RunnableController | undefined): boolean {
    return this.#appsOf(controller).some((app) => app.enabled('x-powered-by'))
  }

  /** The app, and those within it that lead to the route of a Controller. */
  #appsOf(controller: RunnableController | undefined): readonly App[] {
    const app = appOf(this.#parts.legacy)
    if (app === undefined) return []
    return controller === undefined ? [app] : [app, ...this.#parts.appsOf(controller)]
  }
}

function hasEtag(answer: LightResponse | Response): boolean {
  return partsOf(answer).headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'etag')
}

// In each of these ways an Express app of another's tests is served by this package, in the place of Express.
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import { type NodeHandler, RouteControllers, toListener } from 'routecontrollers'
import { createServer, fromApp, toControllers } from 'routecontrollers/express'

type App = NodeHandler
type Serve = (app: App) => NodeHandler

const silent = { info() {}, warn() {}, error() {} }

/** RouteControllers of the app; with `middleware` they answer every request of it. */
function routeControllersOf(app: App, middleware: boolean): RouteControllers {
  const { controllers } = toControllers(app, { middleware })
  return new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
}

/** Answers by nothing but a Request and a Response, as on a runtime that has no other. */
async function answerBy(
  fetchHandler: (request: Request) => Promise<Response>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { method = 'GET', headersDistinct } = req
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const left = new AbortController()
  res.on('close', () => left.abort())
  try {
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const body = hasBody
      ? { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: 'half' as const }
      : {}
    const request = new Request(`http://localhost${req.url}`, {
      method,
      headers,
      signal: left.signal,
      ...body,
    })
    const response = await fetchHandler(request)
    for (const [name, value] of response.headers) res.appendHeader(name, value)
    res.writeHead(response.status, response.statusText)
    if (response.body === null) res.end()
    else await pipeline(Readable.fromWeb(response.body as never), res)
  } catch {
    res.destroy()
  }
}

const inside =
  (host: () => { use(middleware: unknown): unknown }): Serve =>
  (app) => {
    const outer = host()
    outer.use(routeControllersOf(app, true).middleware())
    return outer as unknown as NodeHandler
  }

/** By the name that docs/reliability.md has for a way. */
export const ways = {
  'as it is': (app) => app,
  '`toControllers`, in front of the app': (app) =>
    toListener(routeControllersOf(app, false).getCallback(), { fallback: app }),
  '`toControllers`, inside Express 5': inside(express5),
  '`toControllers`, inside Express 4': inside(express4),
  '`toControllers`, as middleware of Connect': inside(connect),
  '`toControllers`, standalone': (app) => toListener(routeControllersOf(app, true).getCallback()),
  '`toControllers`, `getCallback()`: Request in, Response out': (app) => {
    const fetchHandler = routeControllersOf(app, true).getCallback()
    return (req, res) => void answerBy(fetchHandler, req, res)
  },
} satisfies Record<string, Serve>

/** What makes the server of an app, in the place of `http.createServer`; by the same names. */
export const servers = {
  '`createServer(app)`': (app) => createServer(app),
} satisfies Record<string, (app: App) => HttpServer>

export type Way = keyof typeof ways | keyof typeof servers

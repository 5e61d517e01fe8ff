import { Controller, type ConnectHandler, RouteControllers, toConnect } from 'routecontrollers'
import { Source } from './source.js'

/** What a web Request and the `req` of a controller have both. */
export type Asked = Pick<Request, 'method' | 'text' | 'json' | 'formData' | 'arrayBuffer' | 'signal'> & {
  /** The very object: a web Request, or Node's. */
  itself: any
  /** Path and query as they were sent. */
  target: string
  header: (name: string) => string | null
  /** Touches the body without reading it, or reads the first piece of it. */
  touchBody: () => void
  readOneChunk: () => Promise<unknown>
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: string | Source | object
}

/** What answers a request, written once for both. */
type Answerer = (asked: Asked) => Reply | Promise<Reply>

/** Answerers by method and path, as in `'GET /url'`. */
export type Answerers = Record<string, Answerer>

export interface Contender {
  name: 'toConnect(a fetch handler)' | 'routeControllers.middleware()'
  create: (answerers: Answerers) => ConnectHandler
}

/** The two ways into a host, with the same answers: a foreign fetch handler, and Controllers. */
export const contenders: readonly Contender[] = [
  {
    name: 'toConnect(a fetch handler)',
    create: (answerers) =>
      toConnect(async (request) => {
        const { pathname, search } = new URL(request.url)
        const path = pathname.replace(/^\/api(?=\/)/, '')
        const method = request.method === 'HEAD' ? 'GET' : request.method
        const answerer = answerers[`${method} ${path}`] ?? answerers[`* ${path}`]
        if (answerer === undefined) return undefined
        const {
          status = 200,
          headers = {},
          body = null,
        } = await answerer(
          Object.assign(Object.create(null) as Asked, {
            method: request.method,
            signal: request.signal,
            itself: request,
            target: pathname + search,
            header: (name: string) => request.headers.get(name),
            text: () => request.text(),
            json: () => request.json(),
            formData: () => request.formData(),
            arrayBuffer: () => request.arrayBuffer(),
            touchBody: () => void request.body,
            readOneChunk: () => request.body!.getReader().read(),
          }),
        )
        if (typeof body === 'string' || body === null) return new Response(body, { status, headers })
        if (body instanceof Source) return new Response(body.asStream(), { status, headers })
        return Response.json(body, { status, headers })
      }),
  },
  {
    name: 'routeControllers.middleware()',
    create: (answerers) =>
      new RouteControllers(
        Object.entries(answerers).map(([route, answerer]) => {
          const [method, path] = route.split(' ') as [string, string]
          return new Controller(
            method,
            path,
            async (req, res) => {
              const reply = await answerer(
                Object.assign(Object.create(null) as Asked, {
                  method: req.method,
                  signal: req.signal,
                  itself: req,
                  target: req.originalUrl,
                  header: (name: string) => req.get(name) ?? null,
                  text: () => req.text(),
                  json: () => req.json(),
                  formData: () => req.formData(),
                  arrayBuffer: () => req.arrayBuffer(),
                  touchBody: () => void req[Symbol.asyncIterator],
                  readOneChunk: () => req[Symbol.asyncIterator]().next(),
                }),
              )
              const { status = 200, headers = {}, body = null } = reply
              res.status(status)
              for (const [name, value] of Object.entries(headers)) res.header(name, value)
              if (body === null) return res.end()
              if (typeof body === 'string') return res.text(body)
              return body instanceof Source ? res.stream(body.asIterable()) : res.json(body)
            },
            { body: 'stream' },
          )
        }),
      ).middleware(),
  },
]

/** Both contenders, each in both Expresses: what `describe.each` takes. */
export function inEach<E>(expresses: readonly (readonly [string, E])[]): [string, Contender, E][] {
  return contenders.flatMap((contender) =>
    expresses.map(
      ([name, express]) => [`${contender.name} in ${name}`, contender, express] as [string, Contender, E],
    ),
  )
}

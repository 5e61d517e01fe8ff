/**
 * Real Connect middleware on our side, held against the same middleware in Express 5.
 *
 * A case declares its middleware, a few routes and a script of requests, once. `compareWithExpress` serves it with Express
 * and in each of our ways, runs the script against both, and expects the same status, headers, cookies and body.
 */
import { type NextFunction, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'
import express5 from 'express'
import express4 from 'express4'
import { Readable } from 'node:stream'
import { Controller, type ControllerOptions, type ErrorHook, fromConnect, type Hook } from 'routecontrollers'
import {
  closeAll,
  listenOn,
  type Received,
  type SendOptions,
  type Served,
  sendTo,
  type Serving,
  servings,
} from '../support/describe-servings.js'

/** What a route of a case answers, in words that Express and a Controller both have. */
interface Reply {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
  /** A stream of these chunks. */
  chunks?: Iterable<string | Buffer> | AsyncIterable<string | Buffer>
}

export type Reader = (req: any) => Reply | Promise<Reply>

/** Method, path and what it answers. `*` as a path is every path. */
export type Route = readonly [method: string, path: string, reply: Reader]

type AnyHook = Hook | ErrorHook

/** Middleware, with the path that it is mounted at if it has one. */
export type Placed = AnyHook | readonly [path: string, hook: AnyHook]

export type Send = (target: string, options?: SendOptions) => Promise<Received>

/** One declaration, all servings. */
export interface Case {
  /** What the documentation calls it. */
  name: string
  /** The middleware in their order, made anew for every serving. `note` keeps what they write: it is compared too. */
  middleware: (note: (line: string) => void, serving: Serving) => Placed[]
  routes: Route[]
  /** Routes that stay with Express where there is an Express behind or around us. */
  behind?: Route[]
  /** True for middleware that answers, logs or rewrites requests that no controller matches: `scope: 'every'`. */
  every?: boolean
  /** Options of the controllers when the middleware comes through `fromConnect`. */
  options?: ControllerOptions
  /** Why it makes no sense for one controller; without it, it is tested there as well. */
  notForOne?: string
  /** What it cannot do in `getCallback()`, for the documentation. */
  inMemory?: string
  /** Express 4 for what Express 5 cannot run. */
  express?: 4 | 5
  /** Makes what is random the same. */
  normalise?: (text: string, header?: string) => string
  script: (send: Send, serving: Serving) => Promise<Received[]>
}

/** Where Express answers otherwise, and why that stays. Everything else is equal. */
export const differences: readonly {
  what: string
  why: string
  /** Takes the difference out of an answer of Express; undefined when it has none. */
  settle: (answer: Received) => Received | undefined
}[] = [
  {
    what: 'X-Powered-By',
    why: 'It tells clients which software answers.',
    settle: (answer) => without(answer, 'x-powered-by'),
  },
  {
    what: 'ETag of `res.send` and `res.json`',
    why: 'Hashing each body costs more than it saves; files have one, and `use(conditional(), etag())` gives one, and answers 304.',
    // Express's own are the weak ones of this form; those of files have a time after the size.
    settle: (answer) =>
      /^W\/"[0-9a-f]+-[\w+/]{27}"$/.test(answer.headers['etag'] ?? '') ? without(answer, 'etag') : undefined,
  },
  {
    what: 'The page under a redirect of `res.redirect`',
    why: 'Clients follow Location and show nothing.',
    settle(answer) {
      if (!/^(?:<!DOCTYPE html><head><title>)?Found\b.*Redirecting to /.test(answer.text)) return undefined
      const bare = ['content-type', 'vary'].reduce((one, name) => without(one, name) ?? one, answer)
      const headers = { ...bare.headers, 'content-length': '0' }
      return { ...bare, headers, text: '', body: Buffer.alloc(0) }
    },
  },
]

function without(answer: Received, name: string): Received | undefined {
  if (!(name in answer.headers)) return undefined
  const headers = { ...answer.headers }
  Reflect.deleteProperty(headers, name)
  return { ...answer, headers }
}

const seen = new Set<string>()

/** The differences that the cases so far have shown. */
export function differencesSeen(): string[] {
  return differences.map(({ what }) => what).filter((what) => seen.has(what))
}

// Of the connection, or of the moment.
const ignored = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

function comparable(answer: Received, normalise: NonNullable<Case['normalise']>): unknown {
  const headers = Object.entries(answer.headers).filter(([name]) => !ignored.has(name))
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, normalise(value, name)])),
    cookies: answer.cookies.map((cookie) => normalise(cookie)),
    body: normalise(answer.body.toString('latin1')),
  }
}

function settle(answer: Received): Received {
  return differences.reduce((one, difference) => {
    const settled = difference.settle(one)
    if (settled !== undefined) seen.add(difference.what)
    return settled ?? one
  }, answer)
}

const errorsAsText = (
  error: { status?: number; name?: string; message?: string; code?: string },
  _req: unknown,
  res: ExpressResponse,

  _next: unknown,
): void => {
  res.statusCode = error.status ?? 500
  res.setHeader('Content-Type', 'text/plain')
  res.end(`${error.name}: ${error.message} (${error.code})`)
}

function expressHandler(reply: Reader) {
  return async (req: ExpressRequest, res: ExpressResponse, next: NextFunction): Promise<void> => {
    try {
      const { status = 200, headers = {}, json, text, chunks } = await reply(req)
      const { Vary, ...others } = headers
      res.status(status).set(others)
      // As a header of ours does, it adds to what middleware have set.
      if (Vary !== undefined) res.vary(Vary)
      if (text !== undefined) {
        if (!('Content-Type' in headers)) res.type('text/plain')
        res.send(text)
      } else if (chunks !== undefined) {
        if (!('Content-Type' in headers)) res.type('application/octet-stream')
        Readable.from(chunks).pipe(res)
      } else res.json(json)
    } catch (error) {
      next(error)
    }
  }
}

function controllerOf([method, path, reply]: Route, options: ControllerOptions = {}): Controller {
  return new Controller(
    method,
    path,
    async (req, res) => {
      const { status = 200, headers = {}, json, text, chunks } = await reply(req)
      res.status(status)
      for (const [name, value] of Object.entries(headers)) res.header(name, value)
      if (text !== undefined) return 'Content-Type' in headers ? res.send(text) : res.text(text)
      if (chunks !== undefined) return res.stream(Readable.from(chunks))
      return res.json(json)
    },
    options,
  )
}

function routeInExpress(app: express5.Express, routes: readonly Route[], version: 4 | 5): void {
  for (const [method, path, reply] of routes) {
    const pattern = path === '*' && version === 5 ? '/{*rest}' : path
    const verb = (method === '*' ? 'all' : method.toLowerCase()) as 'get'
    app[verb](pattern, expressHandler(reply))
  }
}

function placed(one: Placed): readonly [path: string | undefined, hook: AnyHook] {
  return typeof one === 'function' ? [undefined, one] : one
}

interface Run {
  answers: Received[]
  notes: string[]
}

async function runInExpress(one: Case, serving: Serving): Promise<Run> {
  const notes: string[] = []
  const version = one.express ?? 5
  const app = version === 5 ? express5() : express4()
  for (const [path, hook] of one.middleware((line) => void notes.push(line), serving).map(placed)) {
    if (path === undefined) app.use(hook as never)
    else app.use(path, hook as never)
  }
  routeInExpress(app, [...one.routes, ...(one.behind ?? [])], version)
  app.use(errorsAsText as never)
  const { port, close } = await listenOn(app)
  try {
    const answers = await one.script(toHost(sendTo(port)), serving)
    await close()
    return { answers, notes }
  } catch (error) {
    await close()
    throw error
  }
}

type Place = 'addGlobal' | 'fromConnect'

/** Serves a case with our side. */
async function serveCase(one: Case, serving: Serving, place: Place, notes: string[] = []): Promise<Served> {
  const middleware = one.middleware((line) => void notes.push(line), serving).map(placed)
  const behind = one.behind ?? []
  // Where there is an Express, those routes are its own.
  const stays = serving.misses === 'host' && place === 'addGlobal'
  const routes = stays ? one.routes : [...one.routes, ...behind]
  const controllers = routes.map((route) => controllerOf(route, place === 'fromConnect' ? one.options : {}))
  if (place === 'fromConnect') {
    for (const controller of controllers) {
      const path = controller.getPath()
      for (const [mount, hook] of middleware) {
        if (mount === undefined || path === mount || path.startsWith(`${mount}/`))
          controller.use(fromConnect(hook as Hook))
      }
    }
  }
  return serving.serve(controllers, {
    setup(routeControllers) {
      const options = one.every ? { scope: 'every' as const } : {}
      if (place === 'addGlobal') {
        for (const [path, hook] of middleware) {
          if (path === undefined) routeControllers.addGlobal(hook as Hook, options)
          else routeControllers.addGlobal(path, hook as Hook, options)
        }
      }
      routeControllers.addGlobal(errorsAsText as never, options)
    },
    ...(stays && {
      downstream(app) {
        routeInExpress(app, behind, 5)
        app.use(errorsAsText as never)
      },
    }),
  })
}

// The web serving names this host; over sockets it is sent.
const host = 'test'

function toHost(send: Send): Send {
  return (target, options = {}) => send(target, { ...options, headers: { host, ...options.headers } })
}

/** The ways of serving that the table of the documentation has, besides `fromConnect`. */
const ways = servings.filter(({ name }) => name !== 'inside Express 4')

/** Describes that a case gives the same answers here as in Express. */
export function compareWithExpress(one: Case): void {
  const normalise = one.normalise ?? ((text: string) => text)
  const same = async (serving: Serving, place: Place): Promise<void> => {
    const expected = await runInExpress(one, serving)
    const notes: string[] = []
    const { send } = await serveCase(one, serving, place, notes)
    const answers = await one.script(toHost(send), serving)
    expect(answers.map((answer) => comparable(settle(answer), normalise))).toEqual(
      expected.answers.map((answer) => comparable(settle(answer), normalise)),
    )
    // A log line may be written after its answer has come.
    while (notes.length < expected.notes.length) await new Promise(setImmediate)
    // A line may also be written after the next request has begun.
    const settled = (lines: string[]): string[] => lines.map((line) => normalise(line)).sort()
    expect(settled(notes)).toEqual(settled(expected.notes))
  }
  describe(`${one.name} answers as in Express`, () => {
    afterEach(closeAll)
    it.each(ways.map((serving) => [serving.name, serving] as const))(
      'as a global hook, %s',
      (_name, serving) => same(serving, 'addGlobal'),
    )
    if (one.notForOne === undefined) {
      it.each(
        ways.filter(({ misses }) => misses === 'us').map((serving) => [serving.name, serving] as const),
      )('through fromConnect, %s', (_name, serving) => same(serving, 'fromConnect'))
    }
  })
}

/** A client that keeps cookies. */
export function openBrowser(send: Send): Send {
  const jar = new Map<string, string>()
  return async (target, options = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send(target, {
      ...options,
      headers: { ...(cookie !== '' && { cookie }), ...options.headers },
    })
    for (const line of answer.cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string]
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
}

/** Sends one after the other. */
export async function sendAll(
  send: Send,
  ...requests: readonly (readonly [target: string, options?: SendOptions])[]
): Promise<Received[]> {
  const answers: Received[] = []
  for (const [target, options] of requests) answers.push(await send(target, options))
  return answers
}

export const form = (body: string): SendOptions => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

export const json = (value: unknown): SendOptions => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
})

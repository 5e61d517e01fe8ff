// The last step of those who leave an app of Express, as docs/migrate/lift.md has it: random functions of use become hooks, the same instances in their
// order, and the lists stand in one RouteControllers with the profile. Each request is answered as by the app, and each guard runs as often.
import express5, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { express4 as like4, express5 as like5, fromRouter, native } from '../../../src/express/index.js'
import { Controller, RouteControllers, toListener } from '../../../src/index.js'
import { below, createRandom, pick, type Random } from '../../hard/random.js'
import { times } from '../../support/counts.js'
import { askRaw } from '../move/answers.js'

const rounds = times(4, 60)
const requests = times(40, 200)
const seed = Number(process.env['SEED'] ?? 1)
const segments = ['a', 'B', 'teas', ':id']

const pathOf = (random: Random): string =>
  `/${[...new Set(Array.from({ length: below(random, 3) }, () => pick(random, segments)))].join('/')}`

type Ran = string[]
interface Used {
  readonly path: string
  readonly handler: RequestHandler | ErrorRequestHandler
}

/** Functions of use: guards that answer, pass on, throw or change the URL. */
function functionsOf(random: Random, ran: Ran): Used[] {
  return Array.from({ length: 1 + below(random, 5) }, (_none, at) => {
    const kind = pick(random, ['count', 'count', 'refuse', 'throw', 'async', 'rewrite', 'header'])
    const handler: RequestHandler = (req, res, next) => {
      ran.push(`${at} ${kind} ${req.method} ${req.baseUrl} ${req.url} ${JSON.stringify(req.params)}`)
      if (kind === 'refuse' && req.headers['x-user'] === undefined) return void res.status(401).send('who')
      if (kind === 'throw' && req.query['fail'] !== undefined)
        throw Object.assign(new Error('no'), { status: 418 })
      if (kind === 'header') res.append('x-seen', String(at))
      if (kind === 'rewrite' && req.url.startsWith('/old')) req.url = req.url.slice(4) || '/'
      if (kind === 'async') setImmediate(next)
      else next()
    }
    return { path: pathOf(random), handler }
  })
}

interface Route {
  readonly method: 'get' | 'post' | 'put'
  readonly path: string
  readonly callback: (req: any, res: any) => any
}

function routesOf(random: Random): Route[] {
  return Array.from({ length: 1 + below(random, 5) }, (_none, at): Route => ({
    method: pick(random, ['get', 'get', 'post', 'put']),
    path: pathOf(random),
    callback(req, res) {
      if (req.query.boom !== undefined) throw new Error('boom')
      return res.json([at, req.params, req.body ?? null])
    },
  }))
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return (server.address() as AddressInfo).port
}

function requestOf(random: Random): string {
  const method = pick(random, ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
  const parts = Array.from({ length: below(random, 4) }, () =>
    pick(random, ['a', 'A', 'b', 'B', 'teas', '7', '%', 'old']),
  )
  const url = `/${parts.join('/')}${pick(random, ['', '', '/', '?fail', '?boom'])}`
  const body = /^P/.test(method) ? pick(random, ['{"a":1}', '{bad']) : ''
  const head = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const user = random() < 0.6 ? 'X-User: me\r\n' : ''
  return `${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${user}${head}\r\n${body}`
}

const cases = Array.from({ length: rounds }, (_none, round) => round).flatMap((round) =>
  ([4, 5] as const).map((version) => [round, version] as const),
)

it.each(cases)('round %i as Express %i', async (round, version) => {
  const random = createRandom(seed * 1_000_003 + round * 2 + version)
  const settings = { 'json spaces': below(random, 3), 'x-powered-by': random() < 0.5 }
  const [ranBefore, ranNow]: [Ran, Ran] = [[], []]
  const [ofUse, ofHooks] = [createRandom(round), createRandom(round)]
  const routes = routesOf(random)
  const onError: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.status(error.status ?? 500).send(`E ${error.message}`)
  const json = express5.json()
  const express = version === 4 ? express4 : express5

  const app: Express = express()
  for (const [name, value] of Object.entries(settings)) app.set(name, value)
  app.use(json)
  for (const { path, handler } of functionsOf(ofUse, ranBefore)) app.use(path, handler)
  for (const { method, path, callback } of routes) app[method](path, native(callback))
  app.use(onError)

  const profile = (version === 4 ? like4 : like5)({ settings, express })
  const controllers = routes.map(({ method, path, callback }) => new Controller(method, path, callback))
  const lifted = new RouteControllers(controllers, { profile })
  lifted.addGlobal(json)
  for (const { path, handler } of functionsOf(ofHooks, ranNow)) lifted.addGlobal(path, handler as never)
  lifted.addGlobal(onError as never)

  const servers = [createServer(app), createServer(toListener(lifted.getCallback()))]
  const ports = await Promise.all(servers.map(listen))
  try {
    for (let at = 0; at < requests; at++) {
      const request = requestOf(random)
      const [was, is] = await Promise.all(ports.map((port) => askRaw(port, request)))
      expect({ request, answer: is, ran: ranNow.splice(0) }).toEqual({
        request,
        answer: was,
        ran: ranBefore.splice(0),
      })
    }
  } finally {
    for (const server of servers) server.close()
  }
})

const targets = [
  '/o/1',
  '/o',
  '/o/',
  '/o/1/2',
  '/o/1#x',
  '/o#x',
  '/o//1',
  '/o/%',
  'http://u@h/o/1',
  'http://h/o\\1',
]

it.each([
  ['4', express4],
  ['5', express5],
] as const)(
  'a guard of a list runs for each target as that of a router of Express %s does',
  async (_name, of) => {
    const express = of
    const guard: RequestHandler = (req, res, next) => {
      if (req.method === 'OPTIONS' && req.get('origin') !== undefined) return void res.status(204).end()
      if (req.get('x-user') === undefined) return void res.status(401).send(`who ${req.baseUrl} ${req.url}`)
      next()
    }
    const show = (req: { params: { id?: string } }) => ({ id: req.params.id })
    const router = express.Router()
    router.use(guard)
    router.get('/:id', native(show))
    const controllers = [new Controller('GET', '/:id', show)]
    const list = new RouteControllers(controllers, { profile: fromRouter(express.Router()) })
    list.addGlobal(guard, { scope: 'every' })
    const servers = [router, list.middleware()].map((one) => createServer(express().use('/o', one as never)))
    const ports = await Promise.all(servers.map(listen))
    const preflight = 'Origin: http://a\r\nAccess-Control-Request-Method: GET\r\n'
    try {
      for (const line of targets.flatMap((target) =>
        ['GET', 'POST', 'OPTIONS'].map((one) => `${one} ${target}`),
      )) {
        for (const header of ['', preflight]) {
          const request = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`
          const [was, is] = await Promise.all(ports.map((port) => askRaw(port, request)))
          expect(was).toMatch(/^HTTP\/1\.1 (?:401|204) /)
          expect({ request, answer: is }).toEqual({ request, answer: was })
        }
      }
    } finally {
      for (const server of servers) server.close()
    }
  },
)

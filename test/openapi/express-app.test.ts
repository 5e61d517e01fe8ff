// The document of an app of Express: of its native callbacks.
import express5 from 'express'
import express4 from 'express4'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeGuard, RouteControllers } from 'routecontrollers'
import { fromExpress, native } from 'routecontrollers/express'
import { type LeftOutRoute, openApi, openApiControllers } from 'routecontrollers/openapi'
import { z } from 'zod'
import { closeHosted, closeLater } from '../support/hosting.js'
import { sendTo } from '../support/describe-servings.js'
import { lint } from './lint.js'

afterEach(closeHosted)

const info = { title: 'Shop', version: '1.0.0' }

describe.each([
  [4, express4],
  [5, express5],
] as const)('openApi of an app of Express %d', (version, express: any) => {
  const legacy = (_req: any, res: any): void => void res.send('legacy')
  const show = () => 'native'
  const app = (build: (app: any) => void): any => {
    const created = express()
    build(created)
    return created
  }
  const pathsOf = (build: (app: any) => void): string[] =>
    Object.entries(openApi(app(build), { info }).paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )

  it('leaves out a path with braces of its own, which would be a param that nothing declares', async () => {
    const left: LeftOutRoute[] = []
    const built = app((one) => one.get('/a\\{b\\}', native(show)).get('/c', native(show)))
    const document = openApi(built, { info, onLeftOut: (route) => left.push(route) })
    expect(Object.keys(document.paths)).toEqual(['/c'])
    expect(left).toHaveLength(1)
    expect(await lint(document)).toEqual([])
  })

  it('lists its native callbacks with their schemas and notes, by their whole paths', async () => {
    const input = { params: z.object({ shop: z.string(), id: z.coerce.number().int() }) }
    const output = { 200: z.object({ id: z.number() }), 404: z.object({ error: z.string() }) }
    const options = { name: 'getOrder', summary: 'One order', tags: ['orders'], input, output }
    const built = app((one) => {
      const router = express.Router({ mergeParams: true })
      router.get('/:id', native(show as never, options), legacy)
      router.post('/', native(show, { name: 'addOrder', input: { body: z.object({ amount: z.int() }) } }))
      router.get('/internal', native(show, { hidden: true }), legacy)
      router.get('/', legacy)
      const mounted = express()
      mounted.get('/health', native(show))
      one.use('/shops/:shop/orders', router)
      one.use('/inner', mounted)
    })
    const document = openApi(built, { info })
    expect(Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ['/shops/{shop}/orders/{id}', ['get']],
      ['/shops/{shop}/orders', ['post']],
      ['/inner/health', ['get']],
    ])
    expect(document.paths['/shops/{shop}/orders/{id}']!['get']).toMatchObject({
      operationId: 'getOrder',
      summary: 'One order',
      tags: ['orders'],
      parameters: [
        { name: 'shop', in: 'path', schema: { type: 'string' } },
        { name: 'id', in: 'path', schema: { type: 'integer' } },
      ],
      responses: { 200: { content: {} }, 404: {}, 422: {} },
    })
    expect(document.paths['/shops/{shop}/orders']!['post']).toMatchObject({
      operationId: 'addOrder',
      requestBody: { required: true },
    })
    expect(await lint(document)).toEqual([])
  })

  it('writes the paths of its grammar in that of OpenAPI', () => {
    const written = pathsOf((one) => {
      one.get('/', native(show))
      one.get('/flights/:from-:to.json', native(show))
      if (version === 4) {
        one.get('/teas/:id(\\d+)', native(show))
        one.get('/cups/:id?', native(show, { name: 'cups' }))
        one.get('/files/*', native(show))
      } else {
        one.get('/teas/:id', native(show))
        one.get('/cups{/:id}', native(show, { name: 'cups' }))
        one.get('/files/*rest', native(show))
      }
      one.get(['/one', '/two/:x'], native(show))
      one.all('/all', native(show, { name: 'all' }))
      one.use('/:id', express.Router({ mergeParams: true }).get('/again/:id', native(show)))
    })
    expect(written).toEqual([
      'get /',
      'get /flights/{from}-{to}.json',
      'get /teas/{id}',
      'get /cups',
      'get /cups/{id}',
      'get /files/{rest}',
      'get /one',
      'get /two/{x}',
      ...['get', 'put', 'post', 'delete', 'patch'].map((method) => `${method} /all`),
      'get /{id}/again/{id_}',
    ])
  })

  it('gives each way to write the path of a route of all methods an operation of its own', () => {
    const path = version === 4 ? '/cups/:id?' : '/cups{/:id}'
    const { paths } = openApi(
      app((one) => one.all(path, native(show, { name: 'cups' }))),
      { info },
    )
    const idsOf = (item: Record<string, { operationId: string }>) =>
      Object.values(item).map(({ operationId }) => operationId)
    const ids = Object.values(paths).flatMap(idsOf)
    expect(Object.keys(paths)).toEqual(['/cups', '/cups/{id}'])
    expect(ids.slice(0, 2)).toEqual(['cupsGet', 'cupsPut'])
    expect([ids.length, new Set(ids).size]).toEqual([10, 10])
  })

  it('leaves out a path that could be written in too many ways', () => {
    const optional = [1, 2, 3, 4, 5].map((at) => (version === 4 ? `/:p${at}?` : `{/:p${at}}`))
    expect(pathsOf((one) => one.get(`/x${optional.slice(1).join('')}`, native(show)))).toHaveLength(5)
    expect(pathsOf((one) => one.get(`/x${optional.join('')}`, native(show)))).toEqual([])
  })

  it('takes a character that is escaped for itself', () => {
    const path = version === 4 ? '/a.b' : '/a\\:b'
    expect(pathsOf((one) => one.get(path, native(show)))).toEqual([version === 4 ? 'get /a.b' : 'get /a:b'])
  })

  it('leaves out a path that is a regular expression, and says so', () => {
    const leftOut: LeftOutRoute[] = []
    const built = app((one) => {
      one.get(/^\/x(\d+)$/, native(show), legacy)
      one.get('/y', native(show))
    })
    const document = openApi(built, { info, onLeftOut: (route) => leftOut.push(route) })
    expect(Object.keys(document.paths)).toEqual(['/y'])
    expect(leftOut).toEqual([
      expect.objectContaining({ method: 'GET', reason: expect.stringContaining("Express's grammar") }),
    ])
  })

  it('says what its guards ask for, wherever they stand before it', () => {
    const guard = (scheme: string): any =>
      describeGuard((_req: any, _res: any, next: any) => next(), {
        security: [{ [scheme]: [] }],
        answers: { 401: 'No' },
      })
    const built = app((one) => {
      one.use('/admin', guard('ofApp'))
      one.get('/admin/users', guard('ofRoute'), native(show), legacy)
      one.get('/open', native(fromExpress(legacy)), guard('behind'), legacy)
    })
    const securitySchemes = Object.fromEntries(
      ['ofApp', 'ofRoute', 'behind'].map((name) => [name, { type: 'http', scheme: 'bearer' }]),
    )
    const { paths } = openApi(built, { info, securitySchemes })
    expect(paths['/admin/users']!['get']).toMatchObject({
      security: [{ ofApp: [], ofRoute: [] }],
      responses: { 401: { description: 'No' } },
    })
    expect(paths['/open']!['get']!.security).toBeUndefined()
  })

  it('names a param as its path does, also in quotes', () => {
    if (version === 4) return
    expect(pathsOf((one) => one.get('/teas/:"a b"/:"c\\"d"/:e', native(show)))).toEqual([
      'get /teas/{a b}/{c"d}/{e}',
    ])
  })

  it('is served by its Controllers, and follows routes that the app gets later', async () => {
    const built = app((one) => {
      one.get('/teas', native(show))
      const controllers = openApiControllers(() => one, { info }, { page: false })
      one.use(new RouteControllers(controllers).middleware())
    })
    const server = http.createServer(built)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closeLater(() => new Promise((resolve) => server.close(resolve)))
    const send = sendTo((server.address() as AddressInfo).port)
    const served = async (): Promise<string[]> =>
      Object.keys(JSON.parse((await send('/openapi.json')).text).paths)
    expect(await served()).toEqual(['/teas'])
    built.get('/cups', native(show))
    expect(await served()).toEqual(['/teas', '/cups'])
    const inner = express.Router().get('/one', native(show))
    built.use('/inner', inner)
    expect(await served()).toEqual(['/teas', '/cups', '/inner/one'])
    inner.get('/two', native(show))
    expect(await served()).toEqual(['/teas', '/cups', '/inner/one', '/inner/two'])
    // Any client may ask for it: an app whose layers are the same is not read again.
    let reads = 0
    const path = { get: () => (reads++, '/two') }
    Object.defineProperty(inner.stack[1].route, 'path', path)
    await served()
    expect(reads).toBe(0)
    inner.route('/two').get(native(show))
    expect(await served()).toContain('/inner/two')
    expect(reads).toBeGreaterThan(0)
    // One of several handlers of a route is no layer of a router.
    const route = inner.route('/three')
    route.get(legacy)
    expect(await served()).not.toContain('/inner/three')
    route.get(native(show))
    expect(await served()).toContain('/inner/three')
  })

  it('has the answer to refused input that is sent, which error handlers of the app do not get', async () => {
    const input = { body: z.object({ amount: z.number() }) }
    const built = app((one) => {
      one.post('/orders', native(show, { input }))
      one.use((_error: any, _req: any, res: any, _next: any) => res.status(400).json({ own: true }))
    })
    const server = http.createServer(built)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closeLater(() => new Promise((resolve) => server.close(resolve)))
    const send = sendTo((server.address() as AddressInfo).port)
    const headers = { 'content-type': 'application/json' }
    const refused = await send('/orders', { method: 'POST', headers, body: '{"amount":"1"}' })
    expect([refused.status, refused.headers['content-type']]).toEqual([
      422,
      'application/problem+json; charset=utf-8',
    ])
    expect(openApi(built, { info }).paths['/orders']!['post']!.responses).toEqual({
      default: { description: 'An answer without a schema' },
      422: {
        description: 'The input does not fit',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    })
  })
})

describe('openApi', () => {
  it('takes no function that is no app', () => {
    expect(() => openApi(() => {}, { info })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTION_INVALID',
        message: 'openApi takes RouteControllers, or an app of Express with native callbacks, not a function',
      }),
    )
  })
})

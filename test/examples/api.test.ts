import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { RouteControllers } from 'routecontrollers'
import { openApi, type OpenApiDocument } from 'routecontrollers/openapi'
import { apiOptions, createControllers } from '../../examples/api/api.js'
import { createApiClient } from '../../examples/api/client.js'
import { observe } from '../../examples/api/guards.js'
import { createStore } from '../../examples/api/store.js'
import { lint } from '../openapi/lint.js'
import { isWhole } from '../support/counts.js'
import { describeServings, type Served, type Serving } from '../support/describe-servings.js'
import { type RunningExample, useExample } from './start-example.js'

const root = join(__dirname, '../..')

interface Asked extends Served {
  /** Asks as Ada, with JSON. */
  ask: (
    method: string,
    target: string,
    body?: object,
    token?: string,
  ) => Promise<{ status: number; json: unknown }>
  lines: object[]
  spans: InMemorySpanExporter
}

async function serveApi(serving: Serving): Promise<Asked> {
  const lines: object[] = []
  const spans = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  let served: RouteControllers
  const list = createControllers(createStore(), () => served)
  const setup = (routeControllers: RouteControllers) => {
    served = routeControllers
    routeControllers.use(
      observe(provider.getTracer('test'), { info: (line: object) => void lines.push(line) }),
    )
  }
  const all = await serving.serve(list, { setup })
  return {
    ...all,
    lines,
    spans,
    async ask(method, target, body, token = 'ada') {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const answer = await all.send(target, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, json: answer.text === '' ? undefined : answer.json() }
    },
  }
}

describeServings('The example api', (serving) => {
  it('lets users in, makes an org, and takes orders of its members', async () => {
    const { ask } = await serveApi(serving)
    expect(await ask('GET', '/me')).toEqual({ status: 200, json: { name: 'Ada', email: 'ada@example.com' } })
    expect(await ask('GET', '/me', undefined, 'nobody')).toEqual({
      status: 401,
      json: { error: 'Who are you?' },
    })

    const org = { slug: 'acme', title: 'Acme', members: ['Ada'] }
    expect(await ask('POST', '/orgs', { slug: 'acme', title: 'Acme' })).toEqual({ status: 201, json: org })
    expect(await ask('POST', '/orgs', { slug: 'acme', title: 'Other' })).toMatchObject({ status: 409 })
    expect(await ask('POST', '/orgs/acme/orders', { item: 'tea' }, 'grace')).toMatchObject({ status: 404 })
    expect(await ask('POST', '/orgs/acme/members', { name: 'Grace' })).toMatchObject({
      status: 200,
      json: { members: ['Ada', 'Grace'] },
    })
    expect(await ask('POST', '/orgs/acme/members', { name: 'Linus' })).toMatchObject({ status: 404 })

    const order = { id: 1, item: 'tea', amount: 1, by: 'Grace', state: 'open' }
    expect(await ask('POST', '/orgs/acme/orders', { item: 'tea' }, 'grace')).toEqual({
      status: 201,
      json: order,
    })
    expect(await ask('PATCH', '/orgs/acme/orders/1', { state: 'sent' })).toMatchObject({
      status: 200,
      json: { state: 'sent' },
    })
    expect(await ask('PATCH', '/orgs/acme/orders/2', { state: 'sent' })).toMatchObject({ status: 404 })
    expect(await ask('GET', '/orgs/acme/orders?state=open')).toMatchObject({ json: { total: 0, orders: [] } })
    expect(await ask('GET', '/orgs/acme/orders?page=1&size=5')).toMatchObject({ json: { total: 1 } })
  })

  it('refuses input that does not fit, after its guards', async () => {
    const { ask } = await serveApi(serving)
    expect(await ask('POST', '/orgs', { slug: 'No!' }, 'nobody')).toMatchObject({ status: 401 })
    const refused = await ask('POST', '/orgs', { slug: 'No!' })
    expect(refused).toMatchObject({
      status: 422,
      json: {
        errors: [
          { in: 'body', path: '/slug' },
          { in: 'body', path: '/title' },
        ],
      },
    })
  })

  it('serves the document that openApi makes, and its page', async () => {
    const { send, routeControllers } = await serveApi(serving)
    const document = (await send('/openapi.json')).json() as OpenApiDocument
    expect(document).toEqual(openApi(routeControllers, apiOptions))
    expect(await lint(document)).toEqual([])
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
      'addMember',
      'changeOrder',
      'createOrder',
      'createOrg',
      'getMe',
      'listOrders',
    ])
    expect((await send('/docs')).text).toContain('swagger-ui')
  })

  it('makes a line of the log and a span of each request, by its route', async () => {
    const { ask, lines, spans } = await serveApi(serving)
    await ask('GET', '/me?a=1')
    await ask('PATCH', '/orgs/acme/orders/7', { state: 'sent' })
    const finished = spans.getFinishedSpans()
    expect(finished.map(({ name, kind, attributes }) => [name, kind, attributes])).toEqual(
      [
        ['GET', '/me', 200],
        ['PATCH', '/orgs/:org/orders/:id', 404],
      ].map(([method, route, status]) => [
        `${method} ${route}`,
        SpanKind.SERVER,
        { 'http.route': route, 'http.response.status_code': status },
      ]),
    )
    const [me] = finished.map((span) => span.spanContext().traceId)
    const ms = expect.any(Number) as number
    expect(lines[0]).toEqual({ method: 'GET', route: '/me', status: 200, ms, traceId: me })
    expect(lines).toHaveLength(2)
  })
})

const clientTypes = (): string => readFileSync(join(root, 'examples/api/client-types.ts'), 'utf8')

describe('The client of the example api', () => {
  const example = useExample('api/main.ts')
  let api: RunningExample
  let url: string

  beforeAll(async () => {
    const environment = { OTEL_TRACES_EXPORTER: 'console', OTEL_BSP_SCHEDULE_DELAY: '50' }
    api = await example.start(/The API listens: \S+\/docs/, environment)
    url = /(http:\S+)\/docs/.exec(api.output)![1]!
  })
  afterAll(() => api.stop())

  /** What the example prints, once it has. */
  async function printed(what: RegExp): Promise<string> {
    for (;;) {
      const found = what.exec(api.output)
      if (found !== null) return found[0]
      await setTimeout(20)
    }
  }

  it('has the types of the document', async () => {
    const client = createApiClient(url, 'ada')
    const made = await client.POST('/orgs', { body: { slug: 'acme', title: 'Acme' } })
    expect(made.data?.members).toEqual(['Ada'])
    const ordered = await client.POST('/orgs/{org}/orders', {
      params: { path: { org: 'acme' } },
      body: { item: 'tea', amount: 3 },
    })
    expect([ordered.response.status, ordered.data?.amount]).toEqual([201, 3])
    const listed = await client.GET('/orgs/{org}/orders', {
      params: { path: { org: 'acme' }, query: { state: 'open' } },
    })
    expect(listed.data?.orders.map(({ item }) => item)).toEqual(['tea'])

    // @ts-expect-error the title is missing
    const refused = await client.POST('/orgs', { body: { slug: 'other' } })
    expect(refused.error).toMatchObject({ status: 422, errors: [{ in: 'body', path: '/title' }] })
    // @ts-expect-error there is no such path
    await expect(client.GET('/nowhere').then(({ response }) => response.status)).resolves.toBe(404)
    const stranger = await createApiClient(url, 'nobody').GET('/me')
    expect([stranger.response.status, stranger.error]).toEqual([401, { error: 'Who are you?' }])
  })

  it('is seen by OpenTelemetry and pino, with one trace id', async () => {
    const { response } = await createApiClient(url, 'grace').GET('/me')
    expect(response.status).toBe(200)
    const line = await printed(/\{[^{}]*"route":"\/me","status":200[^{}]*\}/)
    const { traceId } = JSON.parse(line) as { traceId: string }
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    const span = await printed(new RegExp(`traceId: '${traceId}'[^]*?links: `))
    expect(span).toMatch(/name: 'GET \/me'[^]*'http\.route': '\/me'/)
  })

  it('is made of the document of this hash, and both are as they were', () => {
    const controllers = createControllers(createStore(), () => ({ routes: [] }))
    const document = openApi(new RouteControllers(controllers), apiOptions)
    const hash = createHash('sha256').update(JSON.stringify(document))
    // After a change: npm run example:api:client, and then this test with -u. `npm run test:all` makes the client again.
    expect(hash.update(clientTypes()).digest('hex')).toMatchInlineSnapshot(
      `"ef6c5df68bcb88a632f380686174538e3f44099923438502b9f83ac53f73e253"`,
    )
  })

  if (!isWhole) return

  it('is made of the document as it is now', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'client-'))
    const file = join(folder, 'client-types.ts')
    const script = join(root, 'examples/api/generate-client.ts')
    const child = spawn(process.execPath, ['--import', 'tsx', script, file], { cwd: root, stdio: 'inherit' })
    expect(await once(child, 'close')).toEqual([0, null])
    const made = readFileSync(file, 'utf8')
    rmSync(folder, { recursive: true })
    // After a change: npm run example:api:client
    expect(made).toBe(clientTypes())
  })
})

it('The example api has less than 200 lines', () => {
  const files = ['api', 'client', 'generate-client', 'guards', 'main', 'schemas', 'store']
  const lines = files.map(
    (name) => readFileSync(join(root, `examples/api/${name}.ts`), 'utf8').split('\n').length - 1,
  )
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(200)
})

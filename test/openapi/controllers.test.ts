import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import express, { type Express } from 'express'
import request from 'supertest'
import { Controller, describeGuard, group, RouteControllers, Server } from 'routecontrollers'
import { express5 } from 'routecontrollers/express'
import { type OpenApiDocument, type OpenApiPaths, openApiControllers } from 'routecontrollers/openapi'
import { Chromium, describeInChromium } from '../support/chromium.js'
import { closeAll, describeServings, servings } from '../support/describe-servings.js'
import { itSlow } from '../support/counts.js'

const info = { title: 'Teas & <more>', version: '1.0.0' }
const tea = new Controller('GET', '/teas/:id', () => 'a tea', {
  name: 'getTea',
  summary: 'One tea of the shop',
})
const installed = dirname(require.resolve('swagger-ui-dist/package.json'))

const createList = (paths?: OpenApiPaths, ...more: Controller[]) => {
  const list: Controller[] = [tea as unknown as Controller, ...more]
  list.push(...openApiControllers(() => new RouteControllers(list), { info }, paths))
  return list
}

describeServings('openApiControllers', ({ serve }) => {
  it('serves the document, without themselves', async () => {
    const { send } = await serve(createList())
    const answer = await send('/openapi.json')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const document = answer.json() as OpenApiDocument
    expect([document.info, Object.keys(document.paths)]).toEqual([info, ['/teas/{id}']])
  })

  it('serve a page that takes all from here, with a policy that allows no more', async () => {
    const { send } = await serve(createList())
    const page = await send('/docs')
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    // After an update, a browser asks for the new one.
    expect(page.headers['cache-control']).toBe('no-cache')
    expect(page.text).toContain('<title>Teas &amp; &lt;more&gt;</title>')
    expect(page.text).not.toMatch(/https?:|style=|\son\w+=|<style|<script>/)
    const linked = [...page.text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(
      ([, link]) => new URL(link!, 'http://x/docs').pathname,
    )
    expect(linked).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js'])
    for (const path of linked) {
      const answer = await send(path)
      const { 'content-type': type, 'cache-control': caching } = answer.headers
      expect([path, answer.status, type, caching]).toEqual([
        path,
        200,
        path.endsWith('css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
        'no-cache',
      ])
    }
    const { body, headers } = await send('/docs/swagger-ui.css')
    expect(body.equals(readFileSync(join(installed, 'swagger-ui.css')))).toBe(true)
    const again = await send('/docs/swagger-ui.css', { headers: { 'If-None-Match': headers['etag']! } })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('serve both where they are told to, and the document alone', async () => {
    const { send } = await serve(createList({ path: '/api/v1/schema.json', page: '/help/api/docs' }))
    expect((await send('/api/v1/schema.json')).status).toBe(200)
    const { text } = await send('/help/api/docs')
    expect(new URL(/data-document="([^"]*)"/.exec(text)![1]!, 'http://x/help/api/docs').pathname).toBe(
      '/api/v1/schema.json',
    )
    const { send: alone } = await serve(createList({ page: false }))
    expect([(await alone('/openapi.json')).status, (await alone('/docs')).status]).toEqual([200, 404])
  })
})

describe('openApiControllers', () => {
  afterEach(closeAll)

  it('tell of routes that were added since', async () => {
    const list = createList({ page: false })
    const routeControllers = new RouteControllers(list)
    const pathsOf = async () => {
      const answer = await routeControllers.getCallback()(new Request('http://x/openapi.json'))
      return Object.keys(((await answer.json()) as OpenApiDocument).paths)
    }
    expect(await pathsOf()).toEqual(['/teas/{id}'])
    list.push(new Controller('GET', '/new', () => ''))
    routeControllers.processAllControllers()
    expect(await pathsOf()).toEqual(['/teas/{id}', '/new'])
  })

  it.each<[string, (app: Express, list: Controller[]) => void, string, object[] | undefined]>([
    [
      'the mount in a host, where none are given',
      (app, list) => void app.use('/v1/:tenant', new RouteControllers(list).middleware()),
      '/v1/a/openapi.json?pretty',
      [{ url: '/v1/a' }],
    ],
    [
      'no mount where there is none',
      (app, list) => void app.use(new RouteControllers(list).middleware()),
      '/openapi.json',
      undefined,
    ],
    [
      'no other host, whatever path a client sends',
      (app, list) => void app.use(/.*(?=\/openapi)/, new RouteControllers(list).middleware()),
      '//evil.example/openapi.json',
      [{ url: '/evil.example' }],
    ],
    [
      'the mount of what it describes, and not its own',
      (app, list) => {
        const documented = new RouteControllers([tea])
        const own = openApiControllers(documented, { info })
        app.use('/docs-of-teas', new RouteControllers([...list.slice(0, 1), ...own]).middleware())
      },
      '/docs-of-teas/openapi.json',
      undefined,
    ],
  ])('name as servers %s', async (_what, mount, target, servers) => {
    const app = express()
    mount(app, createList())
    const { body } = await request(app).get(target).expect(200)
    expect((body as OpenApiDocument).servers).toEqual(servers)
    expect(Object.keys((body as OpenApiDocument).paths)).toEqual(['/teas/{id}'])
  })

  it('read a file of the page once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'swagger-ui-'))
    try {
      writeFileSync(join(folder, 'package.json'), '{"version":"9.9.9"}')
      writeFileSync(join(folder, 'swagger-ui.css'), 'a {}')
      const list = openApiControllers(new RouteControllers([]), { info }, { swaggerUi: folder })
      const app = express().use(new RouteControllers(list).middleware())
      const first = await request(app).get('/docs/swagger-ui.css').expect(200)
      expect([first.text, first.headers['etag']]).toEqual(['a {}', '"swagger-ui-9.9.9"'])
      rmSync(folder, { recursive: true })
      const second = await request(app).get('/docs/swagger-ui.css').expect(200)
      expect(second.text).toBe('a {}')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('name as servers those of the options alone, where there are some', async () => {
    const servers = [{ url: 'https://teas.example' }]
    const list: Controller[] = []
    list.push(...openApiControllers(() => new RouteControllers(list), { info, servers }))
    const { text } = await request(express().use('/v1', new RouteControllers(list).middleware())).get(
      '/v1/openapi.json',
    )
    expect((JSON.parse(text) as OpenApiDocument).servers).toEqual(servers)
    expect(text.match(/"servers"/g)).toHaveLength(1)
  })

  it('allow requests to the servers that the document names', async () => {
    const servers = [
      { url: 'https://api.example.com:8443/v1' },
      { url: '/v2' },
      { url: "https://a.test; script-src 'unsafe-inline'" },
    ]
    const list = openApiControllers(new RouteControllers([]), { info, servers })
    const page = await new RouteControllers(list).getCallback()(new Request('http://x/docs'))
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("; connect-src 'self' https://api.example.com:8443 https://a.test; base-uri")
    expect(policy).not.toContain('unsafe-inline')
  })

  it('allow requests for the tokens of OAuth2 and OpenID Connect', async () => {
    const securitySchemes = {
      bearer: { type: 'http', scheme: 'bearer' },
      oauth2: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://tokens.test/token',
            refreshUrl: 'https://fresh.test/token',
            scopes: {},
          },
          password: undefined,
        },
      },
      connect: {
        type: 'openIdConnect',
        openIdConnectUrl: 'https://connect.test/.well-known/openid-configuration',
      },
    }
    const list = openApiControllers(new RouteControllers([]), { info, securitySchemes })
    const page = await new RouteControllers(list).getCallback()(new Request('http://x/docs'))
    expect(page.headers.get('content-security-policy')).toContain(
      "; connect-src 'self' https://tokens.test https://fresh.test https://connect.test; base-uri",
    )
  })

  it('allow them with each value that a variable of a server may have', async () => {
    const servers = [
      {
        url: 'https://{region}.example.com:{port}/{version}',
        variables: {
          region: { enum: ['eu', 'us'], default: 'eu' },
          port: { default: '8443' },
          version: { enum: ['v1', 'v2'], default: 'v1' },
        },
      },
      { url: 'https://api.{unknown}.test' },
    ]
    const list = openApiControllers(new RouteControllers([]), { info, servers })
    const page = await new RouteControllers(list).getCallback()(new Request('http://x/docs'))
    expect(page.headers.get('content-security-policy')).toContain(
      "; connect-src 'self' https://eu.example.com:8443 https://us.example.com:8443; base-uri",
    )
  })

  it('find what the page links to behind a slash too, which Express takes', async () => {
    const fetchHandler = new RouteControllers(createList(), { profile: express5() }).getCallback()
    for (const address of ['http://x/docs', 'http://x/docs/?a=/']) {
      const text = await (await fetchHandler(new Request(address))).text()
      const links = [...text.matchAll(/(?:src|href|data-document)="(?!data:)([^"]*)"/g)]
      expect(links.map(([, link]) => new URL(link!, address).pathname)).toEqual([
        '/docs/swagger-ui.css',
        '/openapi.json',
        '/docs/swagger-ui-bundle.js',
        '/docs/start.js',
      ])
    }
  })

  it('can be guarded like any other', async () => {
    const list = openApiControllers(new RouteControllers([]), { info })
    for (const controller of list) controller.use((_req, res) => res.status(401).end())
    const fetchHandler = new RouteControllers(list).getCallback()
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/openapi.json']) {
      expect((await fetchHandler(new Request(`http://x${path}`))).status).toBe(401)
    }
  })

  it('say what to install where Swagger UI is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-swagger-'))
    try {
      expect(() => openApiControllers(new RouteControllers([]), { info }, { swaggerUi: folder })).toThrow(
        expect.objectContaining({
          code: 'ERR_SWAGGER_UI_MISSING',
          message: expect.stringContaining('npm install swagger-ui-dist') as string,
        }) as Error,
      )
      expect(
        openApiControllers(new RouteControllers([]), { info }, { page: false, swaggerUi: folder }),
      ).toHaveLength(1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('make the document again once the routes have changed, and not before', async () => {
    const { routes } = new RouteControllers([new Controller('*', '/any', () => 'any'), tea])
    let made = 0
    const onLeftOut = (): number => made++
    const given = { routes: routes.slice(0, 1) }
    const [document] = openApiControllers(given, { info, onLeftOut }, { page: false })
    const callback = new RouteControllers([document!]).getCallback()
    const pathsOf = async (): Promise<string[]> => {
      const answer = await callback(new Request('http://x/openapi.json'))
      return Object.keys(((await answer.json()) as OpenApiDocument).paths)
    }
    expect([await pathsOf(), await pathsOf(), made]).toEqual([[], [], 1])
    given.routes.push(routes[1]!)
    expect([await pathsOf(), made]).toEqual([['/teas/{id}'], 2])
  })

  it.each<[string, unknown, object, object]>([
    ['what are no RouteControllers', {}, { info }, {}],
    ['null in their place', null, { info }, {}],
    ['no info', new RouteControllers([]), {}, {}],
    ['a page with a param', new RouteControllers([]), { info }, { page: '/docs/:id' }],
    ['a page with a slash at its end', new RouteControllers([]), { info }, { page: '/docs/' }],
    ['a path that is none', new RouteControllers([]), { info }, { path: 'openapi.json' }],
    ['an option that does not exist', new RouteControllers([]), { info }, { pages: '/docs' }],
  ])('refuse %s', (_what, routeControllers, options, paths) => {
    expect(() => openApiControllers(routeControllers as never, options as never, paths)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION_INVALID' }) as Error,
    )
  })
})

/** The document of a page, as headless Chromium has made it, and what it has written to its console. */
async function open(address: string): Promise<{ dom: string; log: string }> {
  const profile = mkdtempSync(join(tmpdir(), 'page-'))
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--enable-logging=stderr',
    `--user-data-dir=${profile}`,
  ]
  const child = spawn('chromium', [...options, '--virtual-time-budget=20000', '--dump-dom', address], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  })
  let [dom, log] = ['', '']
  child.stdout.on('data', (text) => (dom += String(text)))
  child.stderr.on('data', (text) => (log += String(text)))
  await once(child, 'close')
  // Its processes may write to it for a moment. What is left of it is no failure of a test.
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {})
  return { dom, log }
}

// Where there is no Chromium, what its policy would stop is looked for in the text alone, as above.
describeInChromium('The page in Chromium', () => {
  const { serve } = servings.find(({ onNode }) => onNode)!
  afterEach(closeAll)
  const refused = /Content Security Policy/

  it('shows the API, below another path too, and asks for nothing that its policy refuses', async () => {
    const { port } = await serve(createList({ path: '/api/openapi.json', page: '/api/docs' }))
    const { dom, log } = await open(`http://127.0.0.1:${port}/api/docs`)
    expect(dom).toContain('One tea of the shop')
    expect(log).not.toMatch(refused)
  }, 300_000)

  it('is dark where the system of its reader is, and misses no icon', async () => {
    const { port } = await serve(createList())
    const chromium = await Chromium.start()
    try {
      const tab = await chromium.open()
      const isDark = `document.documentElement?.classList.contains('dark-mode')`
      await tab.scheme('dark')
      await tab.go(`http://127.0.0.1:${port}/docs`)
      await tab.until(`${isDark} && document.body?.textContent.includes('One tea of the shop')`)
      await tab.scheme('light')
      await tab.until(`!${isDark}`)
      expect(tab.complaints()).toEqual([])
    } finally {
      await chromium.close()
    }
  }, 300_000)

  itSlow(
    'has a button Authorize, and a lock at each route, where a guard says what it asks for',
    async () => {
      const guard = describeGuard(() => undefined, {
        security: [{ bearer: [] }],
        answers: { 401: 'No user' },
      })
      const routeControllers: RouteControllers = new RouteControllers([
        group('/me', guard).get('/name', () => 'Ada'),
        new Controller('GET', '/open', () => 'open'),
        ...openApiControllers(() => routeControllers, {
          info: { title: 'Me', version: '1.0.0' },
          securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        }),
      ])
      const server = await new Server().start({
        port: 0,
        host: '127.0.0.1',
        routeControllers,
      })
      try {
        const { dom, log } = await open(`${server.getURL()}/docs`)
        expect(dom).toMatch(/<button[^>]*class="btn authorize[^>]*><span>Authorize<\/span>/)
        expect(dom.match(/class="authorization__btn/g)).toHaveLength(1)
        expect(log).not.toMatch(refused)
      } finally {
        await server.stop()
      }
    },
    120_000,
  )

  itSlow(
    'would say so if it did',
    async () => {
      const list = createList()
      const [page] = list.filter((one) => one.getPath() === '/docs')
      page!.use(async (_req, _res, next) => {
        const answer = await next()
        return new Response(`${await answer.text()}<script>document.title = 'inline'</script>`, answer)
      })
      const { port } = await serve(list)
      const { dom, log } = await open(`http://127.0.0.1:${port}/docs`)
      expect(log).toMatch(refused)
      expect(dom).not.toContain('<title>inline</title>')
    },
    120_000,
  )
})

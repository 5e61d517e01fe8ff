import type { IncomingMessage, ServerResponse } from 'node:http'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { Controller, type Next, RouteControllers, toListener } from 'routecontrollers'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, createExpress, expresses, host } from '../support/hosting.js'
import { openRaw, parseAnswers } from '../support/raw-socket.js'

const refuses = (_req: IncomingMessage, res: ServerResponse): void => void res.writeHead(401).end('guard')

/** What Express serves behind the guard, and at a path of which a guard's is a part. */
const legacy = (app: Express): void => {
  app.set('env', 'test')
  app.get('/admin/secret', (_req, res) => void res.send('SECRET'))
  app.get('/open', (req, res) => void res.send(`open ${req.url}`))
}

async function ask(port: number, target: string, headers = ''): Promise<{ status: number; body: string }> {
  const client = await openRaw(port)
  client.write(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${headers}\r\n`)
  const [answer] = parseAnswers(await client.untilClosed())
  return answer!
}

/** All of them are `/admin/secret` to Express; some are malformed to us, some another path. */
const targets = [
  '/admin/secret',
  'http://h/admin/secret',
  '/admin/secret#',
  '/admin/secret#x',
  '/admin/secret?#',
  '/admin/secret?a=1#/open',
  '/admin\\secret#',
  'http://u@h/admin/secret',
  'http://u:p@h/admin/secret?a=1',
  'http://h/admin\\secret',
  'http://h:99999/admin/secret',
  'ftp://h/admin/secret',
  'HTTP://h/admin/secret#',
  '//u@h/admin/secret#',
  '/ADMIN/secret#',
]

describeServings(
  "A guard at a path with scope: 'every'",
  ({ serve }) => {
    afterEach(closeHosted)

    it.each(targets)('guards what Express serves behind: %s', async (target) => {
      const { port } = await serve([new Controller('GET', '/moved', () => 'moved')], {
        setup: (all) => void all.addGlobal('/admin', refuses, { scope: 'every' }),
        downstream: legacy,
      })
      expect(await ask(port!, target)).toMatchObject({ status: 401, body: 'guard' })
    })

    it('guards a path that is all of the target to Express', async () => {
      const { port } = await serve([], {
        setup: (all) => void all.addGlobal('/admin/secret', refuses, { scope: 'every' }),
        downstream: legacy,
      })
      expect(await ask(port!, '/admin/secret#')).toMatchObject({ status: 401, body: 'guard' })
      expect(await ask(port!, 'http://h/admin\\secret')).toMatchObject({ status: 401, body: 'guard' })
    })

    it.each(['/open', '/open?a=%23', 'http://h/open', 'http://h:80/open?a=1', '/open/\\x', '/open/@x'])(
      'is not asked of another path that everybody reads alike: %s',
      async (target) => {
        const seen: unknown[] = []
        const { port } = await serve([], {
          setup: (all) =>
            void all.addGlobal(
              '/admin',
              (req, _res, next) => {
                seen.push(req.url)
                next()
              },
              { scope: 'every' },
            ),
          downstream: legacy,
        })
        await ask(port!, target)
        expect(seen).toEqual([])
      },
    )

    it.each([
      ['/admin/secret#x', '/secret#x'],
      ['http://u@h/admin/secret', 'http://u@h/secret'],
      ['http://h/admin\\secret', 'http://h\\secret'],
      // Nobody knows where its mount ends.
      ['//u@h/admin/secret#', '//u@h/admin/secret#'],
    ])(
      'sees %s without its mount, as a router of Express there would; behind it is whole again',
      async (target, inside) => {
        const seen: unknown[] = []
        const { port } = await serve([], {
          setup: (all) =>
            void all.addGlobal(
              '/admin',
              (req, _res, next) => {
                seen.push(req.url)
                next()
              },
              { scope: 'every' },
            ),
          downstream: (app) => {
            legacy(app)
            app.use((req, res) => void res.send(`behind ${req.url}`))
          },
        })
        const { body } = await ask(port!, target)
        expect(seen).toEqual([inside])
        expect(['SECRET', `behind ${target}`]).toContain(body)
      },
    )

    it('with no path sees them as well', async () => {
      const { port } = await serve([], {
        setup: (all) => void all.addGlobal(refuses, { scope: 'every' }),
        downstream: legacy,
      })
      for (const target of targets) expect((await ask(port!, target)).body).toBe('guard')
    })

    it('is asked after a hook has rewritten the URL to such a target', async () => {
      const { port } = await serve([], {
        setup: (all) =>
          void all
            .addGlobal(
              (req, _res, next) => {
                req.url = '/admin/secret#x'
                next()
              },
              { scope: 'every' },
            )
            .addGlobal('/admin', refuses, { scope: 'every' }),
        downstream: legacy,
      })
      expect(await ask(port!, '/open')).toMatchObject({ status: 401, body: 'guard' })
    })

    it('that sees only what is answered here is not asked', async () => {
      const { port } = await serve([], {
        setup: (all) => void all.addGlobal('/admin', refuses),
        downstream: legacy,
      })
      expect((await ask(port!, '/admin/secret#')).body).toBe('SECRET')
    })

    it('that sees only what is answered here takes the path as our routes do', async () => {
      const { port } = await serve([new Controller('GET', '/:name', ({ params }) => params.name)], {
        setup: (all) => void all.addGlobal('/admin', refuses),
        downstream: legacy,
      })
      expect(await ask(port!, 'http://h/admin\\secret')).toMatchObject({ status: 200, body: 'admin\\secret' })
      expect((await ask(port!, 'http://h/admin')).body).toBe('guard')
    })
  },
  ({ misses }) => misses === 'host',
)

describe.each(expresses)(
  "A guard at a path with scope: 'every', in front of %s by HTTP/2",
  (_name, express) => {
    afterEach(closeHosted)

    it.each(['/admin/secret', '/admin/secret#', '/admin/secret?#', '/admin\\secret#', '//u@h/admin/secret#'])(
      'guards what it serves: %s',
      async (target) => {
        const app = createExpress(express)
        legacy(app)
        const routeControllers = new RouteControllers([]).addGlobal('/admin', refuses, { scope: 'every' })
        const { port } = await serveHttp2(routeControllers, { fallback: app })
        const session = await openSession(port)
        expect(await sendOn(session, target)).toMatchObject({ status: 401, text: 'guard' })
      },
    )
  },
)

it.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('A guard that is a router of %s is reached by no malformed target either', async (_name, express) => {
  const router = express.Router()
  router.use('/secret', (_req, res) => void res.status(401).end('guard'))
  const app = createExpress(express)
  legacy(app)
  const routeControllers = new RouteControllers([]).addGlobal(
    '/admin',
    router as unknown as (req: IncomingMessage, res: ServerResponse, next: Next) => void,
    { scope: 'every' },
  )
  const { port } = await host((req, res) => routeControllers.middleware()(req, res, () => app(req, res)))
  for (const target of ['/admin/secret#x', 'http://u@h/admin/secret', 'http://h/admin\\secret']) {
    expect(await ask(port, target)).toMatchObject({ status: 401, body: 'guard' })
  }
  await closeHosted()
})

it('Standalone such a target is 400, and no guard of another path answers it', async () => {
  const routeControllers = new RouteControllers([], { logger: { info() {}, warn() {}, error() {} } })
  routeControllers.addGlobal('/admin', refuses, { scope: 'every' })
  const { port } = await host(toListener(routeControllers.getCallback()))
  expect((await ask(port, '/open#')).status).toBe(400)
  await closeHosted()
})

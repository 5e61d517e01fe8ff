import type { IncomingMessage } from 'node:http'
import { Controller, fromConnect, type Hook, RouteControllers, toListener } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, host } from '../support/hosting.js'

const originalUrl = (req: unknown): string | undefined =>
  (req as IncomingMessage & { originalUrl?: string }).originalUrl

const rewriteTo =
  (url: string): Hook =>
  (req, _res, next) => {
    req.url = url
    next()
  }

describe('req.originalUrl among hooks', () => {
  afterEach(closeHosted)

  async function seenBy(setup: (routeControllers: RouteControllers, seen: unknown[]) => void) {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([
      new Controller('GET', '*', (req) => {
        seen.push(req.originalUrl)
        return 'done'
      }),
    ])
    setup(routeControllers, seen)
    const { send } = await host(toListener(routeControllers.getCallback()))
    expect((await send('/sent?x=1')).status).toBe(200)
    return seen
  }

  it('is the URL as it was sent, for the first hook too', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal((req, _res, next) => {
        notes.push(originalUrl(req))
        next()
      })
    })
    expect(seen).toEqual(['/sent?x=1', '/sent?x=1'])
  })

  it('stays that when a hook has rewritten req.url, for all after it', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal(rewriteTo('/rewritten'))
      routeControllers.addGlobal((req, _res, next) => {
        notes.push([req.url, originalUrl(req)])
        next()
      })
    })
    expect(seen).toEqual([['/rewritten', '/sent?x=1'], '/sent?x=1'])
  })

  it('is whole where the path of a mount is taken off req.url', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal('/sent', (req, _res, next) => {
        notes.push([req.url, originalUrl(req)])
        next()
      })
    })
    expect(seen).toEqual([['/?x=1', '/sent?x=1'], '/sent?x=1'])
  })

  it('is what a hook has assigned', async () => {
    const seen = await seenBy((routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        ;(req as IncomingMessage & { originalUrl?: string }).originalUrl = '/assigned'
        next()
      })
    })
    expect(seen).toEqual(['/assigned'])
  })

  it('is written for a controller that no hook has been asked for', async () => {
    const seen = await seenBy((routeControllers) => {
      routeControllers.addGlobal('/elsewhere', (_req, _res, next) => next())
    })
    expect(seen).toEqual(['/sent?x=1'])
  })

  // As on a bare server: what it calls inside itself goes by the URL that it has made.
  it.each(['/rewritten', undefined])(
    'is no other than the URL that the first hook has given itself: %s',
    async (url) => {
      let seen: unknown = 'nothing'
      const routeControllers = new RouteControllers([])
      routeControllers.addGlobal((req, res) => {
        req.url = url
        seen = originalUrl(req)
        res.end()
      })
      const { send } = await host(toListener(routeControllers.getCallback()))
      await send('/sent')
      expect(seen).toBe(url)
    },
  )
})

/** RouteControllers below `/api` of another: a hook of it that rewrites the URL, and a controller. */
const inner = (seen: unknown[]): RouteControllers =>
  new RouteControllers([
    new Controller('GET', '/rewritten', (req, res) => {
      seen.push(['callback', req.url, req.originalUrl])
      return res.text('done')
    }),
    new Controller('GET', '/x', () => 'never'),
  ])
    .addGlobal((req, _res, next) => {
      seen.push(['hook', req.url, originalUrl(req)])
      next()
    })
    .addGlobal(rewriteTo('/rewritten'))
    .addGlobal((req, _res, next) => {
      seen.push(['behind', req.url, originalUrl(req)])
      next()
    })

const expected = [
  ['hook', '/x', '/api/x'],
  ['behind', '/rewritten', '/api/x'],
  ['callback', '/rewritten', '/api/x'],
]

const nestings: Record<string, (seen: unknown[]) => RouteControllers> = {
  'a hook': (seen) =>
    new RouteControllers([]).addGlobal('/api', inner(seen).middleware(), { scope: 'every' }),
  'a hook of a hook': (seen) =>
    new RouteControllers([]).addGlobal(
      '/api',
      new RouteControllers([]).addGlobal(inner(seen).middleware(), { scope: 'every' }).middleware(),
      { scope: 'every' },
    ),
}

describeServings('req.originalUrl of RouteControllers within others', ({ serve }) => {
  it.each(Object.entries(nestings))('is the outer one: %s', async (_how, nest) => {
    const seen: unknown[] = []
    const { send } = await serve([], {
      setup: (all) =>
        void all.addGlobal((req, res, next) => nest(seen).middleware()(req, res, next), { scope: 'every' }),
    })
    expect((await send('/api/x')).text).toBe('done')
    expect(seen).toEqual(expected)
  })

  it('is the outer one where a middleware of one Controller is such', async () => {
    const seen: unknown[] = []
    const within = new RouteControllers([
      new Controller('GET', '/api/x', (req, res) => res.text(req.originalUrl)),
    ]).addGlobal((req, _res, next) => {
      seen.push(originalUrl(req))
      next()
    })
    const { send } = await serve([
      new Controller('GET', '/api/x', () => 'never').use(fromConnect(within.middleware())),
    ])
    expect((await send('/api/x?a=1')).text).toBe('/api/x?a=1')
    expect(seen).toEqual(['/api/x?a=1'])
  })

  it('leaves the outer ones their members when the inner ones pass a request on', async () => {
    const seen: unknown[] = []
    const { send } = await serve(
      [
        new Controller('GET', '/api/y', (req, res) => {
          seen.push(req.originalUrl, req.query, req.realIp !== undefined)
          return res.text('outer')
        }),
      ],
      {
        setup: (all) =>
          void all.addGlobal('/api', inner([]).middleware()).addGlobal((req, res, next) => {
            seen.push(originalUrl(req), typeof (res as never as { redirect: unknown }).redirect)
            next()
          }),
      },
    )
    expect((await send('/api/y?a=1')).text).toBe('outer')
    expect(seen.slice(0, 4)).toEqual(['/api/y?a=1', 'function', '/api/y?a=1', { a: '1' }])
  })

  it('reads a body once: what the outer one has parsed the inner one sees, with its bytes', async () => {
    const within = new RouteControllers([
      new Controller('POST', '/', async (req, res) => res.json([req.body, await req.text()])),
    ])
    const { send } = await serve([
      new Controller('POST', '/', () => 'never').use(fromConnect(within.middleware())),
    ])
    const body = '{ "a": 1.0 }'
    const answer = await send('/', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(answer.json()).toEqual([{ a: 1 }, body])
  })
})

import compression from 'compression'
import cors from 'cors'
import express, { type Express } from 'express'
import express4 from 'express4'
import helmet from 'helmet'
import { type AnyController, conditional, Controller, etag, RouteControllers } from 'routecontrollers'
import { migration, type RouteState } from '@routecontrollers/switch'
import {
  type Circumstances,
  differenceText,
  remedyFor,
} from '../../../packages/switch/src/states/remedies.js'
import type { Difference, OpenDifference } from '../../../packages/switch/src/states/schema.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { anyLoad, closeShops, describeWays, serveShop, silent, until } from './shop.js'

/** A legacy app that differs, what the remedy of that says, and the Controllers with it. */
const cases: Readonly<
  Record<
    string,
    {
      readonly legacy: (app: Express) => unknown
      readonly remedy: string
      readonly controller?: AnyController
      readonly cure: (routeControllers: RouteControllers) => unknown
      readonly headers?: Record<string, string>
    }
  >
> = {
  // No app that could be asked for its settings: a function that has one.
  'an ETag that is missing': {
    legacy: (app) => app.get('/a', (_req, res) => void res.type('text/plain').send('tea')),
    remedy: 'use(conditional(), etag())',
    cure: (routeControllers) => routeControllers.use(conditional(), etag()),
  },
  'headers of helmet': {
    legacy: (app) =>
      app
        .disable('etag')
        .use(helmet())
        .get('/a', (_req, res) => void res.type('text/plain').send('tea')),
    remedy: 'addGlobal(helmet())',
    cure: (routeControllers) => routeControllers.addGlobal(helmet()),
  },
  'headers of cors': {
    legacy: (app) =>
      app
        .disable('etag')
        .use(cors())
        .get('/a', (_req, res) => void res.type('text/plain').send('tea')),
    remedy: 'addGlobal(cors())',
    cure: (routeControllers) => routeControllers.addGlobal(cors()),
    headers: { origin: 'https://a.example' },
  },
  'a packed body': {
    legacy: (app) =>
      app
        .disable('etag')
        .use(compression({ threshold: 0 }))
        .get('/a', (_req, res) => void res.type('text/plain').send('tea')),
    remedy: 'addGlobal(compression())',
    cure: (routeControllers) => routeControllers.addGlobal(compression({ threshold: 0 })),
    headers: { 'accept-encoding': 'gzip' },
  },
}

describe('A difference with a known remedy', () => {
  it.each(Object.entries(cases))(
    'is gone once that is followed: %s',
    async (_name, { legacy, remedy, cure, headers }) => {
      const differences = async (isCured: boolean) => {
        const app = express()
        legacy(app)
        const routeControllers = new RouteControllers([new Controller('GET', '/a', () => 'tea')], {
          logger: silent,
        })
        if (isCured) cure(routeControllers)
        const switching = migration({
          legacy: (req, res) => void app(req as never, res as never),
          routeControllers,
          initial: 'shadow',
          shadow: anyLoad,
          logger: silent,
        })
        const { port, close } = await listenOn(switching.listener())
        await sendTo(port)('/a', headers === undefined ? {} : { headers })
        await until(() => switching.status().routes[0]!.shadow.compared === 1)
        await close()
        await switching.close()
        return switching.status().routes[0]!.differences
      }
      const found = await differences(false)
      expect(found.some((one) => one.remedy?.includes(remedy))).toBe(true)
      expect(await differences(true)).toEqual([])
    },
  )
})

/** The differences between an app and a Controller at `/a`, after one request. */
async function differencesOf(
  app: unknown,
  controller: AnyController,
  use: readonly unknown[] = [],
  initial: RouteState = 'shadow',
) {
  const routeControllers = new RouteControllers([controller], { logger: silent })
  if (use.length > 0) routeControllers.use(...(use as [never]))
  const switching = migration({
    legacy: app as never,
    routeControllers,
    initial,
    shadow: anyLoad,
    logger: silent,
  })
  const { port, close } = await listenOn(switching.listener())
  await sendTo(port)('/a')
  await until(() => switching.status().routes[0]!.shadow.compared === 1)
  await close()
  await switching.close()
  return switching.status().routes[0]!.differences
}

describe('A difference of headers', () => {
  it.each<[string, (app: Express) => unknown, AnyController]>([
    [
      'a redirect and 200',
      (app) => app.use(helmet()).get('/a', (_req, res) => void res.redirect(301, '/a/')),
      new Controller('GET', '/a', () => 'tea'),
    ],
    [
      'an answer and 500',
      (app) =>
        app
          .use(helmet())
          .use(cors())
          .get('/a', (_req, res) => void res.send('tea')),
      new Controller('GET', '/a', () => {
        throw new Error('a bug')
      }),
    ],
    [
      '404 and an answer',
      (app) => app.get('/a', (_req, res) => void res.status(404).end()),
      new Controller('GET', '/a', (_req, res) => res.header('etag', '"1"').json({ a: 1 })),
    ],
  ])('has no remedy where the status differs: %s', async (_name, make, controller) => {
    const app = express()
    make(app)
    const found = await differencesOf(app, controller)
    expect(found.some(({ what }) => what === 'status')).toBe(true)
    expect(found.some(({ what }) => what.includes('header'))).toBe(true)
    expect(found.filter(({ remedy }) => remedy !== undefined)).toEqual([])
  })

  it('says "take etag() out" where the Controller has set the ETag alone', async () => {
    const piped = express().get('/a', (_req, res) => void res.type('text/plain').end('tea'))
    const controller = (): AnyController => new Controller('GET', '/a', () => 'tea')
    // Whichever side has answered the client.
    for (const initial of ['shadow', 'canary 100%'] as const) {
      const remedies = async (use: readonly unknown[]): Promise<unknown[]> => {
        const found = await differencesOf(piped, controller(), use, initial)
        return found.filter(({ name }) => name === 'etag').map(({ remedy }) => remedy)
      }
      expect(await remedies([])).toEqual([undefined])
      expect(await remedies([etag()])).toEqual([expect.stringContaining('take etag() out')])
    }
  })
})

describe.each([
  ['4', express4],
  ['5', express],
])('The age of a cookie of Express %s', (_version, make) => {
  const app = make().get('/a', (_req, res) => {
    res.cookie('other', 'x', { maxAge: 60_000, httpOnly: true }).cookie('sid', 'b', { maxAge: 60_000 })
    res.type('text/plain').send('tea')
  })
  const controller = (expires: object): AnyController =>
    new Controller('GET', '/a', (_req, res) =>
      res
        .cookie('other', 'x', {
          maxAgeSeconds: 60,
          httpOnly: true,
          expires: new Date(Date.now() + 60_000),
        })
        .cookie('sid', 'b', { maxAgeSeconds: 60, ...expires })
        .send('tea'),
    )

  it('has an Expires too, which the difference names with its remedy', async () => {
    const [one, ...others] = await differencesOf(app, controller({}))
    expect(others).toEqual([])
    expect(one).toMatchObject({ what: 'header', name: 'set-cookie' })
    expect(one!.remedy).toContain('of the cookie sid:')
    expect(one!.remedy).toContain('expires: new Date(')
  })

  it('differs no more once that is followed', async () => {
    expect(await differencesOf(app, controller({ expires: new Date(Date.now() + 60_000) }))).toEqual([])
  })
})

describeWays(
  'A rollback for differences',
  (way) => {
    it('names the remedy in its line, in the history and in status()', async () => {
      const { send, switching, logged } = await serveShop(way, {
        native: () => [new Controller('GET', '/a', () => '<b>tea</b>')],
        legacy: (app) => void app.get('/a', (_req, res) => void res.send('<b>tea</b>')),
        initial: 'native',
        rollback: { minAnswers: 2 },
      })
      await send('/a')
      await switching.set('GET /a', 'canary 100%', { reason: 'a test' })
      for (let at = 0; at < 20; at++) await send('/a')
      await until(() => switching.status().routes[0]!.state === 'legacy')
      const text =
        'header content-type; remedy: res.html(text) in the Controller: a text that it returns is text/plain'
      expect(logged.find((one) => one.includes('goes back'))).toContain(text)
      expect(switching.status().history.at(-1)!.reason).toContain(text)
      expect(switching.status().routes[0]!.differences[0]!.remedy).toContain('res.html(text)')
      await closeShops()
    })
  },
  ({ name }) => !name.includes('profile'),
)

describe('the remedy of a difference', () => {
  const usual = { isOtherStatus: false, hasOwnEtag: false, isAtPlace: false, missed: [] }
  const remedy = (difference: Partial<Difference>, more: Partial<Circumstances> = {}): string | undefined =>
    remedyFor({ what: 'header', ...difference }, { ...usual, ...more })
  const missing = (name: string): Partial<Difference> => ({ what: 'missing header', name })
  const type = { what: 'header', name: 'content-type', legacy: 'text/html; charset=utf-8' } as const
  const cookie = { name: 'set-cookie', legacy: 'sid=1; Max-Age=60; Expires; Path=/' }

  it.each([
    'content-security-policy',
    'cross-origin-opener-policy',
    'cross-origin-resource-policy',
    'origin-agent-cluster',
    'referrer-policy',
    'strict-transport-security',
    'x-content-type-options',
    'x-dns-prefetch-control',
    'x-download-options',
    'x-frame-options',
    'x-permitted-cross-domain-policies',
    'x-xss-protection',
  ])('is helmet where %s is missing', (name) => {
    expect(remedy(missing(name))).toMatch(/addGlobal\(helmet\(\)\)/)
    expect(remedy({ ...missing(name), what: 'new header' })).toBeUndefined()
  })

  it.each<[Partial<Difference>, Partial<Circumstances>, string | undefined]>([
    [missing('etag'), {}, 'use(conditional(), etag()) of the Controller'],
    [missing('access-control-allow-origin'), {}, 'addGlobal(cors())'],
    [missing('content-encoding'), {}, 'addGlobal(compression())'],
    [missing('x-own'), {}, undefined],
    [{ what: 'missing header' }, {}, undefined],
    [{ what: 'status', legacy: '304', native: '200' }, { isOtherStatus: true }, 'use(conditional())'],
    [{ what: 'status', legacy: '304', native: '500' }, { isOtherStatus: true }, undefined],
    [{ what: 'status', legacy: '200', native: '304' }, { isOtherStatus: true }, undefined],
    [{ what: 'new header', name: 'etag' }, { hasOwnEtag: true }, 'take etag() out'],
    [{ what: 'new header', name: 'etag' }, {}, undefined],
    [{ ...type, native: 'Text/Plain' }, {}, 'res.html(text) in the Controller'],
    [{ ...type, native: 'application/json' }, {}, undefined],
    [{ ...type, legacy: 'application/json', native: 'text/plain' }, {}, undefined],
    [{ ...type, native: 'text/plain', name: 'x-type' }, {}, undefined],
    [{ ...type, native: 'text/plain', what: 'new header' }, {}, undefined],
    [{ ...cookie, native: 'sid=1; Max-Age=60; Path=/' }, {}, 'maxAgeSeconds: seconds of the cookie sid: '],
    [{ ...cookie, native: 'sid=2; Max-Age=60; Path=/' }, {}, undefined],
    [{ ...cookie, native: 'sid=1; Max-Age=60; Path=/', name: 'x-own' }, {}, undefined],
    [{ ...cookie, legacy: 'sid=1; Expires', native: 'sid=1' }, {}, undefined],
    // Of another status all headers are other ones.
    [missing('etag'), { isOtherStatus: true }, undefined],
  ])('of %j, where %j, is %s', (difference, circumstances, expected) => {
    const found = remedy(difference, circumstances)
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(expected)
  })

  it('is nothing of the app for a callback in one of its routes, which the app answers for', () => {
    const isAtPlace = { isAtPlace: true }
    for (const name of ['etag', 'x-frame-options', 'access-control-allow-origin', 'content-encoding'])
      expect(remedy(missing(name), isAtPlace)).toBeUndefined()
    expect(remedy({ what: 'new header', name: 'etag' }, { ...isAtPlace, hasOwnEtag: true })).toBeUndefined()
    expect(remedy({ ...type, native: 'text/plain' }, isAtPlace)).toMatch(/^res.html/)
  })

  it('names all that a callback has looked for in its copy, before anything else', () => {
    expect(remedy(missing('etag'), { missed: ['req.db', 'req.user'] })).toBe(
      "the copy has no req.db and no req.user, which cannot be copied: shadow: { asIs: ['req.db', 'req.user'] } gives it as it is",
    )
  })

  it('stands in one line with what differs', () => {
    const text = (one: object): string => differenceText(one as OpenDifference)
    expect(text({ what: 'status', legacy: '200', native: '500' })).toBe('status 200 → 500')
    expect(text({ what: 'body' })).toBe('body')
    expect(text({ what: 'header', name: 'etag', remedy: 'tea' })).toBe('header etag; remedy: tea')
  })
})

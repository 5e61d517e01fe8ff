import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as waits } from 'node:timers/promises'
import express5 from 'express'
import express4 from 'express4'
import passport from 'passport'
import { Strategy } from 'passport-local'
import {
  around,
  Controller,
  fromConnect,
  group,
  type Callback,
  type Middleware,
  type ResponseBuilder,
  RouteControllers,
} from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeHosted } from '../support/hosting.js'
import { describeServings } from '../support/describe-servings.js'

/** What was thrown, told by its code, in the servings where a host answers errors and where we do. */
const tellCode = {
  onError: (error: unknown, _req: unknown, res: any) =>
    res
      .status(500)
      .header('X-Code', String((error as { code?: unknown }).code))
      .text((error as Error).message),
}

it('What Node has, and what Express computes from a request, is added by no middleware', async () => {
  const names = new Set<string>()
  for (const { request } of [express4, express5] as { request: object }[]) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(request))
    for (const [name, member] of members) if ('get' in member) names.add(name)
  }
  for (const node of [IncomingMessage.prototype, EventEmitter.prototype] as object[])
    for (const name of Object.getOwnPropertyNames(node)) names.add(name)
  expect(names).toContain('xhr')
  const logger = { info() {}, warn() {}, error() {} }
  const added: string[] = []
  for (const name of names) {
    const controller = new Controller('GET', '/', () => 'secret').use(() => ({ [name]: 1 }))
    const answer = await new RouteControllers([controller], { logger }).getCallback()(
      new Request('http://x/'),
    )
    if (answer.status !== 500) added.push(name)
  }
  expect(added).toEqual([])
})

describeServings('Middleware', ({ serve }) => {
  /** The answer behind these middleware, and whether the callback was reached. */
  const behind = async (
    ...middleware: unknown[]
  ): Promise<{ code: string | undefined; text: string; status: number; reached: boolean }> => {
    let reached = false
    const controller = new Controller('GET', '/', () => {
      reached = true
      return 'secret'
    })
    controller.use(...(middleware as [Middleware]))
    const { send } = await serve([controller], tellCode)
    const { status, text, headers } = await send('/')
    return { code: headers['x-code'], status, text, reached }
  }

  describe('of two parameters', () => {
    it.each([
      ['sync', (value: object) => () => value],
      ['async', (value: object) => async () => value],
    ])('adds the members of a plain object to req (%s)', async (_kind, returning) => {
      const { send } = await serve([
        new Controller<'/', { user: unknown; role: unknown }>('GET', '/', (req) => [req.user, req.role]).use(
          returning({ user: 'Ada' }),
          returning(Object.assign(Object.create(null), { role: 'admin' })),
        ),
      ])
      expect((await send('/')).json()).toEqual(['Ada', 'admin'])
    })

    it.each(['readableLength', '_events', 'socket', 'on'])(
      'lets nothing through when it returns req.%s, by which Node reads a request',
      async (name) => {
        const returning: Middleware = () => ({ [name]: 1 })
        expect(await behind(returning)).toMatchObject({
          status: 500,
          code: 'ERR_MIDDLEWARE_RETURN',
          reached: false,
        })
      },
    )

    it('adds to what those after it see, and the later of one name counts', async () => {
      const list = group('')
        .use(() => ({ user: 'Ada', level: 1 }))
        .use((req) => ({ level: req.level + 1 }))
        .get('/', (req) => `${req.user} ${req.level}`)
      const { send } = await serve([list])
      expect((await send('/')).text).toBe('Ada 2')
      expect((await send('/')).text).toBe('Ada 2')
    })

    it.each([undefined, null])('goes on when it returns %p', async (value) => {
      expect(
        await behind(
          () => value,
          async () => value,
        ),
      ).toMatchObject({ text: 'secret', reached: true })
    })

    it.each<[string, object]>([
      ['with members', { name: 'Ada' }],
      ['that is empty', {}],
    ])('lets nothing through when it returns an object %s that it has set on req', async (_what, value) => {
      const assigning: Middleware = (req) => ((req as { user?: object }).user = value)
      expect(await behind(assigning)).toMatchObject({
        status: 500,
        code: 'ERR_MIDDLEWARE_RETURN',
        reached: false,
      })
    })

    class Model {
      id = 1
    }
    it.each<[string, unknown]>([
      ['text', 'text'],
      ['a number', 42],
      ['true', true],
      ['false', false],
      ['an array', [1]],
      ['bytes', new Uint8Array(1)],
      ['an object of a class', new Model()],
      ['a Map', new Map()],
      ['a function', () => {}],
    ])('lets nothing through when it returns %s', async (_what, value) => {
      for (const middleware of [() => value, async () => value]) {
        expect(await behind(middleware)).toMatchObject({
          status: 500,
          code: 'ERR_MIDDLEWARE_RETURN',
          reached: false,
        })
      }
    })

    it.each<[string, object]>([
      [
        'is never settled twice',
        { then: (ok: (value: unknown) => void) => (ok(new Response('no', { status: 401 })), ok(undefined)) },
      ],
      [
        'chains nothing',
        {
          then: (ok: (value: unknown) => void) => void setTimeout(ok, 1, new Response('no', { status: 401 })),
        },
      ],
    ])('ends the chain by a thenable that %s', async (_what, thenable) => {
      expect(await behind(() => thenable)).toMatchObject({ status: 401, text: 'no', reached: false })
    })

    it('fails with a thenable that rejects', async () => {
      const thenable = {
        then: (_ok: unknown, no: (error: unknown) => void) => void setTimeout(no, 1, new Error('no')),
      }
      expect(await behind(() => thenable)).toMatchObject({ status: 500, text: 'no', reached: false })
    })

    it.each([
      ...[
        'params',
        'body',
        'url',
        'get',
        'signal',
        'headers',
        'cookies',
        'route',
        'socket',
        '__proto__',
        'constructor',
      ],
      ...[
        '_readableState',
        '_events',
        '_dump',
        '_destroy',
        'listenerCount',
        'readableFlowing',
        'closed',
        'then',
      ],
      ...['ip', 'fresh', 'path', 'protocol', 'app', 'res', 'next'],
    ])('lets nothing through when what it adds is called %s', async (name) => {
      const added = JSON.parse(`{ ${JSON.stringify(name)}: { "isAdmin": true } }`) as object
      const answer = await behind(() => added)
      expect(answer).toMatchObject({ status: 500, code: 'ERR_MIDDLEWARE_RETURN', reached: false })
      expect(answer.text).toContain(name)
    })

    it('sends nothing where it has built an answer without return, and then another one', async () => {
      for (const more of [
        (res: any) => res.json({ secret: true }),
        (res: any) => void res.json({ secret: true }),
        () => Response.json({ secret: true }),
      ])
        for (const middleware of [
          (_req: unknown, res: any) => [res.status(401).end(), more(res)][1],
          async (_req: unknown, res: any) => [res.status(401).end(), more(res)][1],
        ])
          expect(await behind(middleware)).toMatchObject({
            status: 500,
            code: 'ERR_ANSWER_TWICE',
            reached: false,
          })
    })

    it('lets nothing through when what it adds is a promise', async () => {
      const missed = Promise.resolve(undefined)
      for (const middleware of [() => ({ user: missed }), async () => ({ user: missed })]) {
        const answer = await behind(middleware)
        expect(answer).toMatchObject({ status: 500, code: 'ERR_MIDDLEWARE_RETURN', reached: false })
        expect(answer.text).toContain('member "user" is a promise: await it first')
      }
    })

    it('says what to write in the place of an arrow function that returns what it assigns', async () => {
      const answer = await behind((req: { user: object }) => (req.user = { name: 'Ada' }))
      expect(answer).toMatchObject({ code: 'ERR_MIDDLEWARE_RETURN', reached: false })
      expect(answer.text).toContain('(req) => ({ user: … })')
    })

    it('answers with the status that one before it has set', async () => {
      const sets = (_req: unknown, res: ResponseBuilder): void => void res.status(202).header('X-Set', '1')
      const answers = (_req: unknown, res: ResponseBuilder): Response => res.text('accepted')
      const { send } = await serve([new Controller('GET', '/', () => 'never').use(sets, answers)])
      const { status, text, headers } = await send('/')
      expect([status, text, headers['x-set']]).toEqual([202, 'accepted', '1'])
    })

    it('ends the chain with an answer that res has built, returned or not', async () => {
      for (const middleware of [
        (_req: unknown, res: any) => void res.status(401).text('who'),
        async (_req: unknown, res: any) => res.status(401).text('who'),
      ]) {
        expect(await behind(middleware)).toMatchObject({ status: 401, text: 'who', reached: false })
      }
    })

    it.each<[string, unknown]>([
      ['rest parameters', (...[, , next]: any[]) => next()],
      ['a default value', (_req: unknown, _res: unknown, next: any = () => {}) => next()],
    ])('lets nothing through when it calls next() by %s', async (_what, middleware) => {
      const answer = await behind(middleware)
      expect(answer).toMatchObject({ status: 500, code: 'ERR_NEXT_ARGUMENT', reached: false })
      expect(answer.text).toContain('around(middleware)')
    })
  })

  describe('of three parameters', () => {
    it('runs around what is inside, from the outer to the inner and back', async () => {
      const seen: string[] = []
      const note =
        (name: string): Middleware =>
        async (_req, _res, next) => {
          seen.push(`${name} in`)
          const answer = await next()
          seen.push(`${name} out ${answer.status}`)
          return answer
        }
      const { send } = await serve(
        [
          group('/a', note('group'))
            .group('/b', note('inner'))
            .get('/c', () => {
              seen.push('callback')
              return 'x'
            })
            .use(note('controller')),
        ],
        { setup: (routeControllers) => void routeControllers.use(note('all')) },
      )
      expect((await send('/a/b/c')).text).toBe('x')
      expect(seen).toEqual([
        'all in',
        'group in',
        'inner in',
        'controller in',
        'callback',
        'controller out 200',
        'inner out 200',
        'group out 200',
        'all out 200',
      ])
    })

    it.each<[string, Middleware]>([
      ['returns what next() gives', (_req, _res, next) => next()],
      ['awaits next() and returns nothing', async (_req, _res, next) => void (await next())],
      ['calls next() and returns at once', (_req, _res, next) => void next()],
    ])('gives the answer of what is inside when it %s', async (_what, middleware) => {
      expect(await behind(middleware)).toMatchObject({ status: 200, text: 'secret' })
    })

    it('may change headers, read the body, and return another Response', async () => {
      const { send } = await serve([
        new Controller('GET', '/header', (_req, res) => res.cookie('a', '1').json({ a: 1 })).use(
          async (_req, _res, next) => {
            const answer = await next()
            answer.headers.set('X-Added', String(answer.status))
            answer.headers.append('Set-Cookie', 'b=2')
            return answer
          },
        ),
        new Controller('GET', '/other', (_req, res) => res.cookie('a', '1').text('abc')).use(
          async (_req, res, next) => {
            const answer = await next()
            return res.status(203).text((await answer.text()).toUpperCase())
          },
        ),
        new Controller('GET', '/copy', (_req, res) => res.cookie('a', '1').text('abc')).use(
          async (_req, _res, next) => {
            const answer = await next()
            return new Response(answer.body, { status: 202, headers: answer.headers })
          },
        ),
        ...(
          [
            ['/late', () => 'abc'],
            ['/late-on-res', (_req, res) => res.text('abc')],
          ] as [string, Callback][]
        ).map(([path, callback]) =>
          new Controller('GET', path, callback).use(async (_req, res, next) => {
            await next()
            res.header('X-Late', '1').cookie('late', '1')
          }),
        ),
      ])
      const header = await send('/header')
      expect([header.json(), header.headers['x-added'], header.cookies]).toEqual([
        { a: 1 },
        '200',
        ['a=1; Path=/', 'b=2'],
      ])
      const other = await send('/other')
      expect([other.status, other.text, other.cookies]).toEqual([203, 'ABC', ['a=1; Path=/']])
      const copy = await send('/copy')
      expect([copy.status, copy.text, copy.cookies]).toEqual([202, 'abc', ['a=1; Path=/']])
      for (const path of ['/late', '/late-on-res']) {
        const late = await send(path)
        expect([late.text, late.headers['x-late'], late.cookies]).toEqual(['abc', '1', ['late=1; Path=/']])
      }
    })

    it('may add headers on res after next(), whose own ones stay, also where it sets one of them again', async () => {
      const { send } = await serve([
        new Controller('GET', '/', (_req, res) =>
          res.header('X-Inner', '1').cookie('a', '1').text('abc'),
        ).use(async (_req, res, next) => {
          await next()
          res.header('X-Late', '1').header('X-Inner', '2').cookie('late', '1')
        }),
        new Controller('GET', '/one', () => 'abc').use(async (_req, res, next) => {
          await next()
          res.header('X-Late', '1')
        }),
        new Controller('GET', '/replaced', (_req, res) => res.cookie('a', '1').text('abc')).use(
          async (_req, res, next) => {
            await next()
            res.header('Set-Cookie', 'late=1')
          },
        ),
      ])
      expect((await send('/one')).headers['x-late']).toBe('1')
      expect((await send('/replaced')).cookies).toEqual(['a=1; Path=/', 'late=1'])
      const { headers, cookies } = await send('/')
      expect([headers['x-inner'], headers['x-late'], cookies]).toEqual([
        '1',
        '1',
        ['a=1; Path=/', 'late=1; Path=/'],
      ])
    })

    it.each<[string, Callback]>([
      ['what the callback returns', () => ({ inner: true })],
      ['what the callback builds on res', (_req, res) => res.json({ inner: true })],
    ])(
      'answers with what it builds on res after next(), without returning it, in the place of %s',
      async (_what, callback) => {
        const { send } = await serve([
          new Controller('GET', '/', callback).use(async (_req, res, next) => {
            await next()
            res.status(203).json({ own: true })
          }),
        ])
        const { status, text } = await send('/')
        expect([status, text]).toEqual([203, '{"own":true}'])
      },
    )

    it('is told each cookie that a handler of Node has sent', async () => {
      let tell: (cookies: string[]) => void = () => {}
      const told = new Promise<string[]>((resolve) => (tell = resolve))
      const { send } = await serve([
        new Controller('GET', '/', () => 'x').use(
          async (_req, _res, next) => {
            const answer = await next()
            tell(answer.headers.getSetCookie())
            return answer
          },
          fromConnect((_req, res) => void res.setHeader('Set-Cookie', ['a=1', 'b=2']).end()),
        ),
      ])
      await send('/')
      expect(await told).toEqual(['a=1', 'b=2'])
    })

    it('may answer with a Response made of that of the inside, which has each cookie once', async () => {
      const { send } = await serve([
        new Controller('GET', '/', (_req, res) => res.cookie('a', '1').cookie('b', '2').text('x')).use(
          async (_req, res, next) => {
            const answer = await next()
            res.cookie('c', '3')
            return new Response(answer.body, answer)
          },
        ),
      ])
      const { cookies } = await send('/')
      expect(cookies).toEqual(['a=1; Path=/', 'b=2; Path=/', 'c=3; Path=/'])
    })

    it('may change the headers of an answer whose headers cannot be changed', async () => {
      const mark: Middleware = async (_req, _res, next) => {
        const answer = await next()
        answer.headers.set('X-Added', '1')
        return answer
      }
      const { send } = await serve([
        new Controller('GET', '/go', () => Response.redirect('http://x/login', 302)).use(mark),
        new Controller('GET', '/proxy', () => fetch('data:text/plain,hi')).use(mark),
      ])
      const go = await send('/go')
      expect([go.status, go.headers['location'], go.headers['x-added']]).toEqual([302, 'http://x/login', '1'])
      const proxy = await send('/proxy')
      expect([proxy.text, proxy.headers['x-added']]).toEqual(['hi', '1'])
    })

    it('leaves no source open of an answer that it has changed and does not send', async () => {
      const open = new Set<object>()
      // Each reader has a source of its own, as one that opens a file has.
      const rows: AsyncIterable<string> = {
        [Symbol.asyncIterator]() {
          const reader = {
            next: async () => ({ done: false, value: 'row' }) as const,
            return: async () => {
              open.delete(reader)
              return { done: true, value: undefined } as const
            },
          }
          open.add(reader)
          return reader
        },
      }
      const { send } = await serve([
        new Controller('GET', '/', (_req, res) => res.stream(rows)).use(async (_req, res, next) => {
          const answer = await next()
          answer.headers.set('X-Added', '1')
          return res.status(203).text('instead')
        }),
        new Controller('GET', '/throws', (_req, res) => res.stream(rows)).use(async (_req, _res, next) => {
          const answer = await next()
          answer.headers.set('X-Added', '1')
          throw Object.assign(new Error('no'), { status: 418 })
        }),
      ])
      expect(await send('/')).toMatchObject({ status: 203, text: 'instead' })
      expect((await send('/throws')).status).toBe(418)
      while (open.size > 0) await waits(1)
    })

    it('may catch what is thrown inside', async () => {
      const { send, logged } = await serve([
        new Controller('GET', '/', () => {
          throw new Error('inside')
        }).use(async (_req, res, next) => {
          try {
            return await next()
          } catch (error) {
            return res.status(418).text((error as Error).message)
          }
        }),
      ])
      expect(await send('/')).toMatchObject({ status: 418, text: 'inside' })
      expect(logged).toEqual([])
    })

    it('cancels the source of an answer that it replaces, and no source that it goes on reading', async () => {
      const cancelled: string[] = []
      const source = (name: string): ReadableStream =>
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('abc')),
          cancel: () => void cancelled.push(name),
        })
      const ends = (): ReadableStream =>
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('abc'))
            controller.close()
          },
          cancel: () => void cancelled.push('read'),
        })
      const { send } = await serve([
        new Controller('GET', '/res', (_req, res) => res.stream(source('res'))).use(
          async (_req, res, next) => {
            await next()
            return res.status(403).text('no')
          },
        ),
        new Controller('GET', '/response', () => new Response(source('response'))).use(
          async (_req, res, next) => {
            await next()
            return res.status(403).text('no')
          },
        ),
        new Controller('GET', '/read', () => new Response(ends())).use(async (_req, res, next) => {
          const answer = await next()
          return res.stream(
            (async function* () {
              for await (const chunk of answer.body!) yield new TextDecoder().decode(chunk).toUpperCase()
            })(),
          )
        }),
      ])
      expect((await send('/res')).status).toBe(403)
      expect((await send('/response')).status).toBe(403)
      expect((await send('/read')).text).toBe('ABC')
      expect(cancelled).toEqual(['res', 'response'])
    })

    it.each<[string, (res: ResponseBuilder) => Response]>([
      ['a stream of its own', (res) => res.stream(Readable.from(['own']))],
      ['a Response of its own', () => new Response('own')],
    ])(
      'cancels the source of an answer that it has not read, where it answers with %s',
      async (_what, own) => {
        let letGo: () => void = () => {}
        const isCancelled = new Promise<void>((resolve) => (letGo = resolve))
        const { send } = await serve([
          new Controller('GET', '/', () => new Response(new ReadableStream({ cancel: () => letGo() }))).use(
            async (_req, res, next) => {
              await next()
              return own(res)
            },
            // In memory, where there is no connection that closes, a hook makes one.
            fromConnect((_req, _res, next) => next()),
          ),
        ])
        expect((await send('/')).text).toBe('own')
        await isCancelled
      },
    )

    it.each<[string, (res: ResponseBuilder) => Response]>([
      ['a stream of its own', (res) => res.stream(Readable.from(['own']))],
      ['a Response of its own', () => new Response('own')],
    ])('cancels at once the stream of res that it has not looked at, and sends %s', async (_what, own) => {
      const cancelled = jest.fn()
      const { send } = await serve([
        new Controller('GET', '/', (_req, res) => res.stream(new ReadableStream({ cancel: cancelled }))).use(
          async (_req, res, next) => {
            await next()
            return own(res)
          },
        ),
      ])
      expect((await send('/')).text).toBe('own')
      expect(cancelled).toHaveBeenCalledTimes(1)
    })

    it('cancels what it has got, and what comes late, where it throws', async () => {
      const cancelled: string[] = []
      let letGo: () => void = () => {}
      const isCancelled = new Promise<void>((resolve) => (letGo = resolve))
      const endless = (name: string): ReadableStream =>
        new ReadableStream({
          cancel() {
            cancelled.push(name)
            if (name === 'late') letGo()
          },
        })
      let goOn: () => void = () => {}
      const isOver = new Promise<void>((resolve) => (goOn = resolve))
      const { send } = await serve([
        new Controller('GET', '/got', (_req, res) => res.stream(endless('got'))).use(
          async (_req, _res, next) => {
            await next()
            throw new Error('after')
          },
        ),
        new Controller('GET', '/late', (_req, res) => isOver.then(() => res.stream(endless('late')))).use(
          async (_req, _res, next) => {
            void next()
            throw new Error('before')
          },
        ),
      ])
      expect((await send('/got')).status).toBe(500)
      expect(cancelled).toEqual(['got'])
      expect((await send('/late')).status).toBe(500)
      goOn()
      await isCancelled
    })

    it('cancels what comes late inside, where another middleware in between has seen an answer', async () => {
      let letGo: () => void = () => {}
      const isCancelled = new Promise<void>((resolve) => (letGo = resolve))
      let goOn: () => void = () => {}
      const isOver = new Promise<void>((resolve) => (goOn = resolve))
      const { send } = await serve([
        new Controller('GET', '/', (_req, res) => res.text('inside')).use(
          async (_req, res, next) => {
            void next()
            await waits(5)
            return res.text('outside')
          },
          async (_req, _res, next) => {
            await next()
            await isOver
            return new Response(new ReadableStream({ cancel: () => letGo() }))
          },
        ),
      ])
      expect(await send('/')).toMatchObject({ status: 200, text: 'outside' })
      goOn()
      await isCancelled
    })

    it('answers before what is inside, when that takes too long', async () => {
      const inside = new AbortController()
      const { send } = await serve([
        new Controller('GET', '/', async () => {
          await waits(60_000, undefined, { signal: inside.signal }).catch(() => {})
          return 'late'
        }).use((_req, res, next) =>
          Promise.race([next(), waits(5).then(() => res.status(503).text('busy'))]),
        ),
      ])
      expect(await send('/')).toMatchObject({ status: 503, text: 'busy' })
      inside.abort()
    })

    it('answers before what is inside fails, which is logged where it has not seen the error', async () => {
      let goOn: () => void = () => {}
      let late: Promise<unknown> = Promise.resolve()
      const failing = (): Promise<never> => {
        late = new Promise<void>((resolve) => (goOn = resolve)).then(() => {
          throw new Error('the database is away')
        })
        return late as Promise<never>
      }
      const { send, logged } = await serve([
        new Controller('GET', '/late', failing).use(async (_req, res, next) => {
          void next()
          await waits(5)
          return res.status(503).text('busy')
        }),
        new Controller('GET', '/seen', () => Promise.reject(new Error('seen'))).use((_req, res, next) =>
          next().catch(() => res.status(503).text('busy')),
        ),
      ])
      expect((await send('/seen')).status).toBe(503)
      expect(logged).toEqual([])
      expect((await send('/late')).status).toBe(503)
      expect(logged).toEqual([])
      goOn()
      await expect(late).rejects.toThrow()
      await new Promise(setImmediate)
      expect(logged).toEqual([expect.stringMatching(/^error GET \/late.*: Error: the database is away/)])
    })

    it('answers before a handler of Express, which changes nothing then and gets no error', async () => {
      let goOn = (): void => {}
      const gate = new Promise<void>((resolve) => (goOn = resolve))
      let late: Promise<unknown> = Promise.resolve()
      const handler = fromExpress((_req, res) => {
        late = gate.then(() => void res.setHeader('X-Late', '1').status(200).send('late'))
      })
      const controller = new Controller('GET', '/', handler)
      controller.use((_req, res, next) =>
        Promise.race([next(), waits(5).then(() => res.status(503).text('busy'))]),
      )
      const { send } = await serve([controller])
      expect(await send('/')).toMatchObject({ status: 503, text: 'busy' })
      goOn()
      expect(await late).toBeUndefined()
    })

    it.each<[string, string, (...all: any[]) => unknown]>([
      ['neither answers nor calls next()', 'ERR_MIDDLEWARE_NO_ANSWER', (_req, _res, _next) => {}],
      [
        'returns an object in place of calling next()',
        'ERR_MIDDLEWARE_NO_ANSWER',
        (_req, _res, _next) => ({ user: 1 }),
      ],
      [
        'calls next() too late',
        'ERR_MIDDLEWARE_NO_ANSWER',
        (_req, _res, next) => void setTimeout(() => next(), 1),
      ],
      ['calls next() with an error', 'ERR_NEXT_ARGUMENT', (_req, _res, next) => void next(new Error('no'))],
      ['calls next() with undefined', 'ERR_NEXT_ARGUMENT', (_req, _res, next) => next(undefined)],
      ['returns something else', 'ERR_MIDDLEWARE_NO_ANSWER', (_req, _res, _next) => null],
      ['returns true', 'ERR_MIDDLEWARE_RETURN', (_req, _res, _next) => true],
    ])('lets nothing through when it %s', async (_what, code, middleware) => {
      expect(await behind(middleware)).toMatchObject({ status: 500, code, reached: false })
    })

    it.each<[string, string, Middleware]>([
      ['with an argument', "next() with an argument, which is Connect's", (_req, _res, next: any) => next(1)],
      ['twice', 'next() twice: what is inside runs once', (_req, _res, next) => next().then(() => next())],
      [
        'after its answer',
        'next() after it had ended the chain',
        (_req, res, next) => (res.status(401).end(), next()),
      ],
    ])('is named where it calls next() %s', async (_when, message, guard) => {
      const named = Object.defineProperty(guard, 'name', { value: 'isAdmin' })
      expect((await behind(named)).text).toContain(`The middleware isAdmin has called ${message}`)
    })

    it('is named where it does nothing, with what to write', async () => {
      const named = Object.defineProperty((_req: any, _res: any, _next: any) => {}, 'name', {
        value: 'isAdmin',
      })
      expect((await behind(named)).text).toContain(
        'The middleware isAdmin has neither returned an answer nor called next(): write `return next()`',
      )
    })

    it('ends the chain with its own answer, where it does not call next()', async () => {
      let isReached = false
      const reached = (): string => {
        isReached = true
        return 'inside'
      }
      const { send } = await serve([
        new Controller('GET', '/returned', reached).use(async (_req, res, _next) =>
          res.status(403).text('no'),
        ),
        new Controller('GET', '/response', reached).use(
          async (_req, _res, _next) => new Response('no', { status: 403 }),
        ),
        new Controller('GET', '/built', reached).use(async (_req, res, _next) => {
          res.status(403).text('no')
        }),
      ])
      for (const path of ['/returned', '/response', '/built']) {
        expect([path, await send(path)]).toMatchObject([path, { status: 403, text: 'no' }])
      }
      expect(isReached).toBe(false)
    })

    it('gets what cannot be sent as it is, and its request is answered with 500', async () => {
      const statuses: number[] = []
      const { send } = await serve([
        new Controller('GET', '/', () => Response.error()).use(async (_req, _res, next) => {
          const answer = await next()
          statuses.push(answer.status)
          return answer
        }),
      ])
      expect([(await send('/')).status, statuses]).toEqual([500, [0]])
    })

    it('runs what is inside once, however often next() is called', async () => {
      const calls: string[] = []
      const controller = new Controller('GET', '/', () => {
        calls.push('callback')
        return 'x'
      })
      controller.use(async (_req, _res, next) => {
        await next()
        return next()
      })
      const { send } = await serve([controller], tellCode)
      expect((await send('/')).headers['x-code']).toBe('ERR_NEXT_TWICE')
      expect(calls).toEqual(['callback'])
    })

    it('lets nothing through when it answers and then calls next()', async () => {
      const guard: Middleware = (_req, res, next) => {
        res.status(401).end()
        return next()
      }
      const answer = await behind(guard)
      expect(answer).toMatchObject({ status: 500, code: 'ERR_NEXT_TWICE', reached: false })
    })

    it('fails with what is inside when it takes no notice of that', async () => {
      const failing = new Controller('GET', '/', () => Promise.reject(new Error('inside')))
      failing.use((_req, _res, next) => void next())
      const { send } = await serve([failing], tellCode)
      expect(await send('/')).toMatchObject({ status: 500, text: 'inside' })
    })

    it('keeps the store of AsyncLocalStorage.run for what is inside', async () => {
      const storage = new AsyncLocalStorage<string>()
      const { send } = await serve([
        new Controller('GET', '/', async () => {
          await waits(1)
          return storage.getStore() ?? 'none'
        }).use((_req, _res, next) => storage.run('kept', next)),
      ])
      expect((await send('/')).text).toBe('kept')
    })

    it('is told by around(), whatever its parameters', async () => {
      const rest: Middleware = around(async (...[, , next]: Parameters<Middleware>) => {
        const answer = await next()
        answer.headers.set('X-Around', '1')
        return answer
      })
      const { send } = await serve([new Controller('GET', '/', () => 'x').use(rest)])
      expect((await send('/')).headers['x-around']).toBe('1')
    })

    it('runs around middleware of Connect and handlers of Express, and is told what they have sent', async () => {
      const told: unknown[] = []
      const tell: Middleware = async (_req, _res, next) => {
        const answer = await next()
        told.push([answer.status, answer.headers.get('x-by')])
        return answer
      }
      const refuse = fromConnect((_req, res) => {
        res.statusCode = 403
        res.setHeader('X-By', 'connect')
        res.end('no')
      })
      const { send, logged } = await serve([
        new Controller('GET', '/connect', () => 'x').use(tell, refuse),
        new Controller(
          'GET',
          '/express',
          fromExpress((_req, res) => void res.status(201).set('X-By', 'express').send('made')),
        ).use(tell),
        new Controller(
          'GET',
          '/replaced',
          fromExpress((_req, res) => void res.send('sent')),
        ).use(async (_req, res, next) => {
          await next()
          return res.text('too late')
        }),
      ])
      expect(await send('/connect')).toMatchObject({ status: 403, text: 'no' })
      expect(await send('/express')).toMatchObject({ status: 201, text: 'made' })
      expect(await send('/replaced')).toMatchObject({ text: 'sent' })
      expect(logged).toEqual([
        expect.stringContaining('has returned another Response, but the answer has been sent'),
      ])
      while (told.length < 2) await waits(1)
      expect(told.sort()).toEqual([
        [201, 'express'],
        [403, 'connect'],
      ])
    })
  })

  it('is around no callback that calls next(), which has none', async () => {
    const callback = (_req: unknown, _res: unknown, next: () => void): string => (next(), 'secret')
    const { send } = await serve([new Controller('GET', '/', callback as Callback)], tellCode)
    expect(await send('/')).toMatchObject({
      status: 500,
      text: expect.stringContaining('The callback has called next(), which it does not have'),
      headers: { 'x-code': 'ERR_NEXT_ARGUMENT' },
    })
  })

  it('of Connect that is written without fromConnect lets nothing through', async () => {
    const users = new passport.Passport()
    users.use(new Strategy((name, _password, done) => setImmediate(done, null, name === 'ada' && { name })))
    // With a challenge, it sets a header of Node's response from there.
    users.use('challenge', {
      authenticate(this: { fail: (challenge: string) => void }) {
        setImmediate(() => this.fail('Basic'))
      },
    } as never)
    const reached: string[] = []
    const controller = new Controller('POST', '/', () => {
      reached.push('callback')
      return 'secret'
    })
    controller.use(users.authenticate('local', { session: false }) as Middleware)
    const { send } = await serve([controller], tellCode)
    for (const body of ['', 'username=eve&password=x', 'username=ada&password=x']) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status, text } = await send('/', { method: 'POST', headers, body })
      expect([status, text.includes('secret')]).toEqual([500, false])
    }
    const challenged = new Controller('GET', '/challenge', () => 'secret')
    challenged.use(users.authenticate('challenge', { session: false }))
    const other = await serve([challenged], tellCode)
    expect((await other.send('/challenge')).status).toBe(500)
    expect((await other.send('/challenge')).text).not.toContain('secret')
    expect(reached).toEqual([])
  })

  it.each(['route', 'router'])('of Connect lets nothing through by next(%j)', async (left) => {
    let isReached = false
    const guarded = new Controller('GET', '/', () => {
      isReached = true
      return 'secret'
    })
    guarded.use(fromConnect((_req, _res, next) => next(left)))
    const { send } = await serve([guarded])
    expect((await send('/')).text).not.toContain('secret')
    expect(isReached).toBe(false)
  })

  it('for all may be one of Connect', async () => {
    const { send } = await serve([new Controller('GET', '/', () => 'secret')], {
      setup: (routeControllers) =>
        void routeControllers.use(
          fromConnect((req, res, next) => {
            if (req.headers['x-user'] !== undefined) return next()
            res.statusCode = 401
            res.end('who')
          }),
        ),
    })
    expect(await send('/')).toMatchObject({ status: 401, text: 'who' })
    expect(await send('/', { headers: { 'x-user': 'Ada' } })).toMatchObject({ status: 200, text: 'secret' })
  })

  it('for all runs after the hooks and the body, before that of groups, for each Controller and for nothing else', async () => {
    const seen: string[] = []
    const { send } = await serve(
      [group('', () => void seen.push('group')).post('/', (req) => req.body as object)],
      {
        setup: (routeControllers) =>
          void routeControllers
            .use((req) => void seen.push(`all ${JSON.stringify(req.body)}`))
            .addGlobal((_req, _res, next) => {
              seen.push('hook')
              next()
            }),
      },
    )
    const headers = { 'content-type': 'application/json' }
    expect((await send('/', { method: 'POST', headers, body: '{"a":1}' })).json()).toEqual({ a: 1 })
    expect(seen).toEqual(['hook', 'all {"a":1}', 'group'])
    seen.length = 0
    await send('/nowhere')
    expect(seen.filter((one) => one !== 'hook')).toEqual([])
  })
})

describe('RouteControllers.use', () => {
  it.each([[undefined], ['text'], [[() => {}]], [(_a: 1, _b: 2, _c: 3, _d: 4) => {}]])(
    'refuses %p',
    (value) => {
      expect(() => new RouteControllers([]).use(value as never)).toThrow(
        expect.objectContaining({ code: 'ERR_CONTROLLER_INVALID' }),
      )
    },
  )
})

describe('Middleware, by HTTP/2', () => {
  afterEach(closeHosted)

  it('runs around, adds to req and refuses as by HTTP/1', async () => {
    const api = group('/api', (req, res) =>
      req.get('x-user') === undefined ? res.status(401).end() : { user: req.get('x-user') },
    )
    const me = api
      .get('/me', (req, res) => res.text(String(req.user)))
      .use(async (_req, _res, next) => {
        const answer = await next()
        answer.headers.set('X-Added', '1')
        return answer
      })
    const { port } = await serveHttp2(new RouteControllers([me]))
    const session = await openSession(port)
    expect((await sendOn(session, '/api/me')).status).toBe(401)
    const answer = await sendOn(session, '/api/me', { headers: { 'x-user': 'Ada' } })
    expect([answer.text, answer.headers['x-added']]).toEqual(['Ada', '1'])
  })
})

describeServings(
  'Middleware of Connect before a body that does not fit',
  ({ serve }) => {
    it.each(['GET', 'HEAD'])('refuses %s without it', async (method) => {
      const refuse = fromConnect((_req, res) => void res.writeHead(403).end())
      const { send } = await serve([new Controller('*', '/', () => 'x', { bodyLimit: 2 }).use(refuse)])
      const headers = { 'content-type': 'application/json' }
      expect((await send('/', { method, headers, body: '{"tea":1}' })).status).toBe(403)
    })
  },
  ({ onNode }) => onNode,
)

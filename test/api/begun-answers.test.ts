import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { Controller, fromConnect, type Hook, type Next } from 'routecontrollers'
import { express5, fromExpress } from 'routecontrollers/express'
import { closeAll, servings } from '../support/describe-servings.js'
import { describeServingsAndHttp2 } from '../support/describe-with-http2.js'

// Middleware that begins an answer and calls next(), as some of Express does for a handler that writes on.

function beginsWithAHead(_req: IncomingMessage, res: ServerResponse, next: Next): void {
  res.writeHead(200, { 'X-By': 'middleware' })
  next()
}

function beginsWithAChunk(_req: IncomingMessage, res: ServerResponse, next: Next): void {
  res.write('part ')
  next()
}

/** Goes on behind an answer that another has begun. */
function passes(_req: IncomingMessage, _res: ServerResponse, next: Next): void {
  next()
}

const beginnings: [string, Hook][] = [
  ['a head', beginsWithAHead],
  ['a chunk', beginsWithAChunk],
]

const log: string[] = []
beforeEach(() => void log.splice(0))

const native = (path = '/'): Controller =>
  new Controller('GET', path, () => {
    log.push('callback')
    return 'native'
  })

const writesOn = (): Controller =>
  new Controller(
    'GET',
    '/',
    fromExpress((_req, res) => void res.end('rest')),
  )

/** With the profile of Express, whose own errors an app in the environment `test` does not print. */
const silently = { upstream: (app: express.Express) => void app.set('env', 'test') }

const places = ['addGlobal', 'use', 'use within another that runs around it'] as const

function place(hook: Hook, where: (typeof places)[number], controller: Controller) {
  const list = [controller]
  if (where.includes('around')) controller.use((_req, _res, next) => next())
  if (where !== 'addGlobal') controller.use(fromConnect(hook))
  const setup = (all: { addGlobal: (hook: Hook) => unknown }): void => {
    if (where === 'addGlobal') all.addGlobal(hook)
  }
  return { list, setup }
}

describeServingsAndHttp2('An answer that middleware of Connect has begun before next()', (serving) => {
  const { serve, errors } = serving

  describe.each([
    ['without a profile', {}],
    ['under a profile', { profile: express5({ settings: { env: 'test' } }) }],
  ] as const)('%s', (_profile, options) => {
    describe.each(beginnings)('with %s', (_what, hook) => {
      it.each(places)(
        'is cut off before a native callback, which never runs, with one line: %s',
        async (where) => {
          const { list, setup } = place(hook, where, native())
          const { send, logged } = await serve(list, { ...silently, ...options, setup })
          const answer = await send('/').catch(() => undefined)
          // A Response in memory has not been given out before its first bytes.
          expect([undefined, 500]).toContain(answer?.status)
          expect(log).toEqual([])
          if (errors === 'host' || 'profile' in options) return
          expect(logged).toEqual([
            expect.stringMatching(new RegExp(`^error GET / .*The hook ${hook.name} has begun an answer`)),
          ])
        },
      )

      it.each(places)('is ended by a handler of Express: %s', async (where) => {
        const { list, setup } = place(hook, where, writesOn())
        const { send, logged } = await serve(list, { ...options, setup })
        const { status, text } = await send('/')
        expect([status, text, logged]).toEqual([200, hook === beginsWithAHead ? 'rest' : 'part rest', []])
      })
    })

    it('is ended by middleware of Connect that follows', async () => {
      const controller = native()
      controller.use(
        fromConnect(beginsWithAChunk),
        fromConnect((_req, res) => void res.end('rest')),
      )
      const { send, logged } = await serve([controller], options)
      expect([(await send('/')).text, log, logged]).toEqual(['part rest', [], []])
    })

    it('is cut off where middleware of ours answers, with one line', async () => {
      const controller = native()
      controller.use(fromConnect(beginsWithAChunk), (_req, res) => res.json({ late: true }))
      const { send, logged } = await serve([controller], { ...silently, ...options })
      const answer = await send('/').catch(() => undefined)
      expect([undefined, 500]).toContain(answer?.status)
      expect(log).toEqual([])
      if (errors === 'host' || 'profile' in options) return
      expect(logged).toEqual([
        expect.stringMatching(/^error GET \/ .* has begun an answer that nothing ends/),
      ])
    })

    it.each(places)('ends the chain where it is complete: %s', async (where) => {
      const { list, setup } = place(
        (_req: IncomingMessage, res: ServerResponse, next: Next) => {
          res.statusCode = 403
          res.end('no')
          next()
        },
        where,
        native(),
      )
      const { send, logged } = await serve(list, { ...silently, ...options, setup })
      const { status, text } = await send('/')
      expect([status, text]).toEqual([403, 'no'])
      if ('profile' in options && where === 'addGlobal') return
      expect([log, logged]).toEqual([[], []])
    })
  })

  it('is ended by what stands behind in a host, and else cut off, where no route answers', async () => {
    const { send, logged } = await serve([native()], {
      setup: (all) =>
        void all.addGlobal(beginsWithAChunk, { scope: 'every' }).addGlobal(passes, { scope: 'every' }),
      downstream: (app) => void app.use((_req, res) => void res.end('behind')),
    })
    if (errors === 'host') {
      expect([(await send('/none')).text, logged]).toEqual(['part behind', []])
    } else {
      const answer = await send('/none').catch(() => undefined)
      expect([undefined, 500]).toContain(answer?.status)
      expect(logged).toEqual([expect.stringMatching(/^error GET \/none: .*beginsWithAChunk has begun/)])
    }
  })

  it('is cut off with 405 too, where methods are strict', async () => {
    const { send, logged } = await serve([native()], {
      ...silently,
      methods: 'strict',
      setup: (all) => void all.addGlobal(beginsWithAChunk),
    })
    const answer = await send('/', { method: 'POST' }).catch(() => undefined)
    expect([undefined, 500]).toContain(answer?.status)
    if (errors === 'us') expect(logged).toEqual([expect.stringMatching(/^error POST \/: .*beginsWithAChunk/)])
  })

  it('comes to the error hooks', async () => {
    const { send, logged } = await serve([native()], {
      setup(all) {
        all.addGlobal(beginsWithAChunk)
        all.addGlobal((error: { code?: string }, _req: IncomingMessage, res: ServerResponse, _next: Next) => {
          res.end(error.code)
        })
      },
    })
    expect([(await send('/')).text, logged]).toEqual(['part ERR_ANSWER_BEGUN', []])
  })
})

describe('An answer that nothing behind a hook ends', () => {
  afterEach(closeAll)

  it('stays open under a profile, as in Express, and one line names the hook', async () => {
    const [, standalone] = servings
    const responses: ServerResponse[] = []
    const { send, logged } = await standalone!.serve([native()], {
      profile: express5(),
      setup(all) {
        function feed(_req: IncomingMessage, res: ServerResponse, next: Next): void {
          responses.push(res)
          res.write('part ')
          next()
          setImmediate(() => res.end('end'))
        }
        all.addGlobal(feed, { scope: 'every' }).addGlobal(passes, { scope: 'every' })
      },
    })
    expect((await send('/none')).text).toBe('part end')
    expect(logged).toEqual([expect.stringMatching(/^warn The hook feed has begun an answer/)])
    expect(responses).toHaveLength(1)
  })
})

describe.each(servings.filter(({ errors }) => errors === 'host').map((one) => [one.name, one] as const))(
  'An answer that middleware of the host has begun – %s',
  (_name, { serve }) => {
    afterEach(closeAll)
    const upstream = (app: express.Express): void => {
      app.set('env', 'test')
      app.use(beginsWithAChunk)
    }

    it('is ended by a handler of Express in a Controller', async () => {
      const { send } = await serve([writesOn()], { upstream })
      expect((await send('/')).text).toBe('part rest')
    })

    it('goes on to the host where no Controller matches', async () => {
      const downstream = (app: express.Express): void => void app.use((_req, res) => void res.end('behind'))
      const { send } = await serve([native()], { upstream, downstream })
      expect((await send('/none')).text).toBe('part behind')
    })

    it('is cut off before a native callback, whose error the host gets', async () => {
      const errors: unknown[] = []
      const { send } = await serve([native()], {
        upstream,
        downstream: (app) =>
          void app.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
            errors.push(error)
            next(error)
          }),
      })
      await expect(send('/')).rejects.toThrow()
      expect(errors).toMatchObject([{ code: 'ERR_ANSWER_BEGUN' }])
      expect(log).toEqual([])
    })
  },
)

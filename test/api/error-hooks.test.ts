import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { Controller, type ErrorHook, type Hook, type Next, type RouteRequest } from 'routecontrollers'
import { describeServings, type ServeOptions } from '../support/describe-servings.js'

type Failure = Error & { status?: number }

const answers =
  (name: string): ErrorHook =>
  (error: Failure, _req: IncomingMessage, res: ServerResponse, _next: Next) => {
    res.statusCode = error.status ?? 500
    res.end(`${name}: ${error.message}`)
  }

const broken = (): never => {
  throw new Error('broken')
}

describeServings('error hooks', (serving) => {
  const { serve, misses, errors } = serving

  it.each<[string, Controller, object]>([
    ['throws', new Controller('GET', '/', broken), {}],
    ['rejects', new Controller('GET', '/', () => Promise.reject(new Error('broken'))), {}],
    ['cannot send', new Controller('GET', '/', () => 7 as never), { text: expect.stringMatching(/number/) }],
    ['has a middleware that throws', new Controller('GET', '/', () => 'x').use(broken), {}],
  ])('get the error of a controller that %s', async (_how, controller, expected) => {
    const { send, logged } = await serve([controller], {
      setup: (routeControllers) => void routeControllers.addGlobal(answers('hook')),
    })
    expect(await send('/')).toMatchObject({ status: 500, text: 'hook: broken', ...expected })
    expect(logged).toEqual([])
  })

  it.each([
    ['a malformed body', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['a body that is too large', { body: '"'.padEnd(100), headers: { 'content-type': 'text/plain' } }, 413],
    [
      'a body of another charset',
      { body: 'x', headers: { 'content-type': 'text/plain; charset=none' } },
      415,
    ],
  ])('get the refusal of %s, with its status', async (_what, request, status) => {
    const { send } = await serve([new Controller('POST', '/', () => 'x')], {
      bodyLimit: 50,
      setup: (routeControllers) => void routeControllers.addGlobal(answers('hook')),
    })
    expect(await send('/', { method: 'POST', ...request })).toMatchObject({
      status,
      text: expect.stringMatching(/^hook: /),
    })
  })

  it('can be added while a request is under way that fails after', async () => {
    let add = (): void => {}
    const late = async (): Promise<never> => {
      add()
      await Promise.resolve()
      return broken()
    }
    const { send } = await serve([new Controller('GET', '/:name', late)], {
      setup(routeControllers) {
        add = () => void routeControllers.addGlobal(answers('hook'))
      },
    })
    // A web-standard request does not meet it, and is answered too.
    expect(await send('/a')).toMatchObject({ status: 500 })
    expect(await send('/a')).toMatchObject({ status: 500, text: 'hook: broken' })
  })

  it('come before onError, which gets what they give to next()', async () => {
    const order: string[] = []
    const passes =
      (name: string, next: (error: Failure) => unknown): ErrorHook =>
      (error: Failure, _req: IncomingMessage, _res: ServerResponse, goOn: Next) => {
        order.push(`${name}: ${error.message}`)
        goOn(next(error))
      }
    const { send } = await serve([new Controller('GET', '/', broken)], {
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal(passes('a', (error) => error))
          .addGlobal(passes('b', () => new Error('replaced')))
          .addGlobal('/elsewhere', answers('never')),
      onError(error, _req, res) {
        order.push(`onError: ${(error as Error).message}`)
        return res.status(503).text('sorry')
      },
    })
    expect(await send('/')).toMatchObject({ status: 503, text: 'sorry' })
    expect(order).toEqual(['a: broken', 'b: broken', 'onError: replaced'])
  })

  it('see an error of a hook once', async () => {
    const seen: string[] = []
    const notes: ErrorHook = (error: Failure, _req: IncomingMessage, _res: ServerResponse, next: Next) => {
      seen.push(error.message)
      next(error)
    }
    const { send } = await serve([new Controller('GET', '/', () => 'x')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_req, _res, next) => next(new Error('of a hook'))).addGlobal(notes),
    })
    expect((await send('/')).status).toBe(500)
    expect(seen).toEqual(['of a hook'])
  })

  it('have the members of a request also behind a function that has called an app of Express', async () => {
    const app = express().get('/elsewhere', (_req, res) => void res.end()) as unknown as Hook
    const seen: unknown[] = []
    const { send } = await serve([new Controller('POST', '/', () => 'x')], {
      methods: 'strict',
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal((req, res, next) => app(req, res, next))
          .addGlobal((error: Failure, req: IncomingMessage, _res: ServerResponse, next: Next) => {
            const { signal } = req as unknown as Partial<RouteRequest>
            seen.push(error.status, signal?.aborted)
            next(error)
          }),
    })
    expect((await send('/')).status).toBe(405)
    expect(seen).toEqual([405, false])
  })

  it('do not run ordinary hooks again', async () => {
    let runs = 0
    const counts: NonNullable<ServeOptions['setup']> = (routeControllers) =>
      void routeControllers
        .addGlobal((_req, _res, next) => {
          runs++
          next()
        })
        .addGlobal((_error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => next())
        .addGlobal((_req, _res, next) => {
          runs++
          next()
        })
    const { send } = await serve([new Controller('GET', '/', broken)], {
      setup: counts,
      downstream: (app) => void app.use((_req, res) => void res.status(404).send('behind')),
    })
    const answer = await send('/')
    expect(runs).toBe(2)
    // next() without an error goes on behind the routes.
    expect([answer.status, answer.text]).toEqual([404, misses === 'us' ? 'Not Found' : 'behind'])
  })

  it('that fail in their turn leave the error to the default', async () => {
    const { send, logged } = await serve([new Controller('GET', '/', broken)], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal(
          (_error: unknown, _req: IncomingMessage, _res: ServerResponse, _next: Next) => {
            throw Object.assign(new Error('worse'), { status: 422 })
          },
        ),
    })
    expect(await send('/')).toMatchObject({ status: 422, ...(errors === 'us' && { text: 'worse' }) })
    expect(logged).toEqual([])
  })

  it('are not asked once an answer has begun', async () => {
    const seen: unknown[] = []
    const { send, logged } = await serve(
      [
        new Controller('GET', '/', (_req, res) =>
          res.stream(
            (async function* () {
              yield 'begun'
              await new Promise(setImmediate)
              throw new Error('half-way')
            })(),
          ),
        ),
      ],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal(
            (error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => {
              seen.push(error)
              next(error)
            },
          ),
      },
    )
    await expect(send('/')).rejects.toThrow()
    expect(seen).toEqual([])
    expect(logged).toEqual([expect.stringMatching(/^error .*half-way/)])
  })

  it('get an error that a hook has after its next(), while nobody has answered', async () => {
    const { send } = await serve([new Controller('GET', '/', () => new Promise<string>(() => {}))], {
      setup: (routeControllers) =>
        void routeControllers
          .addGlobal((_req, _res, next) => {
            next()
            setImmediate(() => next(Object.assign(new Error('too late'), { status: 503 })))
          })
          .addGlobal(answers('hook')),
    })
    expect(await send('/')).toMatchObject({ status: 503, text: 'hook: too late' })
  })
})

import express from 'express'
import express4Module from 'express4'
import { type AnyController, Controller, group, type Middleware, RouteControllers } from 'routecontrollers'
import { express4, express5, fromExpress, toControllers } from 'routecontrollers/express'
import { z } from 'zod'
import { describeServings } from '../support/describe-servings.js'
import { thrownBy } from '../support/thrown-by.js'

const profiles = [
  ['express5', () => express5({ express })],
  ['express4', () => express4({ express: express4Module })],
] as const

describe.each(profiles)('Under the profile %s', (_name, profile) => {
  describeServings('native middleware', ({ serve }) => {
    const mark: Middleware = async (_req, _res, next) => {
      const answer = await next()
      answer.headers.set('X-Around', String(answer.status))
      return answer
    }
    const api = group('/orgs/:org', (req, res) =>
      req.get('x-user') === undefined ? res.status(401).end() : { account: { name: req.get('x-user')! } },
    )
    const list = [
      api.get('/me', (req) => `${req.params.org} ${req.account.name}`).use(mark),
      api.post('/users', (req, res) => res.status(201).json({ name: req.body.name, page: req.query.page }), {
        input: {
          body: z.object({ name: z.string() }),
          query: z.object({ page: z.coerce.number() }),
        },
        output: { 201: z.object({ name: z.string(), page: z.number() }) },
      }),
      new Controller(
        'GET',
        '/handler',
        fromExpress((req, res) => void res.send(String((req as { seen?: boolean }).seen))),
      ),
    ]
    const headers = { 'x-user': 'Ada', 'content-type': 'application/json' }

    it('guards, adds, runs around, and holds input and answers to schemas', async () => {
      const { send } = await serve(list, { profile: profile() })
      expect((await send('/orgs/acme/me')).status).toBe(401)
      const me = await send('/orgs/acme/me', { headers })
      expect([me.text, me.headers['x-around']]).toEqual(['acme Ada', '200'])
      const body = JSON.stringify({ name: 'Bob' })
      const made = await send('/orgs/acme/users?page=2', { method: 'POST', headers, body })
      expect([made.status, made.json()]).toEqual([201, { name: 'Bob', page: 2 }])
      const refused = await send('/orgs/acme/users?page=x', { method: 'POST', headers, body: '{}' })
      expect([refused.status, refused.headers['content-type']]).toEqual([
        422,
        expect.stringContaining('application/problem+json'),
      ])
      expect(refused.json().errors.map((one: { in: string }) => one.in)).toEqual(['query', 'body'])
    })

    it('for all runs before handlers of Express too, also when it is added late', async () => {
      const { send, routeControllers } = await serve(list, { profile: profile() })
      expect((await send('/handler')).text).toBe('undefined')
      routeControllers.use(() => ({ seen: true }))
      expect((await send('/handler')).text).toBe('true')
    })
  })

  describeServings('a guard that is added when RouteControllers was made', ({ serve }) => {
    it.each(['of the Controller', 'for all'])('runs before handlers of Express: %s', async (kind) => {
      const secret = new Controller(
        'GET',
        '/secret',
        fromExpress((_req, res) => void res.send('secret')),
      )
      const { send, routeControllers } = await serve([secret], { profile: profile() })
      expect((await send('/secret')).text).toBe('secret')
      const guard: Middleware = (_req, res) => res.status(401).end()
      if (kind === 'for all') routeControllers.use(guard)
      else secret.use(guard)
      expect((await send('/secret')).status).toBe(401)
    })

    it('is refused for a route that was taken over, which it would not guard', () => {
      const app = express()
      app.get('/secret', (_req, res) => void res.send('secret'))
      const [secret] = toControllers(app).controllers
      expect(thrownBy(() => secret!.use(() => {}))).toMatchObject({
        code: 'ERR_CONTROLLER_ORDER',
        message: expect.stringContaining('addGlobal'),
      })
    })
  })

  it('middleware for all is refused beside an app that was taken over, whose routes it would not see', () => {
    const app = express()
    app.get('/secret', (_req, res) => void res.send('secret'))
    const routeControllers = new RouteControllers(toControllers(app).controllers, {
      profile: express5({ express }),
    })
    expect(thrownBy(() => routeControllers.use(() => {}))).toMatchObject({
      code: 'ERR_CONTROLLER_ORDER',
      message: expect.stringContaining('addGlobal'),
    })
  })

  it('an app that was taken over is refused behind middleware for all, where it is added later', async () => {
    const app = express()
    app.get('/secret', (_req, res) => void res.send('secret'))
    const list: AnyController[] = [new Controller('GET', '/own', () => 'own')]
    const routeControllers = new RouteControllers(list, { profile: express5({ express }) }).use(() => {})
    list.push(...toControllers(app).controllers)
    expect(thrownBy(() => routeControllers.processAllControllers())).toMatchObject({
      code: 'ERR_CONTROLLER_ORDER',
    })
    const ask = async (path: string): Promise<number> =>
      (await routeControllers.getCallback()(new Request(`http://x${path}`))).status
    expect([await ask('/own'), await ask('/secret')]).toEqual([200, 404])
  })
})

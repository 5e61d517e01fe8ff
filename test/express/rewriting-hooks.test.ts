import { Controller, RouteControllers } from 'routecontrollers'
import { express5, fromApp, fromExpress, toControllers } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, host } from '../support/hosting.js'
import { express4 } from './support/profiles.js'
import { sides } from './support/side-by-side.js'

const profiles = { 'Express 4': express4, 'Express 5': express5 }

describeServings('hooks for every request, of which one rewrites it for a route', ({ name, serve }) => {
  describe.each([...Object.entries(profiles), ['none', undefined]] as const)(
    'under the profile of %s',
    (_name, profile) => {
      const serveNoting = async (hooks: (note: (what: string) => any) => readonly any[]) => {
        const calls: string[] = []
        const note = (what: string) => (req: any, _res: any, next: () => void) => {
          calls.push(`${what} ${req.url}`)
          next()
        }
        const handler = fromExpress((req, res) => {
          calls.push(`route ${req.url}`)
          res.send('the route')
        })
        const { send } = await serve([new Controller('GET', '/new/:id', handler)], {
          ...(profile && { profile: profile({ settings: { env: 'test' } }) }),
          setup: (all) => {
            for (const parameters of hooks(note)) (all.addGlobal as any)(...parameters)
          },
          downstream: (app) => void app.use((_req: any, res: any) => res.status(404).send('the host')),
        })
        return { calls, send }
      }
      const every = { scope: 'every' }
      const rewrite = (req: any, _res: any, next: () => void): void => {
        req.url = req.url.replace('/old', '/new')
        next()
      }

      it('calls each of them once, in their order, as router.use does', async () => {
        const { calls, send } = await serveNoting((note) => [
          ['/new', note('at the new path, before'), every],
          [note('before'), every],
          [rewrite, every],
          [note('behind'), every],
          ['/new', note('at the new path'), every],
        ])
        expect((await send('/old/7')).text).toBe('the route')
        expect(calls).toEqual(['before /old/7', 'behind /new/7', 'at the new path /7', 'route /new/7'])
      })

      it('then calls the hooks for what is answered, which may refuse it', async () => {
        const guard = (_req: any, res: any): void => void res.status(403).send('refused')
        const { calls, send } = await serveNoting((note) => [
          [rewrite, every],
          [note('every'), every],
          [note('answered')],
          ['/new', guard],
        ])
        expect((await send('/old/7')).text).toBe('refused')
        expect(calls).toEqual(['every /new/7', 'answered /new/7'])
      })

      it('does not call the route once an error hook has forgiven the error of one of them', async () => {
        const refuse = (_req: any, _res: any, next: (error: unknown) => void): void =>
          next(new Error('refused'))
        const forgive = (_error: unknown, _req: any, _res: any, next: () => void): void => next()
        // Without a profile an error hook is for what is answered here, unless it says otherwise.
        const own = profile === undefined ? [every] : []
        const { calls, send } = await serveNoting(() => [
          [rewrite, every],
          [refuse, every],
          [forgive, ...own],
        ])
        expect((await send('/old/7')).status).toBe(404)
        expect(calls).toEqual([])
      })

      it('leaves what the route throws to the error hooks, once', async () => {
        const told: string[] = []
        const { send } = await serveNoting(() => [
          [rewrite, every],
          [
            (_req: any, _res: any, next: (error: unknown) => void) =>
              next(new Error('of a hook for what is answered')),
          ],
          [
            (error: Error, _req: any, res: any, _next: unknown) => {
              told.push(error.message)
              res.status(500).send(name)
            },
          ],
        ])
        expect((await send('/old/7')).text).toBe(name)
        expect(told).toEqual(['of a hook for what is answered'])
      })
    },
  )
})

describeServings(
  'A hook that rewrites the method of a request for an app that was taken over',
  ({ serve, misses }) => {
    it.each(sides)('leads to that method alone, of %s', async (_name, express: any) => {
      const calls: string[] = []
      const app = express().set('env', 'test')
      app.use((req: any, _res: any, next: () => void) => (calls.push(req.method), next()))
      app.post('/x', (_req: any, res: any) => res.send('posted'))
      app.delete('/x', (_req: any, res: any) => res.send('deleted'))
      const { send } = await serve(toControllers(app).controllers, {
        profile: fromApp(app),
        setup: (all) =>
          void all.addGlobal((req: any, _res: any, next: () => void) => {
            req.method = req.headers['x-method'] ?? req.method
            next()
          }),
        downstream: (host) => void host.put('/x', (_req: any, res: any) => res.send('put by the host')),
      })
      const post = async (method: string): Promise<string> =>
        (await send('/x', { method: 'POST', headers: { 'x-method': method } })).text
      expect([await post('POST'), await post('DELETE')]).toEqual(['posted', 'deleted'])
      // The app has no such route, so the request does not enter it.
      expect(await post('PUT')).toContain(misses === 'host' ? 'put by the host' : 'Cannot PUT /x')
      expect(calls).toEqual(['POST', 'DELETE'])
    })
  },
)

describe.each(sides)('%s', (_name, express: any) => {
  afterEach(closeHosted)

  it('answers what comes to its Controllers a second time by another URL', async () => {
    const hook = jest.fn((_req: unknown, _res: unknown, next: () => void) => next())
    const all = new RouteControllers([new Controller('GET', '/new', () => 'new')], {
      profile: fromApp(express().set('env', 'test')),
    })
    all.addGlobal(hook, { scope: 'every' })
    const app = express().set('env', 'test')
    app.use(all.middleware())
    app.use((req: any, _res: unknown, next: () => void) => {
      req.url = req.url.replace('/old', '/new')
      next()
    })
    app.use(all.middleware())
    const { send } = await host(app)
    expect((await send('/old')).text).toBe('new')
    expect(hook).toHaveBeenCalledTimes(2)
    expect((await send('/none')).status).toBe(404)
  })
})

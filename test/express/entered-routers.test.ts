// A request looks at the routers alone that it enters, for whether they have changed.
import express5 from 'express'
import express4 from 'express4'
import { RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { closeHosted, closeLater } from '../support/hosting.js'
import { ask } from './support/compare.js'

afterEach(closeHosted)

const silent = { info() {}, warn() {}, error() {} }

describe.each([
  [4, express4],
  [5, express5],
] as const)('the routers of an app of Express %i', (_version, express: any) => {
  const send = (text: string) => (_req: unknown, res: any) => void res.end(text)
  const deny = (_req: unknown, res: any): void => {
    res.statusCode = 401
    res.end('denied')
  }

  /** Whether another handler stands behind, the app itself does, or none. */
  describe.each(['none', 'the app', 'another'] as const)('with %s behind', (behind) => {
    const serve = async (app: any): Promise<(target: string) => Promise<string>> => {
      const another = express().use(send('behind'))
      const fallback = behind === 'none' ? undefined : behind === 'another' ? another : app
      const routeControllers = new RouteControllers(toControllers(app).controllers, {
        profile: fromApp(app),
        logger: silent,
      })
      const server = await new Server().start({
        port: 0,
        host: '127.0.0.1',
        routeControllers,
        ...(fallback && { fallback }),
      })
      closeLater(() => server.stop())
      return async (target) => {
        const { statusLine, body } = await ask(server.getPort(), { target })
        return `${statusLine.split(' ')[1]!} ${body.startsWith('<') ? 'page' : body}`
      }
    }
    const missed = behind === 'another' ? '200 behind' : '404 page'

    /** An app with two routers, and how often the list of the second has been read. */
    const createApp = (): { app: any; one: any; two: any; reads: () => number } => {
      const app = express().set('env', 'test')
      const [one, two] = [express.Router(), express.Router()]
      one.get('/x', send('one'))
      two.get('/x', send('two'))
      app.use('/one', one)
      app.use('/two', two)
      let count = 0
      two.stack = new Proxy(two.stack, { get: (stack, name) => (count++, stack[name]) })
      return { app, one, two, reads: () => count }
    }

    it('are not read where a request does not enter them', async () => {
      const { app, reads } = createApp()
      const request = await serve(app)
      expect(await request('/one/x')).toBe('200 one')
      const before = reads()
      expect(await request('/one/x')).toBe('200 one')
      // A route that is gone is to be left to another handler: whether one is gone, all of them tell.
      if (behind === 'another') return expect(reads()).toBeGreaterThan(before)
      expect(reads()).toBe(before)
      expect(await request('/two/x')).toBe('200 two')
      expect(reads()).toBeGreaterThan(before)
    })

    it('have the guards and the routes of the moment when one enters them', async () => {
      const { app, one, two } = createApp()
      const request = await serve(app)
      expect(await request('/one/x')).toBe('200 one')
      expect(await request('/two/new')).toBe(missed)
      two.get('/new', send('new'))
      expect(await request('/one/x')).toBe('200 one')
      expect(await request('/two/new')).toBe('200 new')
      two.use(deny)
      two.stack.unshift(two.stack.pop())
      expect(await request('/one/x')).toBe('200 one')
      expect(await request('/two/x')).toBe('401 denied')
      expect(await request('/two/x')).toBe('401 denied')
      one.stack.length = 0
      expect(await request('/one/x')).toBe(missed)
      expect(await request('/one/x')).toBe(missed)
    })

    it('have a guard that stands before all layers of the app', async () => {
      const { app } = createApp()
      app.use((_req: unknown, _res: unknown, next: () => void) => next())
      const request = await serve(app)
      expect(await request('/one/x')).toBe('200 one')
      app.use(deny)
      const { stack } = app._router ?? app.router
      stack.unshift(stack.pop())
      expect(await request('/one/x')).toBe('401 denied')
      expect(await request('/one/x')).toBe('401 denied')
    })

    it('have a guard that is for other paths from now on', async () => {
      const { app, two } = createApp()
      two.use('/other', deny)
      two.use((_req: unknown, _res: unknown, next: () => void) => next())
      two.get('/z', send('z'))
      const request = await serve(app)
      expect(await request('/two/z')).toBe('200 z')
      const [, guard, forAll] = two.stack
      for (const name of ['matchers', 'slash', 'regexp']) if (name in guard) guard[name] = forAll[name]
      expect(await request('/two/z')).toBe('401 denied')
      expect(await request('/two/z')).toBe('401 denied')
    })

    it('are read again once a request has met a change', async () => {
      const { app, two } = createApp()
      const request = await serve(app)
      expect(await request('/one/x')).toBe('200 one')
      const layer = (app._router ?? app.router).stack.find(({ handle }: any) => handle === two)
      let asked = 0
      // Express reads it of each layer that it asks for a match.
      Object.defineProperty(layer, 'route', { get: () => void asked++ })
      expect(await request('/one/x')).toBe('200 one')
      app.get('/three', send('three'))
      expect(await request('/one/x')).toBe('200 one')
      expect(await request('/one/x')).toBe('200 one')
      asked = 0
      expect(await request('/one/x')).toBe('200 one')
      // Of a router that is not as it was read each layer before that of the answer is asked.
      expect(await request('/three')).toBe('200 three')
      expect(asked).toBe(0)
    })

    it('run as they are where a route was replaced by one at another place', async () => {
      const { app, one } = createApp()
      const request = await serve(app)
      expect(await request('/one/x')).toBe('200 one')
      const other = express.Router()
      other.get('/y', send('y'))
      one.stack[0] = other.stack[0]
      expect(await request('/one/y')).toBe('200 y')
      expect(await request('/one/x')).toBe(missed)
    })
  })
})

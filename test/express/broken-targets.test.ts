import express5 from 'express'
import express4 from 'express4'
import { Controller, type NodeHandler, RouteControllers, Server, toListener } from 'routecontrollers'
import { fromApp, fromExpress, toControllers } from 'routecontrollers/express'
import { closeHosted, closeLater, host } from '../support/hosting.js'
import { ask } from './support/compare.js'

afterEach(closeHosted)

const logger = { info() {}, warn() {}, error() {} }

/** Ways in which our classes carry the request from the beginning, or Node's own do. */
const ways: Record<string, (all: RouteControllers) => Promise<number>> = {
  async 'by a Server'(all) {
    const server = await new Server().start({ port: 0, host: '127.0.0.1', routeControllers: all, logger })
    closeLater(() => server.stop())
    return server.getPort()
  },
  'by toListener': async (all) => (await host(toListener(all.getCallback(), { logger }))).port,
  'in front of an app': async (all) => {
    const listener = toListener(all.getCallback(), {
      logger,
      fallback: express5().set('env', 'test') as NodeHandler,
    })
    return (await host(listener)).port
  },
  'as middleware of a plain server': async (all) => {
    const middleware = all.middleware()
    const listener: NodeHandler = (req, res) =>
      void middleware(req, res, (error?: any) => {
        res.statusCode = error ? (error.status ?? 500) : 404
        res.end()
      })
    return (await host(listener)).port
  },
  'inside Express 4': async (all) => (await host(express4().set('env', 'test').use(all.middleware()))).port,
  'inside Express 5': async (all) => (await host(express5().set('env', 'test').use(all.middleware()))).port,
}

describe.each(Object.entries(ways))('%s', (_way, serve) => {
  describe.each([
    ['4', express4],
    ['5', express5],
  ])('under the profile of an app of Express %s', (_version, express) => {
    const createApp = (): any => {
      const app: any = express().set('env', 'test')
      app.set('query parser', (text: string) => {
        if (text === 'broken') throw new Error('The parser cannot read this')
        return { text }
      })
      app.get('/x', (req: any, res: any) => void res.json(req.query))
      return app
    }
    const served: Record<string, () => RouteControllers> = {
      'a handler': () => {
        const handler = fromExpress((req, res) => void res.json(req.query))
        return new RouteControllers([new Controller('GET', '/x', handler)], {
          profile: fromApp(createApp()),
          logger,
        })
      },
      'an app that was taken over': () => {
        const app = createApp()
        return new RouteControllers(toControllers(app).controllers, { profile: fromApp(app), logger })
      },
    }

    it.each(Object.entries(served))(
      'a target that no URL can be made of reaches no route of %s, and ends nothing',
      async (_what, make) => {
        const all = make().addGlobal((_req, _res, next) => next(), { scope: 'every' })
        const port = await serve(all)
        for (const target of ['http://[::1]W/x', 'http://%@h/x', '//[::1]W/x']) {
          const { statusLine } = await ask(port, { target })
          expect([target, statusLine]).toEqual([target, expect.stringMatching(/ 40[04] /)])
        }
        expect((await ask(port, { target: '/x?a=1' })).body).toBe(
          _way === 'inside Express 4' ? '{"a":"1"}' : '{"text":"a=1"}',
        )
      },
    )

    it.each(Object.entries(served))(
      'a query that the parser throws at is an error of %s, and ends nothing',
      async (_what, make) => {
        const port = await serve(make())
        const { statusLine } = await ask(port, { target: '/x?broken' })
        // A host of version 4 has parsed it by its own.
        expect(statusLine).toContain(_way === 'inside Express 4' ? ' 200 ' : ' 500 ')
        expect((await ask(port, { target: '/x' })).statusLine).toContain(' 200 ')
      },
    )
  })
})

import express from 'express'
import { RouteControllers, Server } from '../../src/index.js'
import { fromApp, toControllers } from '../../src/express/index.js'

async function start(app: express.Express, prepare: (server: Server) => void = () => {}): Promise<Server> {
  const { controllers } = toControllers(app)
  const routeControllers = new RouteControllers(controllers, { profile: fromApp(app) })
  const server = await new Server().start({ port: 0, routeControllers, fallback: app })
  prepare(server)
  return server
}

describe('An app that is left to itself', () => {
  it('answers 500, and the process goes on, where it throws', async () => {
    const log = jest.spyOn(console, 'error').mockImplementation(() => {})
    const app = express().get('/teas', (_req, res) => void res.json(['Assam']))
    await using server = await start(app)
    const replaced = app as unknown as { handle: unknown }
    const { handle } = replaced
    // Once: the page for the error is Express's own.
    replaced.handle = () => {
      replaced.handle = handle
      throw new Error('no handle')
    }
    expect((await fetch(`${server.getURL()}/teas`)).status).toBe(500)
    expect(await (await fetch(`${server.getURL()}/teas`)).json()).toEqual(['Assam'])
    log.mockRestore()
  })

  it('does not get a request that another listener has answered', async () => {
    let count = 0
    const app = express().get('/teas', (_req, res) => {
      count++
      res.end('app')
    })
    // It could not be set any more, and the app would fail before its route.
    app.disable('x-powered-by')
    await using server = await start(app, ({ nodeServer }) => {
      nodeServer!.prependListener('request', (_req, res) => void res.end('listener'))
    })
    expect(await (await fetch(`${server.getURL()}/teas`)).text()).toBe('listener')
    expect(count).toBe(0)
  })
})

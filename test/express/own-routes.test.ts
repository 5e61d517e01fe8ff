// What a Controller of Express's handlers has of its own, under a profile: schemas and the time for an answer, in front of those handlers.
import express5 from 'express'
import express4 from 'express4'
import {
  type AnyController,
  Controller,
  RouteControllers,
  type RouteControllersOptions,
} from 'routecontrollers'
import { expressPath, fromApp, fromExpress } from 'routecontrollers/express'
import { z } from 'zod'
import { listenOn } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { createListener } from '../../src/run/listener.js'
import { ask } from './support/compare.js'

afterEach(closeHosted)

describe.each([
  [4, express4],
  [5, express5],
] as const)('Handlers of Express %i, under a profile', (_version, express: any) => {
  const ways = ['inside its app', 'in front of it', 'standalone'] as const
  const serve = async (
    way: (typeof ways)[number],
    controller: AnyController,
    options: RouteControllersOptions = {},
  ): Promise<number> => {
    const app = express().set('env', 'test')
    const all = new RouteControllers([controller], { profile: fromApp(app), ...options })
    all.addGlobal((_req, _res, next) => next())
    if (way === 'inside its app') app.use(all.middleware())
    const fallback = way === 'in front of it' ? { fallback: app } : {}
    const served = way === 'inside its app' ? app : createListener(all.getCallback(), fallback)
    const { port, close } = await listenOn(served)
    closeLater(close)
    return port
  }

  it.each(ways)('get no request that does not fit the schemas, %s', async (way) => {
    const asked: string[] = []
    const controller = new Controller(
      'GET',
      expressPath('/teas/:id'),
      fromExpress((req: any, res: any) => {
        asked.push(req.url)
        res.json({ id: req.params.id })
      }),
      { input: { query: z.object({ size: z.enum(['s', 'm']) }) } },
    )
    const port = await serve(way, controller)
    const refused = await ask(port, { method: 'GET', target: '/teas/7?size=x' })
    expect([refused.statusLine, asked]).toEqual([expect.stringContaining(' 422 '), []])
    const answered = await ask(port, { method: 'GET', target: '/teas/7?size=m' })
    expect([answered.body, asked]).toEqual(['{"id":"7"}', ['/teas/7?size=m']])
  })

  it.each(['in front of it', 'standalone'] as const)('are told where their time is over, %s', async (way) => {
    const logged: string[] = []
    const error = (line: string): void => void logged.push(line)
    const controller = new Controller(
      'GET',
      expressPath('/slow'),
      fromExpress(() => {}),
    )
    const port = await serve(way, controller, {
      answerTimeoutMs: 30,
      logger: { info() {}, warn() {}, error },
    })
    const { statusLine } = await ask(port, { method: 'GET', target: '/slow' })
    expect([statusLine, logged]).toEqual([
      expect.stringContaining(' 503 '),
      [expect.stringContaining('the Controller GET:/slow has not settled')],
    ])
  })
})

// What the app of Express adds to the answer of a Controller in front of it, by requests that are written here.
import express5 from 'express'
import express4 from 'express4'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import type { Exchange, RunnableController } from 'routecontrollers/introspection'
import { migration } from '@routecontrollers/switch'
import { LegacyApp } from '../../../packages/switch/src/legacy/legacy-app.js'
import { LightResponse } from '../../../src/answer/light-response.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { silent } from './shop.js'

const exchangeOf = (headers: Record<string, string> = {}): Exchange => {
  const own = new Map<string, unknown>(Object.entries(headers))
  const outgoing = {
    hasHeader: (name: string) => own.has(name),
    getHeader: (name: string) => own.get(name.toLowerCase()),
    removeHeader: (name: string) => own.delete(name.toLowerCase()),
  }
  return {
    method: 'GET',
    incoming: { headers: {} },
    outgoing,
    header: () => undefined,
  } as unknown as Exchange
}
const answer = (...headers: string[]): LightResponse =>
  new LightResponse(200, ['Content-Type', 'text/plain; charset=utf-8', ...headers], 'tea', '')

describe.each([
  [4, express4],
  [5, express5],
] as const)('The answer of a Controller in front of an app of Express %i', (_version, express: any) => {
  const tagged = (given: LightResponse, exchange = exchangeOf()): boolean => {
    const legacyApp = new LegacyApp({ legacy: express(), appsOf: () => [] })
    expect(legacyApp.finish(given, exchange)).not.toBe(given)
    return legacyApp.isTagged(exchange.incoming!)
  }

  it('has the ETag of the app where it has none itself, nor from a hook', () => {
    expect(tagged(answer())).toBe(true)
    expect(tagged(answer('ETag', '"own"'))).toBe(false)
    expect(tagged(answer('etag', '"own"'))).toBe(false)
    expect(tagged(answer(), exchangeOf({ etag: '"of a hook"' }))).toBe(false)
  })

  it('begins as one of the app does, but for an app that has begun it, or an answer whose head was sent', () => {
    const set: unknown[] = []
    const outgoing = { headersSent: false, setHeader: (...field: string[]) => set.push(field) }
    const begin = (more: object, app = express()): unknown[] => {
      set.length = 0
      const legacyApp = new LegacyApp({ legacy: app, appsOf: () => [] })
      legacyApp.begin({} as RunnableController, { outgoing, ...more } as unknown as Exchange)
      return [...set]
    }
    expect(begin({})).toEqual([['X-Powered-By', 'Express']])
    // Its middleware, as helmet, may have taken the header away since.
    expect(begin({ fail: () => {} })).toEqual([])
    expect(begin({ outgoing: { ...outgoing, headersSent: true } })).toEqual([])
    expect(begin({ outgoing: undefined })).toEqual([])
    expect(begin({}, express().disable('x-powered-by'))).toEqual([])
  })

  it('is that of the app where a server has the app for its only listener', () => {
    const servedBy = (...listeners: RequestListener[]): Server => {
      const server = createServer()
      for (const listener of listeners) server.on('request', listener)
      return server
    }
    const finishedBy = (legacy: unknown): boolean => {
      const given = answer()
      return new LegacyApp({ legacy, appsOf: () => [] }).finish(given, exchangeOf()) !== given
    }
    expect(finishedBy(servedBy(express()))).toBe(true)
    expect(finishedBy(servedBy(express(), () => {}))).toBe(false)
    expect(finishedBy(servedBy(() => {}))).toBe(false)
    expect(finishedBy(() => {})).toBe(false)
  })
})

it('A legacy server answers by its listeners, and by 404 once it has none', async () => {
  const legacy = createServer((_req, res) => void res.end('legacy'))
  const switching = migration({ legacy, routeControllers: new RouteControllers([]), logger: silent })
  const { port, close } = await listenOn(switching.listener())
  try {
    expect((await sendTo(port)('/x')).text).toBe('legacy')
    legacy.removeAllListeners('request')
    expect((await sendTo(port)('/x')).status).toBe(404)
  } finally {
    await close()
    await switching.close()
  }
})

it('A list of Controllers may get more, which have their state as the others', async () => {
  const app = express5()
  app.get('/b', (_req, res) => void res.send('legacy'))
  const list: AnyController[] = [new Controller('GET', '/a', () => 'native')]
  const routeControllers = new RouteControllers(list)
  const switching = migration({ legacy: app, routeControllers, logger: silent })
  try {
    expect(switching.status().routes.map(({ route }) => route)).toEqual(['GET /a'])
    list.push(new Controller('GET', '/b', () => 'native'))
    routeControllers.processAllControllers()
    expect(switching.status().routes.map(({ route }) => route)).toEqual(['GET /a', 'GET /b'])
    await switching.set('GET /b', 'native', { by: 'Ada', reason: 'a test' })
    const answer = await routeControllers.getCallback()(new Request('http://x/b'))
    expect(await answer.text()).toBe('native')
  } finally {
    await switching.close()
  }
})

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import express from 'express'
import { Controller, type RequestTraceMessage } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { anyLoad, closeShops, describeWays, serveShop, silent, until } from './shop.js'

const why = { reason: 'a test', by: 'test' }
const channel = tracingChannel<object, RequestTraceMessage>('routecontrollers.request')

let seen: unknown[] = []
const note = {
  start: ({ side, state, isShadow }: RequestTraceMessage) => void seen.push({ side, state, isShadow }),
  asyncEnd: ({ side, state, isShadow }: RequestTraceMessage) => void seen.push({ side, state, isShadow }),
}
type All = Parameters<typeof channel.subscribe>[0]

beforeEach(() => {
  seen = []
  channel.subscribe(note as All)
})
afterEach(async () => {
  channel.unsubscribe(note as All)
  await closeShops()
})

describeWays('A traced request', (way) => {
  it('has its side and its state, and is marked where it is a copy', async () => {
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/a', (_req, res) => void res.send('a')),
      native: () => [new Controller('GET', '/a', () => 'a')],
      shadow: { ...anyLoad, ignoreHeaders: ['content-type', 'etag'] },
    })
    const ask = async (
      state: 'legacy' | 'shadow' | 'canary 100%' | 'native',
      events: number,
    ): Promise<unknown[]> => {
      await switching.set('GET /a', state, why)
      seen = []
      await send('/a')
      await until(() => seen.length >= events && switching.status().shadow.waiting === 0)
      await until(() => switching.status().shadow.running === 0)
      return seen
    }
    const twice = (one: object): object[] => [one, one]
    expect(await ask('legacy', 0)).toEqual([])
    expect(await ask('shadow', 2)).toEqual(twice({ side: 'native', state: 'shadow', isShadow: true }))
    expect(await ask('canary 100%', 2)).toEqual(
      twice({ side: 'native', state: 'canary 100%', isShadow: false }),
    )
    expect(await ask('native', 2)).toEqual(twice({ side: 'native', state: 'native', isShadow: false }))
  })
})

describeWays('A traced request that a hook takes to another route', (way) => {
  it('has the state of the one that has answered, at its end', async () => {
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get(['/a', '/b'], (_req, res) => void res.send('legacy')),
      native: () => [new Controller('GET', '/a', () => 'a'), new Controller('GET', '/b', () => 'b')],
      setup: (routeControllers) =>
        void routeControllers.addGlobal((req, _res, next) => {
          req.url = '/b'
          next()
        }),
      shadow: false,
    })
    await switching.set('GET /a', 'native', why)
    await switching.set('GET /b', 'canary 100%', why)
    expect((await send('/a')).text).toBe('b')
    await until(() => seen.length === 2)
    expect(seen).toEqual([
      { side: 'native', state: 'native', isShadow: false },
      { side: 'native', state: 'canary 100%', isShadow: false },
    ])
  })
})

describe('A traced request of a native callback', () => {
  it('has its side and its state, and is marked where it is a copy', async () => {
    const app = express()
    app.get(
      '/a',
      native((_req, res) => res.send('a')),
      (_req, res) => void res.send('a'),
    )
    const switching = migration({ app, shadow: anyLoad, logger: silent })
    const { port, close } = await listenOn(app)
    try {
      await switching.set('GET /a', 'shadow', why)
      await sendTo(port)('/a')
      await until(() => seen.length === 2)
      await switching.set('GET /a', 'native', why)
      await sendTo(port)('/a')
      await until(() => seen.length === 4)
      expect(seen).toEqual([
        { side: 'native', state: 'shadow', isShadow: true },
        { side: 'native', state: 'shadow', isShadow: true },
        { side: 'native', state: 'native', isShadow: false },
        { side: 'native', state: 'native', isShadow: false },
      ])
    } finally {
      await close()
      await switching.close()
    }
  })
})

describeWays(
  'A copy',
  (way) => {
    const storage = new AsyncLocalStorage<string>()
    const enter = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage }
      storage.enterWith(String(request.headers['x-trace']))
    }
    beforeEach(() => void subscribe('http.server.request.start', enter))
    afterEach(() => {
      unsubscribe('http.server.request.start', enter)
      storage.disable()
    })

    it('has the stores of its client, by which instrumentation links what it calls to the trace', async () => {
      const stores: unknown[] = []
      const { send, switching } = await serveShop(way, {
        legacy: (app) => void app.get('/a', (_req, res) => void res.send('a')),
        native: () => [
          new Controller('GET', '/a', (req) => {
            stores.push([req.isShadow, storage.getStore()])
            return 'a'
          }),
        ],
        shadow: anyLoad,
      })
      await switching.set('GET /a', 'shadow', why)
      for (const trace of ['one', 'two']) await send('/a', { headers: { 'x-trace': trace } })
      await until(() => stores.length === 2)
      expect(stores).toEqual([
        [true, 'one'],
        [true, 'two'],
      ])
    })
  },
  // Node tells of no request of HTTP/2.
  ({ name }) => !name.includes('HTTP/2'),
)

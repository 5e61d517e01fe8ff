import type { Express } from 'express'
import { Controller } from 'routecontrollers'
import { express5 } from 'routecontrollers/express'
import { describeHandler, type Switch, withHeaders } from '../../src/introspection.js'
import { describeServings, type Served } from '../support/describe-servings.js'

describeServings('A switch', ({ serve, misses, onNode }) => {
  /** Serves two Controllers with a switch that gives those at these paths to the Controller. */
  async function switched(
    natives: readonly string[],
    options: { readonly methods?: 'strict'; readonly profile?: ReturnType<typeof express5> } = {},
  ): Promise<Served & { asked: string[] }> {
    const asked: string[] = []
    const choose: Switch['choose'] = ({ method, pattern }) => {
      asked.push(`${method} ${pattern.source}`)
      return natives.includes(pattern.source)
    }
    const finish: Switch['finish'] = (answer) => withHeaders(answer, ['X-Finished', '1'])
    const controllers = [
      new Controller('GET', '/a', () => 'a'),
      new Controller('GET', '/b', () => 'b'),
      new Controller('GET', '/throws', () => {
        throw new Error('no')
      }),
    ]
    const served = await serve(controllers, {
      ...options,
      onError: (_error, req, res) => res.status(418).json(req.params ?? 'none'),
      ...(misses === 'us' && { onNotFound: (req, res) => res.status(404).json(req.params) }),
      setup: (routeControllers) =>
        void describeHandler(routeControllers.getCallback())!.setSwitch({ choose, finish }),
      downstream: (app: Express) => void app.use((_req, res) => void res.status(404).send('legacy')),
    })
    return { ...served, asked }
  }

  it('is asked once for the Controller of a request, which answers where it says so', async () => {
    const { send, asked } = await switched(['/a'])
    const { status, text, headers } = await send('/a')
    expect([status, text, headers['x-finished'], asked]).toEqual([200, 'a', '1', ['GET /a']])
  })

  it('leaves a request to what stands behind, also where methods are strict', async () => {
    for (const options of [{}, { methods: 'strict' }, { profile: express5() }] as const) {
      const { send, asked } = await switched(['/a'], options)
      const { status, text } = await send('/b')
      expect([status, text]).toEqual([404, misses === 'us' ? '{}' : 'legacy'])
      expect(asked).toEqual(['GET /b'])
    }
  })

  it('has a preflight go where its request goes, and is not asked where that has no route', async () => {
    const { send, asked, routeControllers } = await switched(['/a'])
    routeControllers.addGlobal((_req, res) => void res.end('hook'))
    const preflight = async (target: string): Promise<string> =>
      (
        await send(target, {
          method: 'OPTIONS',
          headers: { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' },
        })
      ).text
    const behind = misses === 'us' ? 'hook' : 'legacy'
    expect([await preflight('/a'), await preflight('/b'), await preflight('/nowhere')]).toEqual([
      'hook',
      behind,
      behind,
    ])
    if (misses === 'host') expect(asked).toEqual(['GET /a', 'GET /b'])
  })

  it('has the answers of onError finished, too', async () => {
    const { send } = await switched(['/throws'])
    const { status, text, headers } = await send('/throws')
    expect([status, text, headers['x-finished']]).toEqual([418, '{}', '1'])
  })

  if (onNode) {
    it('is asked anew for the route that a hook takes a request to', async () => {
      const { send, asked, routeControllers } = await switched(['/a', '/b'])
      routeControllers.addGlobal((req, _res, next) => {
        req.url = '/b'
        next()
      })
      expect((await send('/a')).text).toBe('b')
      expect(asked).toEqual(['GET /a', 'GET /b'])
    })
  }
})

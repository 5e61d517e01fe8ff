import { Controller, RouteControllers, toListener } from 'routecontrollers'
import { trace } from '../../src/express/model/trace.js'

describe('What a request passes in RouteControllers, followed without a call', () => {
  it('is no Controller where a param cannot be decoded, but the hooks before and the error hooks', async () => {
    const seen: string[] = []
    const routeControllers = new RouteControllers([
      new Controller('GET', '/p/:id', function controller() {
        seen.push('controller')
        return 'x'
      }),
    ])
    routeControllers.addGlobal(function hook(_req, _res, next) {
      seen.push('hook')
      next()
    })
    routeControllers.addGlobal(function errorHook(
      error: unknown,
      _req: unknown,
      _res: unknown,
      next: (error: unknown) => void,
    ) {
      seen.push('errorHook')
      next(error)
    })
    const callback = routeControllers.getCallback()
    const passed = async (path: string): Promise<{ really: string[]; followed: string[] }> => {
      seen.length = 0
      await callback(new Request(`http://x${path}`))
      return {
        really: [...seen],
        followed: trace(toListener(callback), 'GET', path).map(({ run }) => run.name),
      }
    }
    for (const [path, names] of [
      ['/p/7', ['hook', 'controller']],
      ['/p/%E9', ['hook', 'errorHook']],
    ] as const) {
      expect(await passed(path)).toEqual({ really: names, followed: names })
    }
  })
})

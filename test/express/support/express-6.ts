// An Express 6 as there may be one, made of Express 5's own parts.
import express5, { type Express, type Router } from 'express'

type Members = Record<string, any>
type Make = typeof express5

/** A Router whose layers match by other members than those of Express 5. */
function routerWithOtherLayers(): Router {
  const router = express5.Router() as unknown as Members
  const before = Object.getPrototypeOf(Object.getPrototypeOf(router)) as Members
  const renew = (stack: Members[]): void => {
    stack.forEach((layer, at) => {
      if (!('matchers' in layer)) return
      const { handle, name, route, rawPath: pattern } = layer
      const match = (path: string): unknown => layer['match'](path)
      const others = { handle, name, route, pattern, match }
      stack[at] = Object.assign(Object.create(Object.getPrototypeOf(layer)), others)
    })
  }
  const prototype: Members = Object.create(before, {
    handle: { value: before['handle'] },
    use: {
      value(this: Members, ...parameters: unknown[]) {
        before['use'].apply(this, parameters)
        renew(this['stack'])
        return this
      },
    },
    route: {
      value(this: Members, path: unknown) {
        const route: unknown = before['route'].call(this, path)
        renew(this['stack'])
        return route
      },
    },
  })
  return Object.setPrototypeOf(router, prototype) as Router
}

function withRouter(member: (router: Router) => PropertyDescriptor, makeRouter: () => Router): Make {
  const make = (): Express => {
    const app = express5()
    const router = makeRouter()
    Object.defineProperty(app, 'router', { ...member(router), configurable: true })
    Object.assign(app, {
      use: (...parameters: []) => (router.use(...parameters), app),
      route: (path: string) => router.route(path),
      handle(req: object, res: object, next: (error?: unknown) => void) {
        Object.setPrototypeOf(req, app.request)
        Object.setPrototypeOf(res, app.response)
        router(req as never, res as never, next)
      },
    })
    app.get = ((path: string, ...handlers: []) => (router.get(path, ...handlers), app)) as never
    return app
  }
  return Object.assign(make, express5, { Router: makeRouter })
}

/** What may be another in version 6, each by itself. */
export const expresses6: readonly (readonly [string, Make])[] = [
  ['whose layers have other members', withRouter((router) => ({ get: () => router }), routerWithOtherLayers)],
  [
    'whose app has no router that can be seen',
    withRouter(
      () => ({ value: undefined }),
      () => express5.Router(),
    ),
  ],
  [
    'whose app has an object for a router',
    withRouter(
      () => ({ value: { routes: [] } }),
      () => express5.Router(),
    ),
  ],
]

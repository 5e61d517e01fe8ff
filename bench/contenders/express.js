import { addHooks } from './support/hooks.js'
import { listen } from './support/listen.js'
import { answer } from './node-http.js'
import { createRouteControllers } from './routecontrollers.js'
import { createRoutes } from './support/routes.js'

export const start = async (options) => listen(await createApp(options))

/**
 * Express 5 or, with `version: 4`, 4.
 *
 * As its docs on production recommend: NODE_ENV is production (the harness sets it), X-Powered-By is off, and the body
 * parser stands at the routes that need it. `first` is what is mounted before everything else: `'bare'` or `'ours'`.
 */
export async function createApp({ version = 5, first, hooks, entry, ours, ...table }) {
  const { default: express } = await import(version === 4 ? 'express4' : 'express')
  const app = express()
  app.disable('x-powered-by')
  if (hooks) addHooks((hook) => app.use(hook))
  if (first === 'bare') app.use(answer)
  if (first === 'ours') app.use((await createRouteControllers(entry, { ...table, ...ours })).middleware())

  const handlers = {
    hello: [(req, res) => res.json({ message: 'Hello' })],
    user: [(req, res) => res.json({ id: req.params.id })],
    echo: [express.json(), (req, res) => res.json(req.body)],
  }
  for (const { method, path, kind } of createRoutes(table)) app[method.toLowerCase()](path, ...handlers[kind])
  return app
}

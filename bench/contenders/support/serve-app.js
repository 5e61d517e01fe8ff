import { createServer } from 'node:http'
import { listen } from './listen.js'

/**
 * Serves an Express app and resolves with the port: as it is, with `'createServer'` on classes of its own, or with `'in front'` behind the
 * Controllers that `toControllers` makes of it. `entry` is the URL of the built package.
 */
export async function serveApp(app, way, entry) {
  if (way === 'as it is') return listen(createServer(app))
  const ours = await import(new URL('./express/index.js', entry))
  if (way === 'createServer') return listen(ours.createServer(app))
  const { RouteControllers, Server } = await import(entry)
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: new RouteControllers(ours.toControllers(app).controllers, {
      profile: ours.fromApp(app),
    }),
    fallback: app,
  })
  return server.getPort()
}

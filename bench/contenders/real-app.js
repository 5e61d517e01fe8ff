import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { listen } from './support/listen.js'
import { apps } from './support/real-apps.js'

/** An application of npm as it is, with `way: 'createServer'` on classes of its own, or with `'in front'` behind the Controllers of `toControllers`. */
export async function start({ entry, folder, app: name, way }) {
  const app = await apps[name].start(createRequire(join(folder, 'package.json')))
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

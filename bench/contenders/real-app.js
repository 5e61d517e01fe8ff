import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An application of npm as it is, with `way: 'createServer'` on classes of its own, or with `'in front'` behind the Controllers of `toControllers`. */
export async function start({ entry, folder, app: name, way }) {
  const { app, ready } = await apps[name](createRequire(join(folder, 'package.json')))
  const {
    createServer: createAppServer,
    fromApp,
    toControllers,
  } = await import(new URL('./express/index.js', entry))
  if (way !== 'in front') {
    const server = (way === 'createServer' ? createAppServer : createServer)(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await ready()
    return server.address().port
  }
  await ready()
  const { RouteControllers, Server } = await import(entry)
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) }),
    fallback: app,
  })
  return server.getPort()
}

const apps = {
  'json-server'(require) {
    const jsonServer = require('json-server')
    const app = jsonServer.create()
    app.use(jsonServer.defaults({ logger: false, static: mkdtempSync(join(tmpdir(), 'json-server-')) }))
    app.use(jsonServer.router({ teas: [{ id: 1, name: 'Sencha' }] }))
    return { app, ready: async () => {} }
  },

  async verdaccio(require) {
    const folder = mkdtempSync(join(tmpdir(), 'verdaccio-'))
    // Else the answer has the port.
    process.env.VERDACCIO_PUBLIC_URL = 'http://registry.example'
    const ownServer = await require('verdaccio').runServer({
      self_path: folder,
      storage: folder,
      uplinks: {},
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      packages: { '**': { access: '$all', publish: '$all' } },
      web: { enable: false },
      log: { type: 'file', path: join(folder, 'log'), format: 'json', level: 'fatal' },
    })
    const [app] = ownServer.listeners('request')
    await publish(app)
    return { app, ready: async () => {} }
  },

  'node-red'(require) {
    const RED = require('node-red')
    const app = require('express')()
    RED.init(createServer(), {
      httpAdminRoot: '/editor',
      httpNodeRoot: '/api',
      userDir: mkdtempSync(join(tmpdir(), 'node-red-')),
      logging: { console: { level: 'error' } },
      telemetry: { enabled: false },
      externalModules: { palette: { allowInstall: false }, autoInstall: false },
    })
    app.use('/editor', RED.httpAdmin)
    app.use('/api', RED.httpNode)
    const ready = async () => {
      await RED.start()
      await new Promise((resolve) => RED.runtime.events.once('flows:started', resolve))
      const started = new Promise((resolve) => RED.runtime.events.once('flows:started', resolve))
      await RED.runtime.flows.setFlows({ flows: { flows: flow } })
      await started
    }
    return { app, ready }
  },
}

/** Publishes a package to verdaccio. */
async function publish(app) {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/sencha`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      _id: 'sencha',
      name: 'sencha',
      'dist-tags': { latest: '1.0.0' },
      versions: {
        '1.0.0': {
          name: 'sencha',
          version: '1.0.0',
          dist: { tarball: 'http://x/sencha/-/sencha-1.0.0.tgz' },
        },
      },
      _attachments: {
        'sencha-1.0.0.tgz': { content_type: 'application/octet-stream', data: 'eA==', length: 1 },
      },
    }),
  })
  if (!answer.ok) throw new Error(`verdaccio: ${answer.status} ${await answer.text()}`)
  server.close()
  server.closeAllConnections()
}

/** GET /teas/:id of node-red. */
const flow = [
  { id: 't', type: 'tab', label: 'teas' },
  { id: 'i', type: 'http in', z: 't', url: '/teas/:id', method: 'get', wires: [['f']] },
  {
    id: 'f',
    type: 'function',
    z: 't',
    func: 'msg.payload = { id: msg.req.params.id, name: "Sencha" }; return msg',
    outputs: 1,
    wires: [['o']],
  },
  { id: 'o', type: 'http response', z: 't', wires: [] },
]

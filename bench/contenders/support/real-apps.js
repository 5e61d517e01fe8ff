import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tea = { id: 1, name: 'Sencha' }
const tag = '"1.0.0"'
const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'brew', arguments: { minutes: 3 } },
}
const query = '{ tea(id: 1) { id name } }'

/**
 * Applications of npm: the packages to install, the requests to measure, and how to make the app.
 *
 * A request can be repeated for ever: it makes nothing grow. Of its answer, what matches `anew` is another one each time.
 *
 * @type {Record<string, {
 *   packages: string[],
 *   requests: { method: string, path: string, headers?: Record<string, string>, body?: string, anew?: string }[],
 *   start: (require: NodeRequire) => unknown,
 * }>}
 */
export const apps = {
  'json-server': {
    packages: ['json-server@0.17.4'],
    requests: [
      { method: 'GET', path: '/teas/1' },
      { method: 'PUT', path: '/teas/1', body: JSON.stringify(tea) },
    ],
    start(require) {
      const jsonServer = require('json-server')
      const app = jsonServer.create()
      app.use(jsonServer.defaults({ logger: false, static: makeFolder('json-server') }))
      app.use(jsonServer.router({ teas: [tea] }))
      return app
    },
  },

  verdaccio: {
    packages: ['verdaccio@6.8.0'],
    requests: [
      { method: 'GET', path: '/sencha/1.0.0' },
      { method: 'PUT', path: '/-/package/sencha/dist-tags/latest', body: tag },
    ],
    async start(require) {
      const folder = makeFolder('verdaccio')
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
      await put(app, '/sencha', {
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
      })
      return app
    },
  },

  'node-red': {
    packages: ['node-red@4.1.1', 'express@4.22.1'],
    requests: [
      { method: 'GET', path: '/api/teas/1' },
      { method: 'POST', path: '/api/teas', body: JSON.stringify(tea) },
    ],
    async start(require) {
      const RED = require('node-red')
      const app = require('express')()
      RED.init(createServer(), {
        httpAdminRoot: '/editor',
        httpNodeRoot: '/api',
        userDir: makeFolder('node-red'),
        logging: { console: { level: 'error' } },
        telemetry: { enabled: false },
        externalModules: { palette: { allowInstall: false }, autoInstall: false },
      })
      app.use('/editor', RED.httpAdmin)
      app.use('/api', RED.httpNode)
      await RED.start()
      await once(RED.runtime.events, 'flows:started')
      const started = once(RED.runtime.events, 'flows:started')
      const flows = [
        { id: 't', type: 'tab', label: 'teas' },
        ...createFlow(
          'get',
          '/teas/:id',
          'msg.payload = { id: msg.req.params.id, name: "Sencha" }; return msg',
        ),
        ...createFlow('post', '/teas', 'return msg'),
      ]
      await RED.runtime.flows.setFlows({ flows: { flows } })
      await started
      return app
    },
  },

  peer: {
    packages: ['peer@1.0.2'],
    // It has no POST.
    requests: [{ method: 'GET', path: '/peerjs/id', anew: '^[0-9a-f-]{36}$' }],
    start(require) {
      const { PeerServer } = require('peer')
      return new Promise((resolve) => {
        PeerServer({ port: 0, host: '127.0.0.1' }, (ownServer) => resolve(ownServer.listeners('request')[0]))
      })
    },
  },

  nest: {
    packages: [
      ...['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@12.5.1`),
      'reflect-metadata@0.2.2',
      'rxjs@7.8.2',
    ],
    requests: [
      { method: 'GET', path: '/teas/1' },
      { method: 'POST', path: '/teas', body: JSON.stringify(tea) },
    ],
    async start(require) {
      require('reflect-metadata')
      const { Body, Controller, Get, Module, Param, Post } = require('@nestjs/common')
      const { NestFactory } = require('@nestjs/core')
      class Teas {
        find(id) {
          return { ...tea, id }
        }
        add(body) {
          return body
        }
      }
      // What TypeScript makes of decorators.
      const { prototype } = Teas
      Controller('teas')(Teas)
      Get(':id')(prototype, 'find', Object.getOwnPropertyDescriptor(prototype, 'find'))
      Param('id')(prototype, 'find', 0)
      Post()(prototype, 'add', Object.getOwnPropertyDescriptor(prototype, 'add'))
      Body()(prototype, 'add', 0)
      class Main {}
      Module({ controllers: [Teas] })(Main)
      const nest = await NestFactory.create(Main, { logger: false })
      await nest.init()
      return nest.getHttpAdapter().getInstance()
    },
  },

  feathers: {
    packages: ['feathers', 'express', 'memory'].map((name) => `@feathersjs/${name}@5.0.50`),
    requests: [
      { method: 'GET', path: '/teas/1' },
      { method: 'PUT', path: '/teas/1', body: JSON.stringify(tea) },
    ],
    async start(require) {
      const { feathers } = require('@feathersjs/feathers')
      const { default: express, json, rest } = require('@feathersjs/express')
      const { memory } = require('@feathersjs/memory')
      const app = express(feathers())
      app.use(json())
      app.configure(rest())
      app.use('teas', memory({ store: { 1: tea }, startId: 2 }))
      await app.setup()
      return app
    },
  },

  apollo: {
    packages: ['@apollo/server@5.5.1', '@as-integrations/express5@1.1.2', 'express@5.3.0', 'graphql@16.15.0'],
    requests: [
      {
        method: 'GET',
        path: `/graphql?query=${encodeURIComponent(query)}`,
        // Else it takes the request for one of another site.
        headers: { 'Apollo-Require-Preflight': 'true' },
      },
      { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) },
    ],
    async start(require) {
      const express = require('express')
      const { ApolloServer } = require('@apollo/server')
      const { expressMiddleware } = require('@as-integrations/express5')
      const server = new ApolloServer({
        typeDefs: 'type Tea { id: ID, name: String } type Query { tea(id: ID): Tea }',
        resolvers: { Query: { tea: (_, { id }) => ({ ...tea, id }) } },
      })
      await server.start()
      const app = express()
      app.use('/graphql', express.json(), expressMiddleware(server))
      return app
    },
  },

  pouchdb: {
    packages: [
      'express-pouchdb@4.2.0',
      'express@4.22.1',
      'pouchdb-adapter-memory@9.0.0',
      'pouchdb-core@9.0.0',
    ],
    requests: [
      { method: 'GET', path: '/teas/sencha' },
      { method: 'POST', path: '/teas/_all_docs', body: JSON.stringify({ keys: ['sencha'] }) },
    ],
    async start(require) {
      const PouchDB = require('pouchdb-core')
        .plugin(require('pouchdb-adapter-memory'))
        .defaults({ adapter: 'memory' })
      const app = require('express')()
      app.use(require('express-pouchdb')(PouchDB, { mode: 'minimumForPouchDB' }))
      await put(app, '/teas')
      await put(app, '/teas/sencha', { name: 'Sencha' })
      return app
    },
  },

  mcp: {
    packages: ['@modelcontextprotocol/sdk@1.32.2', 'zod@4'],
    // A GET of it opens a stream of events.
    requests: [
      {
        method: 'POST',
        path: '/mcp',
        headers: { Accept: 'application/json, text/event-stream' },
        body: JSON.stringify(call),
      },
    ],
    start(require) {
      const { createMcpExpressApp } = require('@modelcontextprotocol/sdk/server/express.js')
      const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js')
      const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js')
      const { z } = require('zod')
      const app = createMcpExpressApp()
      // A server for each request, as the SDK's example without sessions has it.
      app.post('/mcp', async (req, res) => {
        const server = new McpServer({ name: 'teas', version: '1.0.0' })
        server.registerTool('brew', { inputSchema: { minutes: z.number() } }, ({ minutes }) => ({
          content: [{ type: 'text', text: `Sencha, ${minutes} minutes` }],
        }))
        const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
        res.on('close', () => server.close())
        await server.connect(transport)
        await transport.handleRequest(req, res, req.body)
      })
      return app
    },
  },
}

const makeFolder = (name) => mkdtempSync(join(tmpdir(), `${name}-`))

/** Sends what has to be there before the app is measured. */
async function put(app, path, body) {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`)
  server.close()
  server.closeAllConnections()
}

/** Nodes of node-red that answer a request by a function. */
function createFlow(method, url, func) {
  const node = (type, next, more) => ({
    id: `${method} ${type}`,
    type,
    z: 't',
    wires: next === undefined ? [] : [[`${method} ${next}`]],
    ...more,
  })
  return [
    node('http in', 'function', { url, method }),
    node('function', 'http response', { func, outputs: 1 }),
    node('http response'),
  ]
}

// A server with workers whose routes are switched by a file. Each worker tells the process that was started first what it follows.
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { fileStore, memoryStore, migration } from '@routecontrollers/switch'

const [file = ''] = process.argv.slice(2)

// A test that has started it may end before it can say so.
if (cluster.isPrimary) process.on('disconnect', () => process.exit())

const say = (what: object): void => void process.send!({ pid: process.pid, ...what })
if (cluster.isPrimary) {
  cluster.on('message', (_worker, said: object) => void ('pid' in said && process.send!(said)))
}

const warn = (message: string): void => {
  if (cluster.isWorker) say({ warned: message })
}
const switching = migration({
  legacy: createServer((_req, res) => void res.end(`legacy ${process.pid}`)),
  routeControllers: new RouteControllers([new Controller('GET', '/who', () => `native ${process.pid}`)]),
  store: file === '' ? memoryStore() : fileStore({ file }),
  logger: { info: () => {}, warn, error: () => {} },
})
await switching.ready
switching.on('change', ({ to }) => {
  if (cluster.isWorker) say({ to, at: Date.now() })
})
const server = new Server()
await server.start({ port: 0, host: '127.0.0.1', workers: 4, ...switching.serverOptions })
if (cluster.isPrimary) {
  say({ port: server.getPort() })
  process.on('message', () => void server.stop({ graceMs: 0 }).then(() => process.exit()))
}

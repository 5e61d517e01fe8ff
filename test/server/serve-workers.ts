// A server with workers, in processes of its own. What each says goes to the test by way of the process started first.
import cluster from 'node:cluster'
import { EventEmitter } from 'node:events'
import { createServer } from 'node:net'
import {
  Controller,
  isRouteControllersError,
  RouteControllers,
  Server,
  type ServerOptions,
} from 'routecontrollers'

const [options = '{}', behaviour = ''] = process.argv.slice(2)

const exit = (): void => process.exit()
// A test that started it may end before it can say so.
if (cluster.isPrimary) process.on('disconnect', exit)

// From here on only the server may keep the process.
const letGo = (): void => process.off('disconnect', exit).disconnect()

const say = (what: object): void => {
  process.send!({ pid: process.pid, ...what })
}
if (cluster.isPrimary)
  cluster.on('message', (_worker, said: object) => void ('pid' in said && process.send!(said)))
else if (behaviour === 'die at once') process.exit(7)
else if (behaviour === 'die the first time' && cluster.worker!.id === 1) process.exit(7)

/** Workers that only pretend, of which the first one listens, and that die at once. No time passes between them. */
function forkMortals(): void {
  const { setTimeout: later } = globalThis
  globalThis.setTimeout = ((run: () => void) => later(run, 0)) as typeof setTimeout
  let isFirst = true
  cluster.fork = () => {
    const worker = Object.assign(new EventEmitter(), { process: { pid: 7, kill() {} }, isDead: () => true })
    const address = { port: 80, address: '::', family: 'IPv6' }
    const messages = isFirst ? [{ routeControllers: 'listening', address }] : []
    isFirst = false
    setImmediate(() => {
      for (const message of messages) worker.emit('message', message)
      setImmediate(() => worker.emit('exit', 9, null))
    })
    return worker as never
  }
}
if (behaviour === 'die in service') forkMortals()

/** Another server takes the port that was picked before the worker listens. */
function losePort(): void {
  const fork = cluster.fork.bind(cluster)
  cluster.fork = (environment: { ROUTECONTROLLERS_PORT: string }) => {
    if (behaviour === 'lose the first port') cluster.fork = fork
    const port = Number(environment.ROUTECONTROLLERS_PORT)
    createServer().listen(port, '127.0.0.1').unref()
    say({ lost: port })
    return fork(environment)
  }
}
if (cluster.isPrimary && behaviour.startsWith('lose')) losePort()

let release = (): void => {}
const released = new Promise<void>((resolve) => (release = resolve))

const server = new Server()
try {
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers: new RouteControllers([
      new Controller('GET', '/pid', () => String(process.pid)),
      new Controller('GET', '/slow', async () => {
        say({ arrived: true })
        await released
        return 'slow'
      }),
      new Controller('GET', '/crash', () => {
        setImmediate(() => process.exit(9))
        return 'soon'
      }),
    ]),
    logger: {
      info: () => {},
      warn: () => {},
      error: (message) => say({ logged: message }),
    },
    ...(JSON.parse(options) as Partial<ServerOptions>),
  })
} catch (error) {
  if (!isRouteControllersError(error)) throw error
  say({ refused: error.code, message: error.message, first: cluster.isPrimary })
  process.disconnect?.()
}

if (server.isReady) {
  say({
    listens: cluster.isPrimary ? 'first' : 'worker',
    port: server.getPort(),
    url: server.getURL(),
    hasNodeServer: server.nodeServer !== undefined,
  })
}
if (cluster.isPrimary) {
  process.on('message', (said: { stop?: object; again?: boolean; release?: boolean; letGo?: boolean }) => {
    if (said.release) for (const worker of Object.values(cluster.workers!)) worker!.send('release')
    if (said.again) {
      new Server()
        .start({ port: 0, workers: 1, routeControllers: new RouteControllers([]) })
        .catch((error: { code: string }) => say({ again: error.code }))
    }
    if (said.letGo) letGo()
    if (said.stop) {
      void server.stop(said.stop).then(() => {
        say({ stopped: Object.keys(cluster.workers!).length, isReady: server.isReady })
        letGo()
      })
      say({ stopping: server.isReady })
    }
  })
} else {
  process.on('message', (said) => {
    if (said === 'release') release()
  })
}

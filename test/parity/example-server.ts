// One example of Express, served by itself or through toControllers; examples.ts starts it in a process of its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import type { Express } from 'express'
import { RouteControllers, Server } from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import { serveParent } from '../hard/child.js'
import type { Side } from './examples.js'

const [directory, side] = process.argv.slice(2) as [string, Side]
const host = '127.0.0.1'

// A stack names places in files, which differ.
Error.stackTraceLimit = 0

const require = createRequire(`${directory}/index.js`)
const exported = require(directory) as unknown
// Some export nothing; the first app that they make is the one.
const app =
  typeof exported === 'function' ? (exported as Express) : (require('../..') as { made: Express[] }).made[0]!
const { controllers, left } = toControllers(app, { middleware: true })
const paths = controllers.map((controller) => controller.getPath())

serveParent(side === 'Express' ? await listenAlone() : await listenAsControllers(), () => ({ paths, left }))

async function listenAlone(): Promise<number> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

async function listenAsControllers(): Promise<number> {
  const routeControllers = new RouteControllers(controllers, {
    profile: fromApp(app),
    logger: { info() {}, warn() {}, error() {} },
  })
  const server = new Server()
  await server.start({ port: 0, host, routeControllers })
  return server.getPort()
}

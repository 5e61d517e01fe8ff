import { createServer, type Server as HttpServer } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import { Controller, type Logger, RouteControllers, Server } from 'routecontrollers'
import * as profiles from 'routecontrollers/express'
import { expressPath, fromExpress } from 'routecontrollers/express'
import { makeHandler, makeParamCallback, type Trace } from './handlers.js'
import type { ServingName } from '../support/describe-servings.js'
import type { Table } from './tables.js'

/**
 * How RouteControllers serves a table, as describeServings has it, around either Express; the legacy side is an app, or inside one a Router at
 * the same place.
 */
export type Way = ServingName extends infer Name
  ? Name extends `${infer Place extends 'inside' | 'in front'}${' of' | ''} Express ${number}`
    ? Place
    : Name
  : never

/** The host that stands around RouteControllers or behind them. */
const hosts: Readonly<Record<Way, 'around' | 'behind' | undefined>> = {
  standalone: undefined,
  'in front': 'behind',
  inside: 'around',
  web: undefined,
}
export const ways: readonly Way[] = Object.keys(hosts) as Way[]

export interface Side {
  readonly server: HttpServer
  readonly trace: Trace
  readonly routeControllers?: RouteControllers
  readonly close: () => Promise<void>
}

const silent: Logger = { info() {}, warn() {}, error() {} }

function libraryOf({ version }: Table): any {
  return version === 4 ? express4 : express5
}

function createApp(table: Table): any {
  const app = libraryOf(table)()
  for (const [name, value] of Object.entries(table.settings)) app.set(name, value)
  app.set('strict routing', table.strict)
  app.set('case sensitive routing', table.caseSensitive)
  return app
}

function addHooks(target: any, table: Table, trace: Trace): void {
  if (table.parsesJson) target.use(libraryOf(table).json())
  table.hooks.forEach(({ path, act }, at) =>
    target.use(...(path === undefined ? [] : [path]), makeHandler(act, `hook${at}`, trace)),
  )
}

function addRoutes(target: any, { routes, params }: Table, trace: Trace): void {
  for (const name of params) target.param(name, makeParamCallback(name, trace))
  routes.forEach(({ method, path, acts }, at) => {
    const handlers = acts.map((act, step) => makeHandler(act, `route${at}.${step}`, trace))
    target[method === '*' ? 'all' : method.toLowerCase()](path, handlers)
  })
}

function addErrorHooks(target: any, { errorHooks }: Table, trace: Trace): void {
  errorHooks.forEach(({ act }, at) => target.use(makeHandler(act, `error${at}`, trace)))
}

function addTail(app: any, trace: Trace): void {
  app.get('/a/:id', (req: any, res: any) => {
    trace.push('tail')
    res.json({ tail: req.params, baseUrl: req.baseUrl, url: req.url })
  })
}

// Only inside Express do its error handlers see what a Controller throws.
function addTailForErrors(app: any, trace: Trace): void {
  app.use((_error: any, _req: any, res: any, _next: any) => {
    trace.push('tail error')
    res.status(599).send('tail')
  })
}

function toRouteControllers(table: Table, trace: Trace, withHooks: boolean): RouteControllers {
  const controllers = table.routes.map(({ method, path, acts }, at) => {
    const handlers = acts.map((act, step) => makeHandler(act, `route${at}.${step}`, trace))
    return new Controller(method, expressPath(path), fromExpress(...(handlers as any[])))
  })
  const params = Object.fromEntries(table.params.map((name) => [name, makeParamCallback(name, trace)]))
  const { settings, strict, caseSensitive } = table
  const profile = profiles[`express${table.version}`]({
    express: libraryOf(table),
    settings,
    strict,
    caseSensitive,
    params,
  })
  const routeControllers = new RouteControllers(controllers, { profile, logger: silent })
  // A Router runs its middleware for requests that none of its routes answers.
  const target = {
    use: (...parameters: any[]) => routeControllers.addGlobal(...(parameters as [any]), { scope: 'every' }),
  }
  if (withHooks) addHooks(target, table, trace)
  addErrorHooks(target, table, trace)
  return routeControllers
}

async function toSide(trace: Trace, app: any): Promise<Side> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, trace, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

async function toOwnSide(routeControllers: RouteControllers, trace: Trace, fallback?: any): Promise<Side> {
  const server = new Server()
  await server.start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    ...(fallback && { fallback }),
  })
  return { server: server.nodeServer!, trace, routeControllers, close: () => server.stop() }
}

/** The table in Express: an app of its own or, where something stands behind, a Router of one. */
export function serveLegacy(table: Table, way: Way, mount: string): Promise<Side> {
  const trace: Trace = []
  const app = createApp(table)
  const { strict, caseSensitive } = table
  const isApp = hosts[way] === undefined
  const target = isApp ? app : libraryOf(table).Router({ strict, caseSensitive })
  if (hosts[way] !== 'behind') addHooks(target, table, trace)
  addRoutes(target, table, trace)
  addErrorHooks(target, table, trace)
  if (!isApp) {
    app.use(mount, target)
    addTail(app, trace)
  }
  if (hosts[way] === 'around') addTailForErrors(app, trace)
  return toSide(trace, app)
}

/** The same table as Controllers. */
export function serveOurs(table: Table, way: Way, mount: string): Promise<Side> {
  const trace: Trace = []
  const routeControllers = toRouteControllers(table, trace, hosts[way] !== 'behind')
  if (hosts[way] === undefined) return toOwnSide(routeControllers, trace)
  const app = createApp(table)
  if (hosts[way] === 'around') app.use(mount, routeControllers.middleware())
  addTail(app, trace)
  if (hosts[way] === 'behind') return toOwnSide(routeControllers, trace, app)
  addTailForErrors(app, trace)
  return toSide(trace, app)
}

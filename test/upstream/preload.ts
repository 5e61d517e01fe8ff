// Loaded before the tests of another project, in their process: an Express app that is given to `http.createServer` is served in the way
// that UPSTREAM_WAY names. Supertest and `app.listen` come here too.
import http from 'node:http'
import type { NodeHandler } from 'routecontrollers'
import { isApp } from '../../src/express/model/router.js'
import { servers, ways } from './ways.js'

const way = process.env['UPSTREAM_WAY']
const serve = ways[way as keyof typeof ways]
const makeServer = servers[way as keyof typeof servers]
const { createServer } = http
const hosts = new WeakMap<object, NodeHandler>()

http.createServer = (...parameters: unknown[]) => {
  const app = parameters.at(-1)
  if (isApp(app) && makeServer !== undefined) return makeServer(app as never)
  if (isApp(app)) {
    // Tests go on to register routes: the app is read when the first request is there.
    const listener: NodeHandler = (req, res) => {
      const host = hosts.get(app) ?? serve(app as never)
      hosts.set(app, host)
      return host(req, res)
    }
    parameters[parameters.length - 1] = listener
  }
  return createServer(...(parameters as []))
}

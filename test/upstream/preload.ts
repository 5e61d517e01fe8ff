// Loaded before the tests of another project, in their process: an Express app that is given to `http.createServer` is served in the way
// that UPSTREAM_WAY names. Supertest and `app.listen` come here too.
import http from 'node:http'
import type { NodeHandler } from 'routecontrollers'
import { isApp } from '../../src/express/model/router.js'
import { type Way, ways } from './ways.js'

const serve = ways[process.env['UPSTREAM_WAY'] as Way]
const { createServer } = http
const hosts = new WeakMap<object, NodeHandler>()

http.createServer = (...parameters: unknown[]) => {
  const app = parameters.at(-1)
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

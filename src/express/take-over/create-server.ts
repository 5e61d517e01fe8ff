import type { Server as HttpServer, ServerOptions } from 'node:http'
import { builtin } from '../../ground/builtin.js'
import { isOptions, nameType } from '../../ground/options.js'
import type { NodeHandler } from '../../ground/types.js'
import { classesOf } from '../members/app-classes.js'
import { invalid, isApp } from '../model/router.js'

/** Options of `http.createServer`, but for the classes, which are those of the app. */
export type AppServerOptions = Omit<ServerOptions, 'IncomingMessage' | 'ServerResponse'>

/** What `http.createServer` would take without a word, and leave undone. */
const remedies: Readonly<Record<string, string>> = {
  IncomingMessage: 'the class is that of the app: put members on app.request',
  ServerResponse: 'the class is that of the app: put members on app.response',
  ...Object.fromEntries(
    ['http2', 'allowHTTP1', 'tls', 'key', 'cert', 'pfx'].map((name) => [
      name,
      'it makes a server of node:http: for TLS and HTTP/2 use Server with { tls, http2, fallback: app }',
    ]),
  ),
}

/**
 * Node's server for an app of Express 4 or 5, in the place of `http.createServer(app)` and `app.listen()`: the same answers, with
 * less work for each request.
 *
 * The requests and responses are of classes of the app, so that Express need not change the prototypes of each of them. While
 * `res.json` and all that it calls is Express's own, a shorter one sends the same bytes. `app.request` and `app.response` are other
 * objects from then on, with the same members. Call it before you keep a reference to them. Throws ERR_OPTION_INVALID for what is no
 * app, and for options of another server, and ERR_EXPRESS_VERSION for an app of a version that is not known.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createServer } from 'routecontrollers/express'
 *
 * const app = express().get('/teas', (req, res) => void res.json(['Assam']))
 * const server = createServer(app).listen(0, () => server.close())
 * ```
 */
export function createServer(app: NodeHandler, options: AppServerOptions = {}): HttpServer {
  if (!isApp(app)) throw invalid(`createServer takes an app of Express 4 or 5, not ${nameType(app)}`)
  if (!isOptions(options)) throw invalid(`createServer takes an object of options, not ${nameType(options)}`)
  for (const [name, remedy] of Object.entries(remedies)) {
    if ((options as Record<string, unknown>)[name] !== undefined) {
      throw invalid(`createServer has no option ${JSON.stringify(name)}; ${remedy}`)
    }
  }
  // Not by `http.createServer`: a program may have put this function in its place.
  const { Server } = builtin('node:http', 'createServer')
  return new Server({ ...options, ...classesOf(app) }, app)
}

// Serves the apps of apps.cjs in one way, and prints the port of each: node serve.mjs Server. It ends with its input.
import { createServer } from 'node:http'
import * as core from 'routecontrollers'
import made from './apps.cjs'
import { playLambda, toServerless } from './functions.mjs'
import { packages } from './packages.mjs'
import web from './web.cjs'

const host = '127.0.0.1'

async function onNode(listener) {
  const server = createServer(listener)
  await new Promise((resolve) => server.listen(0, host, resolve))
  return server.address().port
}

/** Each takes RouteControllers, and resolves with the port that they answer at. */
const ways = {
  async Server(routeControllers) {
    const server = new core.Server()
    // On Bun and Deno a line says why node:http serves.
    const logger = { info() {}, warn: console.warn, error: console.error }
    await server.start({ port: 0, host, routeControllers, logger })
    return server.getPort()
  },
  async 'Server, node:http'(routeControllers) {
    const server = new core.Server()
    await server.start({ port: 0, host, routeControllers, lane: 'node:http' })
    return server.getPort()
  },
  'http.createServer': (routeControllers) => onNode(routeControllers.middleware()),
  getCallback(routeControllers) {
    const fetchHandler = routeControllers.getCallback()
    return onNode(async (req, res) => {
      const ip = req.socket.remoteAddress
      await web.writeResponse(res, await fetchHandler(web.toRequest(req, res), core.platform({ ip })))
    })
  },
  async '@hono/node-server'(routeControllers) {
    const { serve } = await import('@hono/node-server')
    const fetchHandler = routeControllers.getCallback()
    const fetch = (request, { incoming }) =>
      fetchHandler(request, core.platform({ ip: incoming.socket.remoteAddress }))
    return new Promise((resolve) => serve({ fetch, port: 0, hostname: host }, ({ port }) => resolve(port)))
  },
  async 'Bun.serve'(routeControllers) {
    const { toBun } = await import('routecontrollers/bun')
    return Bun.serve({ port: 0, hostname: host, ...toBun(routeControllers) }).port
  },
  async 'Deno.serve'(routeControllers) {
    const { toDeno } = await import('routecontrollers/deno')
    return Deno.serve({ port: 0, hostname: host, onListen() {} }, toDeno(routeControllers).fetch).addr.port
  },
  async 'Lambda 2.0'(routeControllers) {
    const { toLambda } = await import('routecontrollers/lambda')
    return onNode(playLambda(toLambda(routeControllers), '2.0'))
  },
  async 'Lambda 1.0'(routeControllers) {
    const { toLambda } = await import('routecontrollers/lambda')
    return onNode(playLambda(toLambda(routeControllers), '1.0'))
  },
  async 'Lambda, streams'(routeControllers) {
    const from = (stream, { statusCode, headers, cookies }) => {
      stream.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { 'Set-Cookie': cookies }) })
      stream.write(new Uint8Array())
      return stream
    }
    globalThis.awslambda ??= { streamifyResponse: (handler) => handler, HttpResponseStream: { from } }
    const { toLambdaStream } = await import('routecontrollers/lambda')
    return onNode(playLambda(toLambdaStream(routeControllers), 'streams'))
  },
  async 'serverless-http'(routeControllers) {
    return onNode(playLambda(await toServerless(core.toListener(routeControllers.getCallback())), '2.0'))
  },
}

const ports = {}
for (const [name, create] of Object.entries(made.apps)) {
  ports[name] = await ways[process.argv[2]](create(core, packages))
}
const { bun, deno, node } = process.versions
console.log(JSON.stringify({ version: bun ?? deno ?? node, ports }))
process.stdin.on('end', () => process.exit()).resume()

import { createServer, request as httpRequest, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5, { type Express } from 'express'
import express4 from 'express4'
import {
  type AnyController,
  type NodeHandler,
  RouteControllers,
  type RouteControllersOptions,
  Server,
} from 'routecontrollers'
import { isWhole } from './counts.js'
import { isForSupertest, sendBySupertest, toThisMachine } from './send-by-supertest.js'

/** An answer as a client has received it. */
export interface Received {
  status: number
  statusText: string
  /** Names in lower case; several lines of one name are joined with `, `, but for Set-Cookie. */
  headers: Record<string, string>
  cookies: string[]
  body: Buffer
  text: string
  json(): any
}

export interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Sends the body in one-byte chunks and without Content-Length. */
  chunked?: boolean
}

export interface Served {
  routeControllers: RouteControllers
  /** Sends a request with exactly this target. */
  send: (target: string, options?: SendOptions) => Promise<Received>
  /** Where it listens; undefined for the web serving, which has no socket. */
  port: number | undefined
  /** The lines that were logged, each with its level. */
  logged: string[]
}

export interface ServeOptions extends RouteControllersOptions {
  /** Called with the RouteControllers before the first request: for `addGlobal`, `addHeader`, … */
  setup?: (routeControllers: RouteControllers) => void
  /** Called with the Express app before `middleware()` is mounted, in the servings inside Express. */
  upstream?: (app: Express) => void
  /** Called with the Express app after `middleware()` is mounted, or with the one behind, where there is an Express. */
  downstream?: (app: Express) => void
}

/** The ways of serving, each by the runtime and the host around it. */
export type ServingName =
  'web' | 'standalone' | 'in front of Express 5' | 'inside Express 5' | 'inside Express 4'

export interface Serving {
  name: ServingName
  /** Who answers what no controller matches. */
  misses: 'us' | 'host'
  /** Who answers what a controller throws. */
  errors: 'us' | 'host'
  /** True where requests come over a socket, with exactly the target that the client sent. */
  onNode: boolean
  serve: (controllers: readonly AnyController[], options?: ServeOptions) => Promise<Served>
}

type Transport = (
  routeControllers: RouteControllers,
  options: ServeOptions,
) => Promise<{ send: Served['send']; port: number | undefined; close: () => Promise<void> }>

const open: (() => Promise<void>)[] = []

type Traits = Omit<Serving, 'name' | 'serve'>

function serving(name: ServingName, [traits, transport]: readonly [Traits, Transport]): Serving {
  return {
    name,
    ...traits,
    async serve(controllers, { setup, upstream, downstream, ...options } = {}) {
      const logged: string[] = []
      const logger = {
        info: (message: string) => void logged.push(`info ${message}`),
        warn: (message: string) => void logged.push(`warn ${message}`),
        error: (message: string) => void logged.push(`error ${message}`),
      }
      const routeControllers = new RouteControllers(controllers, { logger, ...options })
      setup?.(routeControllers)
      const { send, port, close } = await transport(routeControllers, {
        ...(upstream && { upstream }),
        ...(downstream && { downstream }),
      })
      open.push(close)
      return { routeControllers, send, port, logged }
    },
  }
}

const web: Transport = async (routeControllers) => ({
  port: undefined,
  close: async () => {},
  async send(target, { method = 'GET', headers = {}, body, chunked } = {}) {
    const response = await routeControllers.getCallback()(
      new Request(`http://test${target}`, {
        method,
        headers,
        ...(body !== undefined && { body: chunked ? inChunks(body) : new Uint8Array(Buffer.from(body)) }),
        ...(chunked && { duplex: 'half' }),
      }),
    )
    const fields: Record<string, string> = {}
    for (const [name, value] of response.headers) if (name !== 'set-cookie') fields[name] = value
    return received(response.status, response.statusText, fields, response.headers.getSetCookie(), [
      Buffer.from(await response.arrayBuffer()),
    ])
  },
})

function inChunks(body: string | Buffer): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(body)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at === bytes.length) controller.close()
      else controller.enqueue(new Uint8Array(bytes.subarray(at, ++at)))
    },
  })
}

/** Sends one request on a connection of its own: by supertest, or over a socket what supertest would send in another way. */
export function sendTo(port: number): Served['send'] {
  return async (target, options = {}) => {
    if (!isForSupertest(target, options)) return sendBySocket(port, target, options)
    const { answer, statusText, body } = await sendBySupertest(port, target, options)
    const { 'set-cookie': cookies = [], ...headers } = answer.headers
    return received(answer.status, statusText, headers, [cookies].flat(), [body])
  }
}

function sendBySocket(
  port: number,
  target: string,
  { method = 'GET', headers = {}, body, chunked }: SendOptions,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body !== undefined && !chunked ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const outgoing = httpRequest({
      port,
      method,
      path: target,
      agent: false,
      lookup: toThisMachine,
      headers: { ...length, ...headers },
    })
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const { 'set-cookie': cookies = [], ...fields } = incoming.headers
        resolve(
          received(
            incoming.statusCode!,
            incoming.statusMessage!,
            fields as Record<string, string>,
            cookies,
            chunks,
          ),
        )
      })
    })
    outgoing.on('error', reject)
    if (body !== undefined && chunked) for (const byte of Buffer.from(body)) outgoing.write(Buffer.of(byte))
    else if (body !== undefined) outgoing.write(body)
    outgoing.end()
  })
}

function received(
  status: number,
  statusText: string,
  headers: Record<string, string>,
  cookies: string[],
  chunks: Buffer[],
): Received {
  const body = Buffer.concat(chunks)
  const text = body.toString()
  return { status, statusText, headers, cookies, body, text, json: () => JSON.parse(text) }
}

/** Listens on a free port of this machine alone. */
export async function listenOn(
  handler: NodeHandler,
): Promise<{ server: HttpServer; port: number; close: () => Promise<void> }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { server, port: (server.address() as AddressInfo).port, close }
}

const ownServer =
  (fallback?: () => Express): Transport =>
  async (routeControllers, { downstream }) => {
    const server = new Server()
    const app = fallback?.()
    if (app) downstream?.(app)
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers,
      ...(app && { fallback: app }),
    })
    return {
      port: server.getPort(),
      send: sendTo(server.getPort()),
      async close() {
        server.nodeServer?.closeAllConnections()
        await server.stop()
      },
    }
  }

const inside =
  (express: () => Express): Transport =>
  async (routeControllers, { upstream, downstream }) => {
    const app = express()
    upstream?.(app)
    app.use(routeControllers.middleware())
    downstream?.(app)
    const { port, close } = await listenOn(app)
    return { port, send: sendTo(port), close }
  }

/** In the order of how much of a host there is. */
const ways: Readonly<Record<ServingName, readonly [Traits, Transport]>> = {
  web: [{ misses: 'us', errors: 'us', onNode: false }, web],
  standalone: [{ misses: 'us', errors: 'us', onNode: true }, ownServer()],
  'in front of Express 5': [{ misses: 'host', errors: 'us', onNode: true }, ownServer(express5)],
  'inside Express 5': [{ misses: 'host', errors: 'host', onNode: true }, inside(express5)],
  'inside Express 4': [{ misses: 'host', errors: 'host', onNode: true }, inside(express4)],
}

/** Every way of serving. */
export const servings: readonly Serving[] = (Object.keys(ways) as ServingName[]).map((name) =>
  serving(name, ways[name]),
)

/** Which way over a socket a behaviour takes in the loop. Half of them run inside Express 5, which has the most of a host. */
const turns: readonly Serving['name'][] = [
  'inside Express 5',
  'standalone',
  'inside Express 5',
  'in front of Express 5',
  'inside Express 5',
  'inside Express 4',
]

/**
 * The servings that `only` leaves for what has this name. In the loop these are in memory, and one of those over a socket, which the name
 * decides. Where none is in memory, there are two: one where a host gets the errors, and one without. `npm run test:all` takes all.
 */
export function servingsOf(name: string, only: (serving: Serving) => boolean, all = servings): Serving[] {
  const some = all.filter(only)
  if (isWhole || some.length < 3) return some
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const order = turns.map((_, at) => turns[(sum + at) % turns.length]!)
  const chosen = order.flatMap((turn) => some.find((one) => one.name === turn) ?? [])
  const [first] = chosen
  // A host takes the errors: what happens without one is another branch.
  const other = some.some(({ onNode }) => !onNode)
    ? undefined
    : chosen.find(({ errors }) => errors !== first?.errors)
  return some.filter((one) => one === first || one === other || !turns.includes(one.name))
}

/**
 * Describes one behaviour in every way of serving. What is served within a test is closed after it.
 *
 * `only` names the servings where the behaviour has a meaning; without it, all.
 */
export function describeServings(
  name: string,
  define: (serving: Serving) => void,
  only: (serving: Serving) => boolean = () => true,
): void {
  describe.each(servingsOf(name, only).map((one) => [one.name, one] as const))(
    `${name} – %s`,
    (_name, one) => {
      afterEach(closeAll)
      define(one)
    },
  )
}

/** Takes what `serve` has opened out of what is closed after the test; gives the function that closes it. */
export function keepOpen(): () => Promise<void> {
  const kept = open.splice(0)
  return async () => {
    for (const close of kept) await close()
  }
}

/** Closes what `serve` has opened; for tests that serve outside of describeServings. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0)) await close()
}

import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import {
  type AnyController,
  Controller,
  type NodeHandler,
  RouteControllers,
  Server,
  toListener,
} from 'routecontrollers'
import { fromApp } from 'routecontrollers/express'
import { cert, key } from '../support/certificate.js'
import { headBlock } from '../support/http2-frames.js'
import { connectRewritten, type RewrittenSession } from '../support/http2-rewriter.js'

/** What became of one request: the pattern whose handler was reached, if any, and the guards that ran before it. */
export interface Visit {
  reached: string | undefined
  guarded: readonly string[]
}

/** One place where a guard may stand before a handler. */
export interface GuardContext {
  name: string
  /** Where the guards and the handlers are mounted together; most often nowhere in particular. */
  mount: string
  /** Makes an application with each of these guards before a handler for each of these patterns. */
  create(
    guards: readonly string[],
    patterns: readonly string[],
  ): (method: string, target: string) => Promise<Visit>
  /** How much of what the others are asked, where a visit takes longer. */
  share?: number
  /** Where something listens until then. */
  close?: () => Promise<void>
}

/** What a run of the application notes. */
interface Notes {
  reached: string | undefined
  guarded: string[]
}

type Application = (notes: Notes, guards: readonly string[], patterns: readonly string[]) => NodeHandler

const silent = { info() {}, warn() {}, error() {} }

function createControllers(
  notes: Notes,
  patterns: readonly string[],
  spell = (pattern: string): string => pattern,
): AnyController[] {
  return patterns.map(
    (pattern) =>
      new Controller('*', spell(pattern), () => {
        notes.reached = pattern
        return null
      }),
  )
}

interface Way {
  options?: ConstructorParameters<typeof RouteControllers>[1]
  /** Adds what stands before the guards. */
  before?: (routeControllers: RouteControllers) => void
  /** How a pattern is written there. */
  spell?: (pattern: string) => string
}

/** With the guards as hooks on our side. */
function hooked(
  notes: Notes,
  guards: readonly string[],
  patterns: readonly string[],
  { options, before, spell }: Way = {},
): RouteControllers {
  const routeControllers = new RouteControllers(createControllers(notes, patterns, spell), {
    logger: silent,
    ...options,
  })
  before?.(routeControllers)
  for (const guard of guards) {
    routeControllers.addGlobal(guard, (_req, _res, next) => {
      notes.guarded.push(guard)
      next()
    })
  }
  return routeControllers
}

function unhooked(notes: Notes, patterns: readonly string[], { options, spell }: Way = {}): RouteControllers {
  return new RouteControllers(createControllers(notes, patterns, spell), { logger: silent, ...options })
}

// Node's own classes, over a socket that is nobody's: what is said on it is not looked at.
const socket = new Duplex({ read() {}, write: (_chunk, _encoding, written) => written() }).setMaxListeners(0)

/** Gives requests to an application in this process, as Node's own parser would. */
function overNode(application: Application): GuardContext['create'] {
  return (guards, patterns) => {
    const notes: Notes = { reached: undefined, guarded: [] }
    const handler = application(notes, guards, patterns)
    return async (method, target) => {
      notes.reached = undefined
      notes.guarded = []
      const incoming = new IncomingMessage(socket as never)
      Object.assign(incoming, {
        method,
        url: target,
        httpVersion: '1.1',
        httpVersionMajor: 1,
        httpVersionMinor: 1,
      })
      incoming.rawHeaders.push('Host', 'test')
      incoming.headers.host = 'test'
      // Without a body nobody waits for anything: what will be reached has been when this returns.
      handler(incoming, new ServerResponse(incoming))
      return { ...notes }
    }
  }
}

/** Sends requests by HTTP/2 to a server of ours, with hooks on our side or with guards in the app behind. */
function overHttp2(name: string, serve: (...given: Parameters<Application>) => Served): GuardContext {
  const servers: Server[] = []
  const sessions: RewrittenSession[] = []
  return {
    name,
    mount: '',
    share: 0.1,
    create(guards, patterns) {
      const notes: Notes = { reached: undefined, guarded: [] }
      const server = new Server()
      servers.push(server)
      const started = server.start({
        port: 0,
        host: '127.0.0.1',
        tls: { key, cert },
        http2: true,
        logger: silent,
        ...serve(notes, guards, patterns),
      })
      let current: RewrittenSession | undefined
      return async (method, target) => {
        await started
        // nghttp2 ends a session that has sent it too much of what is malformed.
        if (current === undefined || current.session.destroyed || current.session.closed) {
          current = connectRewritten(server.getPort())
          sessions.push(current)
          await once(current.session, 'connect')
        }
        notes.reached = undefined
        notes.guarded = []
        const { session, heads } = current
        const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: true })
        const { id } = stream
        const head = { ':method': method, ':scheme': 'https', ':authority': 'test', ':path': target }
        heads.set(id!, headBlock(Object.entries(head)))
        stream.on('error', () => {})
        await new Promise((resolve) => stream.once('close', resolve).resume())
        heads.delete(id!)
        return { ...notes }
      }
    },
    async close() {
      for (const { session, socket } of sessions.splice(0)) {
        session.destroy()
        socket.destroy()
      }
      for (const server of servers.splice(0)) await server.stop({ graceMs: 0 })
    },
  }
}

interface Served {
  RouteControllers: RouteControllers
  fallback?: NodeHandler
}

/** An app of Express or Connect; what comes through to its end, or fails, is given no answer, which nobody waits for. */
interface Host {
  use(...parameters: unknown[]): Host
}
function closed(app: Host): NodeHandler {
  app.use(() => {})
  app.use((_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {})
  return (req, res) => {
    try {
      ;(app as unknown as NodeHandler)(req, res)
    } catch {
      // Connect and Express throw at some targets of absolute form, before anybody is asked.
    }
  }
}

const hosts: Record<string, () => Host> = {
  'Express 5': express5,
  'Express 4': express4,
  Connect: connect,
}

function guardHost(app: Host, notes: Notes, guards: readonly string[], mount = ''): Host {
  for (const guard of guards) {
    app.use(mount + guard, (_req: unknown, _res: unknown, next: () => void) => {
      notes.guarded.push(guard)
      next()
    })
  }
  return app
}

/** A rewriter as applications have them: what stands after it must look at what it has written. */
function rewrite(routeControllers: RouteControllers, scope: 'every' | 'answered'): void {
  routeControllers.addGlobal(
    (req, _res, next) => {
      if (req.url!.startsWith('/v1')) req.url = req.url!.slice(3)
      else if (req.url!.startsWith('/go?to=')) req.url = req.url!.slice(7)
      next()
    },
    { scope },
  )
}

const profiles = {
  // Its wildcards have no names.
  express4: { createApp: hosts['Express 4']!, spell: (pattern: string) => pattern.replace(/\*\w+/, '*') },
  express5: { createApp: hosts['Express 5']!, spell: (pattern: string) => pattern },
} as const

/** Connect's mounts know no params. */
const isStatic = (guard: string): boolean => !guard.includes(':')

export const contexts: readonly GuardContext[] = [
  {
    name: 'hooks of the web handler',
    mount: '',
    create(guards, patterns) {
      const notes: Notes = { reached: undefined, guarded: [] }
      const fetchHandler = hooked(notes, guards, patterns).getCallback()
      return async (method, target) => {
        notes.reached = undefined
        notes.guarded = []
        const url = target.startsWith('/') ? `http://test${target}` : target
        if (URL.canParse(url) && /^(?:GET|HEAD|POST|OPTIONS)$/.test(method)) {
          let request: Request
          try {
            request = new Request(url, { method })
          } catch {
            return { ...notes }
          }
          await fetchHandler(request)
        }
        return { ...notes }
      }
    },
  },
  {
    name: 'hooks, standalone',
    mount: '',
    create: overNode((...given) => toListener(hooked(...given).getCallback())),
  },
  {
    name: 'hooks behind a rewriting hook, standalone',
    mount: '',
    create: overNode((...given) =>
      toListener(hooked(...given, { before: (ours) => rewrite(ours, 'answered') }).getCallback()),
    ),
  },
  overHttp2('hooks over HTTP/2, standalone', (...given) => ({ RouteControllers: hooked(...given) })),
  overHttp2('hooks behind a rewriting hook over HTTP/2, standalone', (...given) => ({
    RouteControllers: hooked(...given, { before: (ours) => rewrite(ours, 'answered') }),
  })),
  overHttp2('guards and handlers of Express 5 behind a server of HTTP/2', (notes, guards, patterns) => {
    const app = guardHost(express5().set('env', 'test'), notes, guards)
    for (const pattern of patterns) {
      ;(app as unknown as express5.Express).all(pattern, (_req, res) => {
        notes.reached = pattern
        res.end()
      })
    }
    return { RouteControllers: new RouteControllers([]), fallback: app as unknown as NodeHandler }
  }),
  ...Object.entries(profiles).flatMap(([profile, { createApp, spell }]): GuardContext[] => {
    const way: Way = { options: { profile: fromApp(createApp()) }, spell }
    return [
      {
        name: `hooks under the profile ${profile}`,
        mount: '',
        create: overNode((...given) => toListener(hooked(...given, way).getCallback())),
      },
      ...['', '/api'].map((mount) => ({
        name: `guards of Express before middleware() under the profile ${profile}, mounted at '${mount}'`,
        mount,
        create: overNode((notes, guards, patterns) =>
          closed(
            guardHost(createApp(), notes, guards, mount).use(
              mount === '' ? '/' : mount,
              unhooked(notes, patterns, way).middleware(),
            ),
          ),
        ),
      })),
    ]
  }),
  ...Object.entries(hosts).flatMap(([name, createHost]): GuardContext[] => [
    {
      name: `hooks inside ${name}`,
      mount: '',
      create: overNode((...given) => closed(createHost().use(hooked(...given).middleware()))),
    },
    {
      name: `hooks behind a rewriting hook for every request, inside ${name}`,
      mount: '',
      create: overNode((...given) =>
        closed(createHost().use(hooked(...given, { before: (ours) => rewrite(ours, 'every') }).middleware())),
      ),
    },
    {
      name: `hooks under a mount of ${name}`,
      mount: '/api',
      create: overNode((...given) => closed(createHost().use('/api', hooked(...given).middleware()))),
    },
    {
      name: `guards of ${name} before middleware()`,
      mount: '',
      create: overNode((notes, guards, patterns) =>
        closed(
          guardHost(createHost(), notes, name === 'Connect' ? guards.filter(isStatic) : guards).use(
            unhooked(notes, patterns).middleware(),
          ),
        ),
      ),
    },
    {
      name: `guards of ${name} before middleware() under a mount`,
      mount: '/api',
      create: overNode((notes, guards, patterns) =>
        closed(
          guardHost(createHost(), notes, name === 'Connect' ? guards.filter(isStatic) : guards, '/api').use(
            '/api',
            unhooked(notes, patterns).middleware(),
          ),
        ),
      ),
    },
  ]),
]

/** Paths that guards stand at. */
export const guards = ['/admin', '/a/b', '/:tenant/private', '/'] as const

/** Patterns of handlers, under the guards and beside them. */
export const patterns = [
  '/admin',
  '/admin/',
  '/admin/secret',
  '/admin/secret/:id',
  '/admin/:id',
  '/admin/*rest',
  '/admin-public',
  '/administrator',
  '/a/b',
  '/a/b/c',
  '/a/:x',
  '/a/:x/c',
  '/:tenant/private',
  '/:tenant/private/*rest',
  '/:any',
  '/:any/secret',
  '/*rest',
] as const

/**
 * The guards that a handler must never be reached without: those above its pattern, segment by segment, and those above
 * the path as it was sent, where that is known to be what was matched.
 */
export function requiredGuards(context: GuardContext, pattern: string, target: string): string[] {
  const sent = pathOf(context, target)
  const isConnect = context.name.startsWith('guards of Connect')
  return guards
    .filter((guard) => isAbove(guard, pattern) || (sent !== undefined && isAbove(guard, sent)))
    .filter((guard) => !isConnect || isStatic(guard))
}

/** The raw path within the mount; undefined where a target or a rewriter makes another one of it. */
function pathOf({ name, mount }: GuardContext, target: string): string | undefined {
  if (!target.startsWith(`${mount}/`) || name.includes('rewriting') || name.includes('web')) return undefined
  return target.slice(mount.length).split('?', 1)[0]
}

function isAbove(guard: string, path: string): boolean {
  if (guard === '/') return true
  const segments = path.split('/').slice(1)
  return guard
    .split('/')
    .slice(1)
    .every((wanted, at) => {
      const segment = segments[at]
      if (segment === undefined || segment === '' || segment.startsWith('*')) return false
      return wanted.startsWith(':') || wanted === segment
    })
}

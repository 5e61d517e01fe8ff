import express5, { type Express } from 'express'
import express4 from 'express4'
import { type AnyController, Controller, type RouteControllers } from 'routecontrollers'
import {
  express5 as profile5,
  type ExpressRequest,
  type ExpressResponse,
  fromExpress,
  type Handlers,
  type NextFunction,
} from 'routecontrollers/express'
import { express4 as profile4 } from './profiles.js'
import { isWhole } from '../../support/counts.js'
import {
  describeServings,
  keepOpen,
  listenOn,
  type Served,
  type ServeOptions,
} from '../../support/describe-servings.js'
import { closeHosted } from '../../support/hosting.js'
import { openRaw, parseAnswers } from '../../support/raw-socket.js'

/** A request as it goes over the wire; to `/x` unless it names its target. */
export interface WireRequest {
  method?: string
  target?: string
  /** A list of pairs where a name comes twice. With `Host: test`, unless there is a `host`. */
  headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  body?: string
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  statusLine: string
  /** In their order, with their spelling; the value of Date is masked. */
  headers: string[]
  /** In Latin-1, with the framing of its chunks. */
  body: string
}

export type AnyHandler = Handlers

export interface CompareOptions {
  /** Default both. */
  versions?: readonly (4 | 5)[]
  /** For handlers that keep what they see: Express is asked anew whenever we are. */
  askedAnew?: boolean
  /** Of the app and of the profile alike. With any, there is no comparison without a profile. */
  settings?: Readonly<Record<string, unknown>>
  /** False leaves out the serving in front of an Express, which differs from standalone in what no Controller answers. */
  inFront?: boolean
  /** False for what a Request in memory or a web Response cannot have. */
  web?: boolean
  /** False for what only a profile answers as Express does: error pages, 404, what routes match. */
  withoutProfile?: boolean
  /** What the app has instead of `app.all('/x', …handlers)`. */
  legacy?: (app: Express) => void
  /** What RouteControllers has instead of one Controller for `/x`. */
  controllers?: () => readonly AnyController[]
  /** Beside the settings, for profile and app: `views`, `engines`, … */
  profile?: Readonly<Record<string, unknown>>
  configure?: (app: Express) => void
  setup?: (routeControllers: RouteControllers) => void
}

/** Tells of an error that has come to the end of a route, alike in all versions and profiles. */
export function tellError(error: any, _req: ExpressRequest, res: ExpressResponse, _next: NextFunction): void {
  const { name, message, status, code, types } = error as Record<string, unknown>
  if (res.headersSent) return void res.destroy()
  res.statusCode = 500
  for (const header of ['Content-Length', 'ETag']) res.removeHeader(header)
  res.end(JSON.stringify({ name, message, status, code, types }))
}

/**
 * Compares the installed Express with `fromExpress` under the profile of its version and, against Express 5, under none: the
 * same bytes over a socket to both, in each way of serving, and the same bytes back, but for the Date.
 *
 * In memory there is no order of headers and no framing; there status, headers and body are compared.
 *
 * All requests of one serving go to one server. Express is asked once for each request, whatever it is compared with.
 *
 * Each request goes through each way of serving, and under each profile. The loop does not take each pair of both: in memory is
 * tried under the last of them, a server of ours alone under those that are not Express 5's, and within an Express under profiles.
 */
export function describeAlike(
  topic: string,
  requests: Readonly<Record<string, WireRequest>>,
  handlers: Handlers,
  {
    versions = [4, 5],
    askedAnew = false,
    settings,
    inFront = true,
    web = true,
    withoutProfile = true,
    legacy,
    controllers,
    profile: profileOptions,
    configure,
    setup,
  }: CompareOptions = {},
): void {
  const steps = [handlers].flat() as never[]
  const isPlain = settings === undefined && profileOptions === undefined && configure === undefined
  const modes: readonly (readonly [4 | 5, typeof profile4 | undefined])[] = [
    ...versions.map((version) => [version, version === 4 ? profile4 : profile5] as const),
    ...(withoutProfile && isPlain && versions.includes(5) ? [[5, undefined] as const] : []),
  ]
  for (const [version, profile] of modes) {
    const prepare = (app: Express): void => {
      // Its error pages without a stack, which is not the same in two servers.
      app.set('env', 'production')
      for (const [name, value] of Object.entries(settings ?? {})) app.set(name, value)
      if (profile === undefined) app.disable('x-powered-by')
      configure?.(app)
    }
    const isLast = profile === modes.at(-1)![1]
    const isOfLoop = (name: string): boolean =>
      name === 'web'
        ? isLast
        : name === 'standalone'
          ? profile !== profile5 || modes.length === 1
          : !name.startsWith('inside') || profile !== undefined
    const answers = new Map<string, WireAnswer>()
    describeServings(
      `${topic}, under ${profile === undefined ? 'no profile' : `the profile of Express ${version}`}`,
      ({ name: serving, serve }) => {
        let theirs: Awaited<ReturnType<typeof listenOn>> | undefined
        let ours: Served | undefined
        let closeOurs = async (): Promise<void> => {}

        async function askTheirs(name: string, request: WireRequest): Promise<WireAnswer> {
          const known = answers.get(name)
          if (known !== undefined) return known
          if (theirs === undefined) {
            const app = (version === 4 ? express4 : express5)()
            prepare(app)
            if (legacy === undefined) app.all('/x', ...steps)
            else legacy(app)
            theirs = await listenOn(app)
          }
          const answer = await ask(theirs.port, request)
          if (!askedAnew) answers.set(name, answer)
          return answer
        }

        async function serveOurs(): Promise<Served> {
          const options: ServeOptions = { upstream: prepare }
          if (setup !== undefined) options.setup = setup
          if (profile !== undefined)
            options.profile = profile({ ...profileOptions, settings: { ...settings, env: 'production' } })
          const served = await serve(
            controllers?.() ?? [new Controller('*', '/x', fromExpress(...steps))],
            options,
          )
          closeOurs = keepOpen()
          return served
        }

        beforeAll(() => {
          jest.spyOn(console, 'error').mockImplementation(() => {})
          // Express writes its notices on stderr only where nobody listens to them.
          process.on('deprecation', ignore)
        })
        afterEach(closeHosted)
        afterAll(async () => {
          process.off('deprecation', ignore)
          jest.restoreAllMocks()
          await theirs?.close()
          await closeOurs()
        })

        it.each(Object.entries(requests))('%s', async (name, request) => {
          const expected = await askTheirs(name, request)
          ours ??= await serveOurs()
          if (serving === 'web') {
            const answer = await askInMemory(ours.routeControllers, request)
            expect(answer).toEqual(inMemory(expected))
          } else {
            const answer = await ask(ours.port!, request)
            expect(answer).toEqual(expected)
          }
        })
      },
      ({ name }) =>
        (web || name !== 'web') &&
        (inFront || !name.startsWith('in front')) &&
        // What is behind gets none of these requests: in the loop they go in front of it under one profile.
        (isWhole || profile === profile5 || !name.startsWith('in front')) &&
        (!name.startsWith('inside') || name === `inside Express ${version}`) &&
        (isWhole || isOfLoop(name)),
    )
  }
}

const ignore = (): void => {}

/** Sends one request on a connection of its own, which the server closes after its answer. */
export async function ask(
  port: number,
  { method = 'GET', target = '/x', headers = {}, body }: WireRequest = {},
): Promise<WireAnswer> {
  const lines = [`${method} ${target} HTTP/1.1`, 'Connection: close']
  for (const [name, value] of withHost(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  const client = await openRaw(port)
  client.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (body !== undefined) client.write(Buffer.from(body))
  const received = await client.untilClosed()
  const end = received.indexOf('\r\n\r\n')
  const [statusLine = '', ...answered] = (end < 0 ? received : received.slice(0, end)).split('\r\n')
  return {
    statusLine,
    headers: answered.map((line) => line.replace(/^Date: .*/, 'Date: *')),
    body: end < 0 ? '' : received.slice(end + 4),
  }
}

function withHost(headers: NonNullable<WireRequest['headers']>): readonly (readonly [string, string])[] {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers)
  return pairs.some(([name]) => name === 'host') ? pairs : [['Host', 'test'], ...pairs]
}

export interface MemoryAnswer {
  status: string
  headers: Record<string, string>
  cookies: string[]
  body: string
}

export async function askInMemory(
  routeControllers: RouteControllers,
  { method = 'GET', target = '/x', headers = {}, body }: WireRequest,
): Promise<MemoryAnswer> {
  const request = new Request(`http://test${target}`, {
    method,
    headers: withHost(headers) as [string, string][],
    // Bytes: a string would bring a type of its own.
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  })
  const response = await routeControllers.getCallback()(request)
  const fields: Record<string, string> = {}
  for (const [name, value] of response.headers) if (isKept(name)) fields[name] = value
  return {
    status: `${response.status} ${response.statusText}`,
    headers: fields,
    cookies: response.headers.getSetCookie(),
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  }
}

/** What a web Response has of an answer that came over the wire. */
export function inMemory({ statusLine, headers, body }: WireAnswer): MemoryAnswer {
  const fields = new Headers()
  const cookies: string[] = []
  for (const line of headers) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    if (name === 'set-cookie') cookies.push(value)
    else if (isKept(name)) fields.append(name, value)
  }
  const [answer] = parseAnswers([statusLine, ...headers, '', body].join('\r\n'))
  return {
    status: statusLine.slice('HTTP/1.1 '.length),
    headers: Object.fromEntries(fields),
    cookies,
    body: answer!.body,
  }
}

function isKept(name: string): boolean {
  return !['connection', 'date', 'keep-alive', 'set-cookie', 'transfer-encoding'].includes(name)
}

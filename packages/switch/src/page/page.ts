// The page of a migration: what a browser gets, and how a person changes a state with it.
import { nodeCrypto } from '../states/node-crypto.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRouteControllersError } from '../../../../src/ground/errors.js'
import { describeThrown, log } from '../../../../src/ground/log.js'
import { readBody } from '../../../../src/body/read-body.js'
import {
  checkFunction,
  checkOptions,
  checkText,
  count,
  type OptionChecks,
  wrongOption,
} from '../../../../src/ground/options.js'
import type { ConnectHandler, Logger, MaybePromise } from '../../../../src/ground/types.js'
import type { Clock } from '../states/clock.js'
import { pageHtml, pageScript, pageStyle } from './page-assets.js'
import { PageStreams } from './page-stream.js'
import type { Migration, PageOptions, RouteState } from '../states/schema.js'
import { isBytes } from '../../../../src/ground/bytes.js'

/** What a change may have for a body. */
const mostBytes = 16 * 1024
const mostReason = 500
const mostRoute = 2000
/** How long `authorize` may take. */
const authorizeMs = 30_000

const checks: OptionChecks<PageOptions> = {
  authorize: checkFunction,
  path: (option, value) => {
    if (typeof value !== 'string' || !/^(?:\/[^/?#]+)+$/.test(value))
      throw wrongOption(option, "a path as '/migration'", JSON.stringify(value) ?? 'undefined')
  },
  challenge: checkText,
  maxStreams: count('a count', 0, 10_000),
}

export interface PageParts {
  readonly switching: Pick<Migration, 'status' | 'set' | 'acceptDifference' | 'on' | 'metrics'>
  readonly clock: Clock
  readonly logger: Logger
}

/** A page, and what ends its streams. */
export interface Page {
  readonly handler: ConnectHandler
  close(): void
}

/** Throws ERR_OPTION_INVALID, above all without `authorize`: a visitor of the page may change what answers a request. */
export function createPage(parts: PageParts, options: PageOptions): Page {
  // `page()` lacks what `page({})` lacks.
  if ((options as Partial<PageOptions> | undefined)?.authorize === undefined)
    throw wrongOption(
      'page: authorize',
      'a function that gives the name of who asks, as (req) => nameOf(req)',
      'undefined',
    )
  checkOptions('page', options, checks, 'page: ')
  const page = new MigrationPage(parts, options)
  return { handler: page.serve, close: () => page.close() }
}

/** Who looks at the page. */
interface Visitor {
  readonly by: string
  readonly canChange: boolean
}

interface Visit {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly visitor: Visitor
}

/** An answer that is no success. It never leaves this module, so that `instanceof` holds. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

class MigrationPage {
  readonly #parts: PageParts
  readonly #options: PageOptions
  readonly #streams: PageStreams

  constructor(parts: PageParts, options: PageOptions) {
    this.#parts = parts
    this.#options = options
    this.#streams = new PageStreams(parts.switching, parts.clock, options.maxStreams ?? 20)
  }

  readonly #resources: Readonly<Record<string, Resource>> = {
    '': { methods: readMethods, answer: ({ res }) => sendPage(res) },
    'status.json': {
      methods: readMethods,
      answer: ({ res }) => send(res, 200, this.#parts.switching.status()),
    },
    metrics: { methods: readMethods, answer: ({ res }) => this.#sendMetrics(res) },
    events: { methods: ['GET'], answer: (visit) => this.#streams.open(visit.req, visit.res) },
    session: { methods: readMethods, answer: (visit) => sendSession(visit) },
    state: { methods: ['POST'], answer: (visit) => this.#change(visit) },
    accept: { methods: ['POST'], answer: (visit) => this.#accept(visit) },
    off: { methods: ['POST'], isForPrograms: true, answer: (visit) => this.#switchOff(visit) },
  }

  readonly serve: ConnectHandler = (req, res, next) => {
    const name = this.#nameOf(req)
    const resource =
      name !== undefined && Object.hasOwn(this.#resources, name) ? this.#resources[name] : undefined
    if (resource === undefined) {
      if (next !== undefined) return next()
      return refuse(res, new Refusal(404, 'Nothing is here'))
    }
    this.#answer(req, res, resource).catch((error: unknown) => {
      if (error instanceof Refusal) {
        // The host may have answered while `authorize` was asked, as a limit of time does.
        if (!res.headersSent) refuse(res, error)
        return
      }
      if (next !== undefined && !res.headersSent) return next(failureOf(error))
      log(this.#parts.logger, 'error', `migration: the page has failed: ${describeThrown(error)}`)
      if (res.headersSent) res.destroy()
      else refuse(res, new Refusal(500, 'The page has failed; the log says why'))
    })
  }

  /** What is asked for below the page; undefined for what is not below it. */
  #nameOf({ url = '/' }: IncomingMessage): string | undefined {
    const { path = '' } = this.#options
    const pathname = pathOf(url)
    if (pathname === path) return ''
    return pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : undefined
  }

  async #answer(
    req: IncomingMessage,
    res: ServerResponse,
    { methods, answer, isForPrograms = false }: Resource,
  ): Promise<void> {
    setSafeHeaders(res)
    const visitor = await this.#authorize(req, res)
    // As in `serve`: the host may have answered meanwhile. What it has refused changes nothing.
    if (res.headersSent) return
    if (!methods.includes(req.method!)) {
      res.setHeader('Allow', methods.join(', '))
      throw new Refusal(405, `Only ${methods.join(' and ')} are answered here`)
    }
    // A page of another origin must not read numbers either, whatever a CORS middleware of the app allows.
    const isPage = answer === this.#resources['']!.answer
    const isProgram = isForPrograms && isOfProgram(req)
    if (!isPage && !isProgram && !isSameOrigin(req, methods === readMethods || methods[0] === 'GET'))
      throw new Refusal(
        403,
        isForPrograms
          ? 'The request comes from another origin, or from a program without a bearer token: send Authorization: Bearer'
          : 'The request comes from another origin',
      )
    if (isPage && isWithoutSlash(req)) return redirect(req, res)
    await answer({ req, res, visitor })
  }

  async #authorize(req: IncomingMessage, res: ServerResponse): Promise<Visitor> {
    const { authorize, challenge } = this.#options
    const found = await this.#limited(authorize(req))
    if (typeof found === 'string' && found.trim() !== '') return { by: plain(found), canChange: true }
    if (
      typeof found === 'object' &&
      found !== null &&
      typeof found.by === 'string' &&
      found.by.trim() !== '' &&
      // With `{ by, canChange: user.isAdmin }`, a user without that member must not change anything.
      (!('canChange' in found) || typeof found.canChange === 'boolean')
    )
      return { by: plain(found.by), canChange: found.canChange !== false }
    if (found === false) throw new Refusal(403, 'You may not see this page')
    if (found === undefined || found === null || found === '') {
      if (challenge !== undefined) res.setHeader('WWW-Authenticate', challenge)
      throw new Refusal(401, 'This page needs a login')
    }
    // Also for `true`: an entry of the history without a name says nothing.
    throw wrongOption(
      'page: what authorize gives',
      'the name of who asks, { by, canChange }, false or undefined',
      typeof found === 'object'
        ? 'an object without a name, or with another canChange than true or false'
        : String(found),
    )
  }

  /** A directory of users that never answers holds no request for ever. */
  async #limited<T>(answer: MaybePromise<T>): Promise<T> {
    let stopWaiting = (): void => {}
    const late = new Promise<never>((_resolve, reject) => {
      const refusal = new Refusal(503, 'authorize took too long: try again')
      stopWaiting = this.#parts.clock.after(authorizeMs, () => reject(refusal))
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      stopWaiting()
    }
  }

  async #sendMetrics(res: ServerResponse): Promise<void> {
    let text: string
    try {
      text = await this.#parts.switching.metrics()
    } catch (error) {
      if (!isRouteControllersError(error)) throw error
      throw new Refusal(501, 'The package prom-client is not installed: npm install prom-client')
    }
    res.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
    res.end(text)
  }

  /** Throws unless the visitor may change something, and has asked for it. */
  #checkVisitor({ req, visitor }: Visit, isProgram = false): void {
    if (!visitor.canChange) throw new Refusal(403, 'You may look, but not change')
    if (!isProgram && !isSameToken(req))
      throw new Refusal(403, 'The token is missing, or is not that of this browser')
  }

  async #change(visit: Visit): Promise<void> {
    const { switching } = this.#parts
    const { req, res, visitor } = visit
    this.#checkVisitor(visit)
    const { route, state, reason, from, seen } = readChange(await readJson(req))
    const now = switching.status().routes.find((one) => one.route === route)?.state
    if (from !== undefined && now !== undefined && from !== now)
      throw new Refusal(
        409,
        `Another user has changed ${route}, and it is at ${now} now: look at it, then change it again`,
      )
    const { isStored } = await refusing(switching.set(route, state, { reason, by: visitor.by, ...seen }))
    send(res, 200, { route, state, isStored })
  }

  async #accept(visit: Visit): Promise<void> {
    const { req, res, visitor } = visit
    this.#checkVisitor(visit)
    const { route, place, reason, takeBack } = ((await readJson(req)) ?? {}) as Record<string, unknown>
    if (typeof route !== 'string' || typeof place !== 'string')
      throw new Refusal(400, 'A difference has a route and a place')
    const options = { reason: readReason(reason), by: visitor.by, takeBack: takeBack === true }
    const { isStored } = await refusing(this.#parts.switching.acceptDifference(route, place, options))
    send(res, 200, { route, place, isStored })
  }

  /** Takes all routes back to legacy at once. */
  async #switchOff(visit: Visit): Promise<void> {
    const { req, res, visitor } = visit
    const isProgram = isOfProgram(req)
    this.#checkVisitor(visit, isProgram)
    const { reason } = ((await readJson(req, isProgram)) ?? {}) as Record<string, unknown>
    const options = { reason: readReason(reason), by: visitor.by, override: true }
    const { isStored } = await refusing(this.#parts.switching.set('*', 'legacy', options))
    send(res, 200, { route: '*', state: 'legacy', isStored })
  }

  close(): void {
    this.#streams.close()
  }
}

const readMethods: readonly string[] = ['GET', 'HEAD']

/** What `set` may say to a change, and the status of the answer. */
const refusals: Readonly<Record<string, number>> = { ERR_OPTION_INVALID: 400, ERR_STATE_CHANGED: 409 }

interface Resource {
  readonly methods: readonly string[]
  /** True for what a program may change, too, with a bearer token that `authorize` knows. */
  readonly isForPrograms?: boolean
  readonly answer: (visit: Visit) => unknown
}

/** A change, with what refuses it as a refusal of the page. */
async function refusing<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    const status = isRouteControllersError(error) ? refusals[error.code] : undefined
    if (status === undefined) throw error
    throw new Refusal(status, (error as Error).message)
  }
}

/**
 * No browser sends a bearer token by itself. Another site can add one, next to the cookie of the user, where a CORS middleware of the app
 * allows all headers: then the browser says where the request comes from, which no program does.
 */
function isOfProgram({ headers }: IncomingMessage): boolean {
  const isOfBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
  return !isOfBrowser && /^Bearer +\S/i.test(headers.authorization ?? '')
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!
}

const hashOf = (text: string): string =>
  `'sha256-${nodeCrypto().createHash('sha256').update(text).digest('base64')}'`

/** By their hashes the script and the style are the only ones; and no text can become HTML in a browser that knows Trusted Types. */
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(pageScript)}`,
  `style-src ${hashOf(pageStyle)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const safeHeaders: Readonly<Record<string, string>> = {
  // `no-transform` keeps a compression middleware from holding events back.
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

function setSafeHeaders(res: ServerResponse): void {
  for (const [name, value] of Object.entries(safeHeaders)) res.setHeader(name, value)
}

const html = pageHtml
  .replace('<style></style>', () => `<style>${pageStyle}</style>`)
  .replace('<script></script>', () => `<script>${pageScript}</script>`)

function sendPage(res: ServerResponse): void {
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.end(html)
}

function send(res: ServerResponse, status: number, value: object): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.end(JSON.stringify(value))
}

function refuse(res: ServerResponse, { status, message }: Refusal): void {
  send(res, status, { error: message })
}

/** The addresses in the page are relative to it: it must end with a slash. */
function isWithoutSlash(req: IncomingMessage): boolean {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  return !pathOf(originalUrl).endsWith('/')
}

function redirect(req: IncomingMessage, res: ServerResponse): void {
  const { originalUrl = req.url! } = req as { originalUrl?: string }
  // Relative to where the browser is: a proxy may have taken away what stands before.
  const name = pathOf(originalUrl).split('/').at(-1)!
  res.statusCode = 302
  res.setHeader('Location', `./${name}/`)
  res.end()
}

/**
 * True for a request that this very page, a person or no browser has made. `Sec-Fetch-Site` is set by the browser alone, and not where the
 * page is served by plain HTTP; then `Origin` counts. To read, neither is needed: tools that scrape send none.
 */
function isSameOrigin({ headers }: IncomingMessage, isRead: boolean): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none')
  const { origin } = headers
  if (origin === undefined) return isRead
  const host = headers.host ?? headers[':authority']
  try {
    return host !== undefined && new URL(origin).host === new URL(`http://${String(host)}`).host
  } catch {
    return false
  }
}

const cookieName = 'routecontrollers-page'

/**
 * The token is in a cookie, which another origin cannot read, and comes back in a header, which a form cannot set. It needs no memory here,
 * so that any process of a server takes it.
 */
function cookieToken({ headers }: IncomingMessage): string | undefined {
  return new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]{32})(?:;|$)`).exec(headers.cookie ?? '')?.[1]
}

function isSameToken(req: IncomingMessage): boolean {
  const expected = cookieToken(req)
  const given = req.headers['x-csrf-token']
  if (expected === undefined || typeof given !== 'string') return false
  // Of as many bytes, and not letters: others make timingSafeEqual throw.
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && nodeCrypto().timingSafeEqual(one, other)
}

function sendSession({ req, res, visitor }: Visit): void {
  const token = cookieToken(req) ?? nodeCrypto().randomBytes(24).toString('base64url')
  const secure = (req.socket as { encrypted?: boolean }).encrypted === true ? '; Secure' : ''
  // Without a path it is that of the page.
  res.appendHeader('Set-Cookie', `${cookieName}=${token}; HttpOnly; SameSite=Strict${secure}`)
  send(res, 200, { ...visitor, token })
}

/** With `isOfAnyType` what `curl -d` sends, too. */
async function readJson(req: IncomingMessage, isOfAnyType = false): Promise<unknown> {
  if (!isOfAnyType && !/^application\/json\s*(?:;|$)/i.test(req.headers['content-type'] ?? ''))
    throw new Refusal(415, 'A change is JSON')
  // A parser of the app may have read it.
  const { body } = req as { body?: unknown }
  if (req.readableDidRead) {
    if (typeof body === 'string' || isBytes(body)) return parseJson(body)
    // A form has another shape than what was sent.
    const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/)/i.test(
      req.headers['content-type'] ?? '',
    )
    if (isForm) throw new Refusal(415, 'Send JSON with Content-Type: application/json')
    if (typeof body === 'object' && body !== null) return body
    throw new Refusal(
      500,
      'The body was read before the page, and is not in req.body: mount the page above what reads it',
    )
  }
  try {
    return parseJson(await readBody(req, mostBytes))
  } catch (error) {
    if (!isRouteControllersError(error)) throw error
    throw new Refusal(error.status ?? 400, 'The body is too large, or not complete')
  }
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
  } catch {
    throw new Refusal(400, 'The body is no JSON')
  }
}

interface ChangeRequest {
  readonly route: string
  readonly state: RouteState
  readonly reason: string
  /** The state that the person has seen. */
  readonly from: string | undefined
  /** The version of all states that the person has seen. */
  readonly seen: { readonly seen?: number }
}

function readChange(value: unknown): ChangeRequest {
  const { route, state, reason, from, seen } = (value ?? {}) as Record<string, unknown>
  if (typeof route !== 'string' || typeof state !== 'string')
    throw new Refusal(400, 'A change names a route and a state')
  // It is compared with each route, letter by letter, to say which one was meant.
  if (route.length > mostRoute) throw new Refusal(400, `The route has more than ${mostRoute} characters`)
  const why = readReason(reason)
  // What is no state is refused by `set`.
  return {
    route,
    state: state as RouteState,
    reason: why,
    from: typeof from === 'string' ? from : undefined,
    seen: typeof seen === 'number' ? { seen } : {},
  }
}

function readReason(reason: unknown): string {
  const why = typeof reason === 'string' ? plain(reason) : ''
  if (why === '') throw new Refusal(400, 'A change needs a reason')
  if (why.length > mostReason) throw new Refusal(400, `The reason has more than ${mostReason} characters`)
  return why
}

/** One line: it goes into logs. */
function plain(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
}

/** For the host, to which nothing at all and the text `route` say that it may go on behind the page. */
function failureOf(error: unknown): object {
  if (typeof error === 'object' && error !== null) return error
  return new Error(`The page of the migration has failed with ${describeThrown(error)}`)
}

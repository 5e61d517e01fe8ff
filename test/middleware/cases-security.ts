import cookieParser from 'cookie-parser'
import cors from 'cors'
import { doubleCsrf } from 'csrf-csrf'
import bodyParser from 'body-parser'
import basicAuth from 'express-basic-auth'
import { rateLimit } from 'express-rate-limit'
import { slowDown } from 'express-slow-down'
import helmet from 'helmet'
import hpp from 'hpp'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Next } from 'routecontrollers'
import { type Case, form, openBrowser, type Route, sendAll } from './compare.js'

const hello: Route = ['GET', '/hello', () => ({ text: 'hello' })]

// In memory nobody has an address; the header stands for whatever tells clients apart there.
const byClient = (req: unknown): string => String((req as IncomingMessage).headers['x-client'])

export const security: Case[] = [
  {
    name: 'helmet',
    middleware: () => [helmet()],
    routes: [hello, ['GET', '/fails', () => Promise.reject(new Error('broken'))]],
    script: (send) => sendAll(send, ['/hello'], ['/hello', { method: 'HEAD' }], ['/fails']),
  },
  {
    name: 'helmet (nonces in res.locals)',
    middleware: () => [
      (_req: IncomingMessage, res: ServerResponse & { locals: { nonce?: string } }, next: Next) => {
        res.locals.nonce = 'n0nce'
        next()
      },
      helmet({
        contentSecurityPolicy: {
          directives: {
            scriptSrc: [
              "'self'",
              (_req, res) =>
                `'nonce-${(res as ServerResponse & { locals: { nonce: string } }).locals.nonce}'`,
            ],
          },
        },
      }),
    ],
    routes: [hello],
    script: (send) => sendAll(send, ['/hello']),
  },
  {
    name: 'cors',
    every: true,
    middleware: () => [
      cors({
        origin: ['https://a.example', /\.b\.example$/],
        credentials: true,
        maxAge: 600,
        exposedHeaders: ['X-Total'],
      }),
    ],
    routes: [hello, ['PUT', '/hello', () => ({ headers: { Vary: 'Accept' }, json: 1 })]],
    behind: [['GET', '/behind', () => ({ text: 'behind' })]],
    notForOne: 'a preflight asks with OPTIONS, which the controller does not answer',
    script: (send) =>
      sendAll(
        send,
        ...['https://a.example', 'https://x.b.example', 'https://evil.example'].flatMap((origin) => [
          ['/hello', { headers: { origin } }] as const,
          ['/behind', { headers: { origin } }] as const,
          ['/hello', { method: 'PUT', headers: { origin } }] as const,
          [
            '/hello',
            {
              method: 'OPTIONS',
              headers: {
                origin,
                'access-control-request-method': 'PUT',
                'access-control-request-headers': 'x-one, x-two',
              },
            },
          ] as const,
          [
            '/behind',
            { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } },
          ] as const,
        ]),
        ['/hello'],
      ),
  },
  {
    name: 'cors (async origin, errors)',
    middleware: () => [
      cors({
        origin: (origin, answer) =>
          void setImmediate(() => {
            if (origin === 'https://evil.example') answer(new Error('not from there'))
            else answer(null, origin)
          }),
      }),
    ],
    routes: [hello],
    script: (send) =>
      sendAll(
        send,
        ['/hello', { headers: { origin: 'https://a.example' } }],
        ['/hello', { headers: { origin: 'https://evil.example' } }],
      ),
  },
  {
    name: 'csrf-csrf',
    middleware: () => [
      cookieParser(),
      (req: ExpressRequest, res: ExpressResponse, next: Next) => {
        Object.assign(req, { makeToken: () => csrf.generateCsrfToken(req, res) })
        csrf.doubleCsrfProtection(req, res, next)
      },
    ],
    routes: [
      ['GET', '/token', (req) => ({ json: { token: req.makeToken() } })],
      ['POST', '/act', () => ({ text: 'done' })],
    ],
    // A random value and the code over it.
    normalise: (text) => text.replace(/[0-9a-f]{64}(?:\.|%2E)[0-9a-f]{64}/gi, '<token>'),
    async script(send) {
      const browser = openBrowser(send)
      const token = await browser('/token')
      const headers = { 'x-csrf-token': token.json().token }
      return [
        token,
        await browser('/act', { method: 'POST', headers }),
        await browser('/act', { method: 'POST' }),
        await browser('/act', { method: 'POST', headers: { 'x-csrf-token': 'forged' } }),
        await send('/act', { method: 'POST', headers }),
      ]
    },
  },
  {
    name: 'express-basic-auth',
    middleware: () => [
      ['/plain', basicAuth({ users: { ada: 'lovelace' } })],
      ['/asking', basicAuth({ users: { ada: 'lovelace' }, challenge: true, realm: 'here' })],
      [
        '/json',
        basicAuth({
          authorizer: (user, password, answer) => void setImmediate(() => answer(null, user === password)),
          authorizeAsync: true,
          unauthorizedResponse: () => ({ error: 'who?' }),
        }),
      ],
    ],
    routes: ['/plain', '/asking', '/json'].map((path): Route => ['GET', path, (req) => ({ json: req.auth })]),
    script: (send) =>
      sendAll(
        send,
        ...['/plain', '/asking', '/json'].flatMap((path) =>
          [undefined, 'ada:lovelace', 'ada:ada', 'malformed'].map(
            (user) =>
              [
                path,
                {
                  headers: user ? { authorization: `Basic ${Buffer.from(user).toString('base64')}` } : {},
                },
              ] as const,
          ),
        ),
      ),
  },
  ...(['draft-6', 'draft-7', 'draft-8'] as const).map((standardHeaders): Case => ({
    name: `express-rate-limit (${standardHeaders})`,
    middleware: (_note, serving) => [
      rateLimit({
        windowMs: 60_000,
        limit: 2,
        standardHeaders,
        legacyHeaders: true,
        ...(serving.onNode ? {} : { keyGenerator: byClient }),
      }),
    ],
    routes: [['GET', '/hello', (req) => ({ json: { ...req.rateLimit, key: 0, resetTime: 0 } })]],
    inMemory: 'needs a `keyGenerator`, because a request in memory comes from no address',
    normalise: (text, header = '') =>
      /retry-after|reset/.test(header)
        ? '<seconds>'
        : text.replace(/\b(t|reset)=\d+/g, '$1=<seconds>').replace(/pk=:[^:]+:/, 'pk=<key>'),
    script: (send) => sendAll(send, ['/hello'], ['/hello'], ['/hello'], ['/hello']),
  })),
  {
    name: 'express-slow-down',
    middleware: (_note, serving) => [
      slowDown({
        windowMs: 60_000,
        delayAfter: 1,
        delayMs: (used) => used,
        ...(serving.onNode ? {} : { keyGenerator: byClient }),
      }),
    ],
    routes: [['GET', '/hello', (req) => ({ json: { ...req.slowDown, key: 0, resetTime: 0 } })]],
    inMemory: 'needs a `keyGenerator`, because a request in memory comes from no address',
    script: (send) => sendAll(send, ['/hello'], ['/hello'], ['/hello']),
  },
  {
    name: 'hpp',
    // It writes to req.query, which Express 5 does not allow.
    express: 4,
    middleware: () => [bodyParser.urlencoded({ extended: false }), hpp({ whitelist: ['many'] })],
    routes: [
      [
        '*',
        '/search',
        ({ query, queryPolluted, body = {}, bodyPolluted = {} }) => ({
          json: { query, queryPolluted, body, bodyPolluted },
        }),
      ],
    ],
    script: (send) =>
      sendAll(
        send,
        ['/search?a=1&a=2&b=3&many=1&many=2'],
        ['/search?a=1&a=2', form('c=1&c=2&many=3&many=4&d=5')],
      ),
  },
]

const csrf = doubleCsrf({
  getSecret: () => 'a secret for tests',
  getSessionIdentifier: () => 'one session',
  cookieName: 'x-csrf',
  cookieOptions: { sameSite: 'strict', secure: false },
})

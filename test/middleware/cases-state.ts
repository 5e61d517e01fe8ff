import bodyParser from 'body-parser'
import cookieParser from 'cookie-parser'
import cookieSession from 'cookie-session'
import session from 'express-session'
import { createHmac } from 'node:crypto'
import { Passport } from 'passport'
import { Strategy } from 'passport-local'
import type { Hook } from 'routecontrollers'
import { type Case, form, openBrowser, type Placed, type Reader, sendAll } from './compare.js'

const secret = 'a secret for tests'

function signed(value: string): string {
  const code = createHmac('sha256', secret).update(value).digest('base64').replace(/=+$/, '')
  return encodeURIComponent(`s:${value}.${code}`)
}

/** Calls a method of Express's world that takes a callback. */
const called = (run: (done: (error?: Error) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())))

const count: Reader = (req) => {
  req.session.count = (req.session.count ?? 0) + 1
  return { json: { count: req.session.count } }
}

const withoutIds = (text: string): string =>
  text.replace(/s%3A[^;\s]+/g, '<sid>').replace(/Expires=[^;]+/gi, 'Expires=<date>')

function withPassport(): Placed[] {
  const passport = new Passport()
  const users = new Map([['ada', { id: 7, name: 'ada' }]])
  passport.use(
    new Strategy((name, password, done) => {
      const user = users.get(name)
      setImmediate(() => {
        if (name === 'broken') done(new Error('no database'))
        else if (user === undefined || password !== 'lovelace') done(null, false, { message: 'who?' })
        else done(null, user)
      })
    }),
  )
  passport.serializeUser((user, done) => done(null, (user as { name: string }).name))
  passport.deserializeUser((name: string, done) => void setImmediate(() => done(null, users.get(name))))
  return [
    session({ secret, resave: false, saveUninitialized: false }) as Hook,
    bodyParser.urlencoded({ extended: false }),
    passport.initialize() as Hook,
    passport.session() as Hook,
    [
      '/login',
      passport.authenticate('local', { successRedirect: '/me', failureRedirect: '/sorry?why=1' }) as Hook,
    ],
    ['/api-login', passport.authenticate('local', { failWithError: false }) as Hook],
    ['/error-login', passport.authenticate('local', { failWithError: true }) as Hook],
  ]
}

export const state: Case[] = [
  {
    name: 'cookie-parser',
    middleware: () => [cookieParser(secret)],
    routes: [
      [
        'GET',
        '/cookies',
        ({ cookies, signedCookies, secret: key }) => ({ json: { cookies, signedCookies, key } }),
      ],
    ],
    script: (send) =>
      sendAll(
        send,
        ...[
          'a=1; b=two%20words; a=3; bad=%E0',
          `j=${encodeURIComponent('j:{"n":1}')}`,
          `who=${signed('ada')}; what=${signed('j:[1,2]')}; forged=${signed('ada').replace('ada', 'eve')}`,
        ].map((cookie) => ['/cookies', { headers: { cookie } }] as const),
        ['/cookies'],
      ),
  },
  {
    name: 'cookie-session',
    middleware: () => [cookieSession({ name: 'session', keys: ['new key', 'old key'], httpOnly: true })],
    routes: [
      ['GET', '/count', count],
      ['GET', '/look', (req) => ({ json: { ...req.session, isNew: req.session.isNew } })],
      [
        'GET',
        '/leave',
        (req) => {
          req.session = null
          return { text: 'bye' }
        },
      ],
    ],
    async script(send) {
      const browser = openBrowser(send)
      return [
        ...(await sendAll(browser, ['/look'], ['/count'], ['/count'], ['/look'], ['/leave'], ['/look'])),
        ...(await sendAll(send, [
          '/count',
          { headers: { cookie: 'session=eyJjb3VudCI6OX0=; session.sig=forged' } },
        ])),
      ]
    },
  },
  {
    name: 'express-session',
    middleware: () => [
      session({
        secret,
        resave: false,
        saveUninitialized: false,
        rolling: true,
        cookie: { maxAge: 60_000 },
      }) as Hook,
    ],
    routes: [
      ['GET', '/count', count],
      ['GET', '/look', (req) => ({ json: { count: req.session.count ?? null } })],
      [
        'GET',
        '/regenerate',
        async (req) => {
          const before = req.sessionID
          await called((done) => req.session.regenerate(done))
          req.session.count = 100
          return { json: { renewed: before !== req.sessionID } }
        },
      ],
      [
        'GET',
        '/destroy',
        async (req) => {
          await called((done) => req.session.destroy(done))
          return { json: { session: typeof req.session } }
        },
      ],
      [
        'GET',
        '/stream',
        (req) => {
          req.session.streamed = true
          return { chunks: ['one', 'two'] }
        },
      ],
      [
        'GET',
        '/fails',
        (req) => {
          req.session.count = 1000
          throw Object.assign(new Error('after a change'), { status: 409 })
        },
      ],
    ],
    normalise: withoutIds,
    async script(send) {
      const browser = openBrowser(send)
      return [
        ...(await sendAll(
          browser,
          ['/look'],
          ['/count'],
          ['/count'],
          ['/look'],
          ['/regenerate'],
          ['/count'],
        )),
        ...(await sendAll(browser, ['/stream'], ['/fails'], ['/look'], ['/destroy'], ['/look'])),
        await send('/count', { headers: { cookie: 'connect.sid=s%3Aforged.code' } }),
      ]
    },
  },
  {
    name: 'express-session (secure cookies)',
    middleware: () => [
      session({
        secret,
        resave: false,
        saveUninitialized: true,
        proxy: true,
        cookie: { secure: true },
      }) as Hook,
    ],
    routes: [['GET', '/count', count]],
    normalise: withoutIds,
    script: (send) => sendAll(send, ['/count'], ['/count', { headers: { 'x-forwarded-proto': 'https' } }]),
  },
  {
    name: 'passport, passport-local',
    middleware: withPassport,
    routes: [
      ['POST', '/login', () => ({ text: 'never' })],
      ['POST', '/api-login', (req) => ({ json: req.user })],
      ['POST', '/error-login', (req) => ({ json: req.user })],
      ['GET', '/me', (req) => ({ json: { user: req.user ?? null, in: req.isAuthenticated() } })],
      ['GET', '/sorry', (req) => ({ json: req.query })],
      [
        'POST',
        '/logout',
        async (req) => {
          await called((done) => req.logout(done))
          return { json: { in: req.isAuthenticated() } }
        },
      ],
    ],
    normalise: withoutIds,
    async script(send) {
      const browser = openBrowser(send)
      const right = form('username=ada&password=lovelace')
      const wrong = form('username=ada&password=x')
      return [
        ...(await sendAll(browser, ['/me'], ['/login', wrong], ['/sorry?why=1'], ['/login', right], ['/me'])),
        ...(await sendAll(browser, ['/logout', { method: 'POST' }], ['/me'])),
        ...(await sendAll(browser, ['/api-login', wrong], ['/api-login', right], ['/me'])),
        ...(await sendAll(send, ['/error-login', wrong], ['/login', form('username=broken&password=x')])),
        ...(await sendAll(send, [
          '/login',
          { ...wrong, headers: { ...wrong.headers, accept: 'text/plain' } },
        ])),
      ]
    },
  },
]

import cookieParser from 'cookie-parser'
import type { ExpressRequest } from 'routecontrollers/express'
import { describeAnswers } from './support/answers.js'

const now = Date.UTC(2030, 0, 1)
const timers = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const

// Expires is counted from now, which is the same for both.
beforeEach(() => void jest.useFakeTimers({ now, doNotFake: [...timers] }))
afterEach(() => void jest.useRealTimers())

describeAnswers('res.cookie', {
  'a text': (_req, res) => res.cookie('name', 'value').end(),
  'a text to be encoded': (_req, res) => res.cookie('name', 'a b;ü="x",%').end(),
  'an encoding of its own': (_req, res) =>
    res.cookie('name', 'a b', { encode: (value) => value.replace(' ', '+') }).end(),
  'an object': (_req, res) => res.cookie('name', { a: [1, 'ü'] }).end(),
  null: (_req, res) => res.cookie('name', null).end(),
  undefined: (_req, res) => res.cookie('name', undefined).end(),
  'a number': (_req, res) => res.cookie('name', 7).end(),
  several: (_req, res) => res.cookie('a', '1').cookie('b', '2').cookie('a', '3').end(),
  'with an answer': (_req, res) => res.cookie('a', '1').json({ a: 1 }),
  'all options': (_req, res) =>
    res
      .cookie('name', 'value', {
        domain: 'example.com',
        path: '/below',
        expires: new Date(now),
        httpOnly: true,
        secure: true,
        partitioned: true,
        priority: 'high',
        sameSite: 'none',
      })
      .end(),
  maxAge: (_req, res) => res.cookie('name', 'value', { maxAge: 1500 }).end(),
  'maxAge 0': (_req, res) => res.cookie('name', 'value', { maxAge: 0 }).end(),
  'a negative maxAge': (_req, res) => res.cookie('name', 'value', { maxAge: -1 }).end(),
  'maxAge as a text': (_req, res) => res.cookie('name', 'value', { maxAge: '2000' as never }).end(),
  'maxAge that is none': (_req, res) => res.cookie('name', 'value', { maxAge: 'soon' as never }).end(),
  'maxAge null': (_req, res) => res.cookie('name', 'value', { maxAge: null as never }).end(),
  'maxAge and expires': (_req, res) =>
    res.cookie('name', 'value', { maxAge: 1000, expires: new Date(0) }).end(),
  'sameSite true': (_req, res) => res.cookie('name', 'value', { sameSite: true }).end(),
  'a wrong sameSite': (_req, res) => res.cookie('name', 'value', { sameSite: 'maybe' as never }).end(),
  'a wrong priority': (_req, res) => res.cookie('name', 'value', { priority: 'urgent' as never }).end(),
  'a wrong expires': (_req, res) => res.cookie('name', 'value', { expires: 'soon' as never }).end(),
  'a wrong domain': (_req, res) => res.cookie('name', 'value', { domain: 'a;b' }).end(),
  'a wrong path': (_req, res) => res.cookie('name', 'value', { path: '/;' }).end(),
  'no path': (_req, res) => res.cookie('name', 'value', { path: '' }).end(),
  'path null': (_req, res) => res.cookie('name', 'value', { path: null as never }).end(),
  'a wrong name': (_req, res) => res.cookie('na me', 'value').end(),
  'options that are not changed': (_req, res) => {
    const options = Object.freeze({ maxAge: 1000, httpOnly: true })
    res.cookie('name', 'value', options).end(JSON.stringify(options))
  },
  'options that inherit': (_req, res) =>
    res.cookie('name', 'value', Object.create({ httpOnly: true, maxAge: 1000 }) as object).end(),
  'signed, without a secret': (_req, res) => res.cookie('name', 'value', { signed: true }).end(),
  signed: (req, res) => {
    ;(req as ExpressRequest & { secret: string }).secret = 'tobi'
    res
      .cookie('name', 'value', { signed: true })
      .cookie('other', { a: 1 }, { signed: true, maxAge: 1000 })
      .end()
  },
})

describeAnswers('res.clearCookie', {
  'a name': (_req, res) => res.clearCookie('name').end(),
  'a path and a domain': (_req, res) =>
    res.clearCookie('name', { path: '/below', domain: 'example.com' }).end(),
  'maxAge and expires': (_req, res) =>
    res.clearCookie('name', { maxAge: 5000, expires: new Date(now), httpOnly: true }).end(),
  maxAge: (_req, res) => res.clearCookie('name', { maxAge: 5000 }).end(),
  expires: (_req, res) => res.clearCookie('name', { expires: new Date(now) }).end(),
  'options that inherit': (_req, res) =>
    res.clearCookie('name', Object.create({ httpOnly: true, path: '/below' }) as object).end(),
  'after it was set': (_req, res) => res.cookie('name', 'value').clearCookie('name').send('text'),
})

describeAnswers(
  'cookies beside cookie-parser',
  {
    'read and signed again': (req, res, next) =>
      cookieParser('keyboard cat')(req as never, res as never, () => {
        const { cookies, signedCookies } = req
        res.cookie('signed', 'value', { signed: true })
        res.json({ cookies, signedCookies })
        void next
      }),
  },
  {
    requests: {
      none: {},
      some: {
        headers: {
          Cookie: 'a=1; b=j%3A%7B%22c%22%3A2%7D; signed=s%3Avalue.x8Xb; d="q"',
        },
      },
    },
  },
)

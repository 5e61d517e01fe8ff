// The res.json of a class of responses sends what Express's own sends, and calls what a program has put in the place of its parts.
import type { Express } from 'express'
import fc from 'fast-check'
import { times } from '../support/counts.js'
import { closeHosted } from '../support/hosting.js'
import {
  type Ask,
  describeSideBySide,
  onBothSides,
  type Scenario,
  type Side,
  sides,
} from './support/side-by-side.js'

afterEach(closeHosted)

type Handler = (req: any, res: any, next: (error?: unknown) => void) => unknown

const tag = 'W/"7-vcJBaKz9Bm0MZmVBAHMdBWp3yEI"'

/** What each scenario is asked: it is fresh for some of them. */
const questions: readonly (readonly [string, Record<string, string>, string?])[] = [
  ['/', {}],
  ['/', {}, 'HEAD'],
  ['/', {}, 'POST'],
  ['/', { 'If-None-Match': tag }],
  ['/', { 'If-None-Match': tag }, 'HEAD'],
  ['/', { 'If-None-Match': tag }, 'POST'],
  ['/', { 'If-None-Match': '*' }],
  ['/', { 'If-None-Match': '*', 'Cache-Control': 'no-cache' }],
  ['/', { 'If-Modified-Since': 'Tue, 02 Jan 2024 00:00:00 GMT' }],
]

async function askAll(ask: Ask): Promise<string[]> {
  const answers: string[] = []
  for (const [target, headers, method] of questions) answers.push(await ask(target, headers, method))
  return answers
}

const tellError = (error: any, _req: unknown, res: any, _next: unknown): void => {
  if (res.headersSent) return void res.destroy()
  res.statusCode = 500
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  res.end(`${error.name}: ${error.code ?? error.message}`)
}

interface Parts {
  /** Before the server is there. */
  before?: ((app: any, express: any) => (() => void) | void) | undefined
  /** Once it is there. Both give what undoes it, where it is not of the app. */
  after?: ((app: any, express: any) => (() => void) | void) | undefined
  /** In front of the handler. */
  uses?: readonly Handler[]
}

const answering =
  (handler: Handler, { before, after, uses = [] }: Parts = {}): Scenario =>
  async ({ express, createApp, serve }) => {
    const app = createApp()
    const undo = before?.(app, express)
    const ask = await serve(app)
    for (const use of uses) app.use(use)
    app.all('/', handler as never)
    app.use(tellError)
    const undoLater = after?.(app, express)
    try {
      return await askAll(ask)
    } finally {
      undoLater?.()
      undo?.()
    }
  }

const sending =
  (value: unknown): Handler =>
  (_req, res) =>
    res.json(value)
const plain = sending({ a: 1 })

/** Wraps a function of an object; gives what undoes it. */
function wrap(target: any, name: string, make: (original: any) => unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name)
  target[name] = make(target[name])
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, name)
    else Object.defineProperty(target, name, own)
  }
}

/** Wrappers of what res.json calls, each of which can be seen in the answer. */
const wrappers: Readonly<Record<string, (original: any) => unknown>> = {
  json: (original) =>
    function json(this: any, ...values: unknown[]) {
      return original.call(this, { wrapped: values[0], count: values.length })
    },
  send: (original) =>
    function send(this: any, body: unknown) {
      this.setHeader('X-Send', typeof body)
      return original.call(this, body)
    },
  set: (original) =>
    function set(this: any, name: string, value: string) {
      return original.call(this, name, name === 'Content-Type' ? `${value}; a=b` : value)
    },
  header: (original) =>
    function header(this: any, name: string, value: string) {
      return original.call(this, name, String(value).toUpperCase())
    },
  get: (original) =>
    function get(this: any, name: string) {
      return name === 'Content-Type' ? 'text/x-own' : original.call(this, name)
    },
  status: (original) =>
    function status(this: any, code: number) {
      this.setHeader('X-Status', String(code))
      return original.call(this, code)
    },
  setHeader: (original) =>
    function setHeader(this: any, name: string, value: string) {
      this.calls = Number(this.calls ?? 0) + 1
      return original.call(this, name, name === 'ETag' ? `"${this.calls}"` : value)
    },
  getHeader: (original) =>
    function getHeader(this: any, name: string) {
      return name === 'ETag' ? '"own"' : original.call(this, name)
    },
  removeHeader: (original) =>
    function removeHeader(this: any, name: string) {
      this.setHeader('X-Removed', name)
      return original.call(this, name)
    },
  writeHead: (original) =>
    function writeHead(this: any, ...parameters: unknown[]) {
      const length: unknown = this.getHeader('Content-Length')
      this.setHeader('X-Head', `${typeof length} ${String(length)}`)
      return original.apply(this, parameters)
    },
  end: (original) =>
    function end(this: any, ...parameters: unknown[]) {
      const [chunk] = parameters as [unknown]
      this.setHeader('X-End', [parameters.length, Buffer.isBuffer(chunk), typeof chunk, parameters[1]].join())
      return original.apply(this, parameters)
    },
}

const onResponse =
  (name: string): Handler =>
  (_req, res, next) => {
    wrap(res, name, wrappers[name]!)
    next()
  }

/** Without the header that Express sets before it gives a response its prototype: a setHeader that is wrapped later sees it on classes. */
const quiet = (app: Express): void => void app.disable('x-powered-by')

/** Each wrapper, on all that has the function: a response, the app's, Express's, before and later. */
const wrapped = Object.keys(wrappers).flatMap((name): [string, Scenario][] => {
  const make = wrappers[name]!
  // What is Node's is not on Express's objects; there it shadows.
  const ofApp = (app: any) => void wrap(app.response, name, make)
  const ofExpress = (_app: any, express: any) => wrap(express.response, name, make)
  return [
    [`${name} of a response is wrapped`, answering(plain, { uses: [onResponse(name)] })],
    [`${name} of app.response was wrapped before`, answering(plain, { before: ofApp })],
    [`${name} of app.response is wrapped later`, answering(plain, { before: quiet, after: ofApp })],
    [`${name} of express.response was wrapped before`, answering(plain, { before: ofExpress })],
    [`${name} of express.response is wrapped later`, answering(plain, { before: quiet, after: ofExpress })],
  ]
})

const values: Readonly<Record<string, unknown>> = {
  object: { a: 1 },
  'text beyond ASCII': { a: 'é日🍵\u2028', b: '\ud800' },
  markup: { a: '<script>&' },
  undefined: undefined,
  function: () => 1,
  symbol: Symbol('s'),
  null: null,
  'empty text': '',
  number: 1.5,
  bigint: { a: 1n },
  list: [],
  buffer: Buffer.from('é'),
  'large text': { a: 'x'.repeat(100_000) },
  'large text beyond ASCII': { a: 'é'.repeat(50_000) },
}

const settings: Readonly<Record<string, readonly [string, unknown]>> = {
  spaces: ['json spaces', 2],
  replacer: ['json replacer', ['a']],
  escape: ['json escape', true],
  strong: ['etag', 'strong'],
  weak: ['etag', 'weak'],
  'no ETag': ['etag', false],
  'an ETag of its own': [
    'etag',
    (body: Buffer | string, encoding: unknown) => `"${typeof body}${body.length}${String(encoding)}"`,
  ],
}

/** What a handler may do before it answers. */
const preparations: Readonly<Record<string, (req: any, res: any) => unknown>> = {
  'status 404': (_req, res) => res.status(404),
  'status 201': (_req, res) => res.status(201),
  'status 204': (_req, res) => res.status(204),
  'status 205': (_req, res) => res.status(205),
  'status 304': (_req, res) => (res.statusCode = 304),
  'status as text': (_req, res) => (res.statusCode = '404'),
  'a type': (_req, res) => res.type('text/plain'),
  'an empty type': (_req, res) => res.setHeader('Content-Type', ''),
  'a length': (_req, res) => res.set('Content-Length', '3'),
  'an ETag': (_req, res) => res.set('ETag', '"own"'),
  'a transfer coding': (_req, res) => res.set('Transfer-Encoding', 'chunked'),
  'a date of change': (_req, res) => res.set('Last-Modified', 'Mon, 01 Jan 2024 00:00:00 GMT'),
  'a header in Latin-1': (_req, res) => res.setHeader('X-Latin', 'é\xff'),
  'headers in another spelling': (_req, res) =>
    res.setHeader('content-length', '1').setHeader('X-A', ['1', '2']),
  cookies: (_req, res) => res.cookie('a', 'b').cookie('c', 'd'),
  'a fresh of its own': (req) => Object.defineProperty(req, 'fresh', { value: true }),
  'a fresh that throws': (req) =>
    Object.defineProperty(req, 'fresh', {
      get() {
        throw new Error('fresh')
      },
    }),
  'another request': (req, res) => {
    res.req = Object.assign(Object.create(req), { method: 'HEAD' })
    // From version 26 on, Node ends the process where it finishes a response with another request.
    res.once('prefinish', () => (res.req = req))
  },
  'the head flushed': (_req, res) => res.flushHeaders(),
  'an answer that is complete': (_req, res) => res.end('done'),
  'another app': (_req, res) => (res.app = Object.assign(Object.create(res.app), { get: () => undefined })),
}

const made = (
  names: Readonly<Record<string, unknown>>,
  make: (name: string) => Scenario,
): [string, Scenario][] => Object.keys(names).map((name) => [name, make(name)])

describeSideBySide('res.json', {
  ...Object.fromEntries(made(values, (name) => answering(sending(values[name])))),
  ...Object.fromEntries(wrapped),
})

describeSideBySide(
  'res.json, where a handler has prepared',
  Object.fromEntries(
    made(preparations, (name) =>
      answering((req, res) => {
        preparations[name]!(req, res)
        return res.json({ a: 1 })
      }),
    ),
  ),
)

describeSideBySide(
  'res.json with a setting, before and later',
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, [setting, value]]): [string, Scenario][] => {
      const set = (app: Express) => void app.set(setting, value)
      return [
        [`${name}, before`, answering(sending({ a: '<', b: 1 }), { before: set })],
        [`${name}, later`, answering(sending({ a: '<', b: 1 }), { after: set })],
      ]
    }),
  ),
)

describeSideBySide('res.json', {
  'in a toJSON that sets a header': answering((_req, res) =>
    res.json({ toJSON: () => (res.set('X-In', '1'), 1) }),
  ),
  'in a toJSON that sets the type': answering((_req, res) =>
    res.json({ toJSON: () => (res.type('text/plain'), 1) }),
  ),
  'in a toJSON that counts its calls, with a send that is wrapped': answering(
    (_req, res) => {
      let calls = 0
      return res.json({ toJSON: () => ++calls })
    },
    { uses: [onResponse('send')] },
  ),
  'in a toJSON that wraps send': answering((_req, res) =>
    res.json({ toJSON: () => (wrap(res, 'send', wrappers['send']!), 1) }),
  ),
  'in a toJSON that changes settings': answering((_req, res) =>
    res.json({ toJSON: () => (res.app.set('etag', 'strong').set('json spaces', 2), { a: 1 }) }),
  ),
  'called twice': answering((_req, res) => {
    res.json({ a: 1 })
    res.json({ b: 1 })
  }),
  'with two parameters, and with none': async ({ createApp, serve }) => {
    const app = createApp()
    app.get('/', (_req, res: any) => res.json({ a: 1 }, 201))
    app.get('/other', (_req, res: any) => res.json(202, { a: 1 }))
    app.get('/none', (_req, res: any) => res.json())
    const ask = await serve(app)
    return [await ask('/'), await ask('/other'), await ask('/none')]
  },
  'gives the response': answering((_req, res) => {
    const end = res.end.bind(res)
    res.end = () => res
    const again = res.json(null)
    end(String(again === res))
  }),
  'by send of an object': answering((_req, res) => res.send({ a: 1 })),
  'of a mounted app with settings of its own, and with those of its parent': async ({ createApp, serve }) => {
    const [parent, sub, same] = [createApp(), createApp(), createApp()]
    parent.set('json escape', true)
    sub.set('json spaces', 3).set('json escape', false).set('etag', 'strong')
    for (const app of [sub, same]) app.get('/', sending({ a: '<' }))
    parent.use('/sub', sub).use('/same', same)
    const asks = [await serve(parent), await serve(sub)]
    const answers: string[] = []
    for (const ask of asks) answers.push(await ask('/'), await ask('/sub'), await ask('/same'))
    return answers
  },
  'of a mounted app whose parent wraps its own': async ({ createApp, serve }) => {
    const [parent, sub] = [createApp(), createApp()]
    const asks = [await serve(sub), await serve(parent)]
    parent.use('/s', sub.get('/', plain))
    wrap(parent.response, 'json', wrappers['json']!)
    asks.push(await serve(parent))
    return Promise.all(asks.flatMap((ask) => [ask('/s'), ask('/')]))
  },
  'of an app whose settings are read by another get': answering(plain, {
    after: (app) =>
      void wrap(
        app,
        'get',
        (get) =>
          function (this: any, ...parameters: unknown[]) {
            return parameters[0] === 'json spaces' ? 4 : get.apply(this, parameters)
          },
      ),
  }),
  'of an app whose settings are read by another set': answering(plain, {
    after: (app) =>
      void wrap(
        app,
        'set',
        (set) =>
          function (this: any, ...parameters: unknown[]) {
            return parameters[0] === 'json spaces' && parameters.length === 1
              ? 4
              : set.apply(this, parameters)
          },
      ),
  }),
  'of Express, in place of a wrapped one': async ({ express, createApp, serve }) => {
    const app = createApp()
    const ask = await serve(app.get('/', plain))
    app.response.json = () => app.response
    app.response.json = express.response.json
    return askAll(ask)
  },
  'on a connection that is kept, before another answer': async ({ createApp, serve }) => {
    const ask = await serve(createApp().all('/', sending({ a: 'é' })))
    return [await ask('/', { Connection: 'keep-alive, close' }), await ask()]
  },
})

describe.each(sides)('res.json with %s, in random circumstances', (_name, express) => {
  const some = (names: readonly string[], most: number) =>
    fc.uniqueArray(fc.constantFrom(...names), { maxLength: most })
  const circumstances = fc.record({
    value: fc.oneof(
      fc.constantFrom(...Object.keys(values)).map((name) => values[name]),
      fc.jsonValue(),
    ),
    before: some(Object.keys(settings), 1),
    after: some(Object.keys(settings), 1),
    prepared: some(
      Object.keys(preparations).filter((name) => !name.startsWith('an answer')),
      2,
    ),
    onResponse: some(Object.keys(wrappers), 2),
    onApp: some(Object.keys(wrappers), 1),
    isEarly: fc.boolean(),
    isMounted: fc.boolean(),
    bySend: fc.boolean(),
  })

  it('is that of a plain server', async () => {
    await fc.assert(
      fc.asyncProperty(circumstances, async (one) => {
        const scenario = async ({ createApp, serve }: Side): Promise<unknown> => {
          const app = createApp()
          const inner = one.isMounted ? createApp() : app
          for (const name of one.before) app.set(...settings[name]!)
          const wrapAll = () => one.onApp.forEach((name) => wrap(inner.response, name, wrappers[name]!))
          if (one.isEarly) wrapAll()
          const ask = await serve(app)
          for (const name of one.onResponse) inner.use(onResponse(name))
          inner.all('/', (req: any, res: any) => {
            for (const name of one.prepared) preparations[name]!(req, res)
            if (one.bySend && typeof one.value === 'object') res.send(one.value)
            else res.json(one.value)
          })
          inner.use(tellError)
          if (one.isMounted) app.use(inner)
          for (const name of one.after) inner.set(...settings[name]!)
          if (!one.isEarly) {
            quiet(app)
            quiet(inner)
            wrapAll()
          }
          const answers = await askAll(ask)
          await closeHosted()
          return answers
        }
        const { plain, onClasses } = await onBothSides(express, scenario)
        expect(onClasses).toEqual(plain)
      }),
      { numRuns: times(25, 2_000), ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }) },
    )
  }, 900_000)
})

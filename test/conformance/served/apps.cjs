// The apps that promises.ts asks, the same in every runtime. Each is one RouteControllers.

const silent = { info() {}, warn() {}, error() {} }
const bytesOf = (text) => new TextEncoder().encode(text)

/** `tea of yesterday`, by gzip. */
const coded = Uint8Array.from(atob('H4sIAAAAAAACAytJTVTIT1OoTC0uSS1KSawEAEP4PpoQAAAA'), (one) =>
  one.charCodeAt(0),
)

async function* pieces() {
  yield 'one '
  yield 'two '
  yield bytesOf('three')
}

/** A Standard Schema that takes an object whose `name` is a text, and gives the name in upper case. */
const named = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value?.name === 'string' && value.name !== ''
        ? { value: { ...value, name: value.name.toUpperCase() } }
        : { issues: [{ message: 'a name is missing', path: ['name'] }] },
  },
}

/** Routes without hooks. */
function plain({ Controller, RouteControllers, group, conditional, etag }) {
  let kept
  const show = (name) => (req, res) => res.json({ route: name, params: req.params })
  const signals = { whole: [], streamed: [], left: [] }
  // Not the signal itself: one of workerd cannot be read in another request.
  const watch = ({ signal }, which) => {
    const seen = { aborted: signal.aborted, cancelled: false }
    signal.addEventListener('abort', () => (seen.aborted = true))
    signals[which].push(seen)
    return seen
  }
  const failing = (error) => () => {
    throw error
  }
  const refuseStranger = (req, res) =>
    req.get('x-user') === undefined ? res.status(401).text('Who are you?') : { user: req.get('x-user') }
  const stamped = async (req, res, next) => {
    const answer = await next()
    answer.headers.set('X-Around', req.path ?? 'around')
    return answer
  }
  const api = group('/api', refuseStranger)
  const routes = [
    new Controller('GET', '/files/*', show('/files/*')),
    new Controller('GET', '/named/*rest', show('/named/*rest')),
    new Controller('GET', '/users/:userId', show('/users/:userId'), { name: 'user' }),
    new Controller('GET', '/users/me', show('/users/me')),
    new Controller('*', '/methods', (req) => `any ${req.method}`),
    new Controller('PUT', '/methods', () => 'put'),
    new Controller('PURGE', '/methods', () => 'purge'),
    new Controller('GET', '/reach/*', show('/reach/*')),
    new Controller('POST', '/reach/one', show('POST /reach/one')),
    new Controller('GET', '/head', () => 'of GET'),
    new Controller('HEAD', '/head', (_req, res) => res.header('X-Of', 'HEAD').end()),
    new Controller('POST', '/post', () => 'posted'),

    new Controller('*', '/echo/*', (req, res) =>
      res.json({ method: req.method, url: req.url, originalUrl: req.originalUrl, query: req.query }),
    ),
    new Controller('GET', '/cookies', (req, res) => res.json(req.cookies)),
    new Controller('GET', '/header/:name', (req, res) => res.json(req.get(req.params.name) ?? null)),
    new Controller('GET', '/route', (req, res) => res.json(req.route), { name: 'the route' }),
    new Controller('GET', '/last', (req, res) => res.json(routeControllers.getQueryParams(req.url))),
    new Controller('GET', '/check', (_req, res) =>
      res.json([routeControllers.checkRoute('GET:/users/1'), routeControllers.checkRoute('GET /none?a=1')]),
    ),
    new Controller('GET', '/url', (_req, res) =>
      res.json(routeControllers.url('user', { userId: 'a/b' }, { query: { q: 'ü' } })),
    ),
    new Controller('GET', '/ip', (req, res) => res.json(req.realIp ?? null)),

    new Controller('POST', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('POST', '/again', async (req, res) =>
      res.json([req.body, await req.json(), await req.text(), req.rawBody.length]),
    ),
    new Controller('POST', '/form', async (req, res) => {
      const form = await req.formData()
      const file = form.get('file')
      const isFile = typeof file === 'object' && file !== null
      return res.json([form.get('name'), isFile && [file.name, file.type, await file.text()]])
    }),
    new Controller('POST', '/bytes', async (req, res) =>
      res.json([...new Uint8Array(await req.arrayBuffer())].slice(0, 10)),
    ),
    new Controller('POST', '/iterate', async (req) => {
      let length = 0
      for await (const chunk of req) length += chunk.byteLength
      return String(length)
    }),
    new Controller('POST', '/stream-text', async (req) => `${(await req.text()).length}`, { body: 'stream' }),
    new Controller('POST', '/unread', () => 'unread', { body: 'stream' }),

    new Controller('GET', '/text', () => 'Grüße'),
    new Controller('GET', '/object', () => ({ tea: 'grün' })),
    new Controller('GET', '/list', () => [1, 2]),
    new Controller('GET', '/null', () => null),
    new Controller('GET', '/octets', () => Uint8Array.of(0, 255, 128, 10)),
    new Controller('GET', '/coded', (_req, res) =>
      res.header('Content-Type', 'text/plain').header('Content-Encoding', 'gzip').send(coded),
    ),
    new Controller('GET', '/html', (_req, res) => res.html('<p>hello')),
    new Controller('GET', '/status', (_req, res) => res.status(201).json({ made: true })),
    new Controller('GET', '/built', (_req, res) => void res.json({ built: true })),
    new Controller('GET', '/nothing', () => {}),
    new Controller('GET', '/twice', (_req, res) => {
      res.status(401).end()
      return res.json({ secret: true })
    }),
    new Controller('GET', '/misspelt-cookie', (_req, res) => res.cookie('a', '1', { httponly: true }).end()),
    new Controller('GET', '/number', () => 5),
    new Controller(
      'GET',
      '/response',
      () => new Response('own', { status: 203, headers: { 'X-Own': 'yes' } }),
    ),
    new Controller('GET', '/response-json', () => Response.json({ own: true })),
    new Controller('GET', '/added', (_req, res) => {
      res.header('X-Added', 'yes')
      return new Response('with more')
    }),
    new Controller('GET', '/set-cookies', (_req, res) =>
      res
        .cookie('a', '1', { path: '/' })
        .cookie('b', 'x y', { httpOnly: true, maxAgeSeconds: 60 })
        .text('set'),
    ),
    new Controller('GET', '/bad-cookie', (_req, res) =>
      res.cookie('a', '1', { sameSite: 'none' }).text('set'),
    ),
    new Controller('GET', '/bad-header', (_req, res) => res.header('X-Bad', 'a\r\nb: c').text('set')),
    new Controller('GET', '/connection', (_req, res) =>
      res.header('Connection', 'x-own').header('Transfer-Encoding', 'x-own').text('whole'),
    ),
    new Controller('GET', '/redirect', (req, res) => res.redirect(`/tea?kind=${req.query.to ?? 'grün'}`)),
    new Controller('GET', '/located', (req, res) =>
      res.status(201).location(`/tea?kind=${req.query.at}`).text('made'),
    ),
    new Controller('GET', '/latin', (_req, res) => res.header('X-Latin', 'caf\xe9').text('Grüße')),
    new Controller('GET', '/stream', (_req, res) => res.stream(pieces())),
    new Controller('GET', '/generator', () => pieces()),
    new Controller('GET', '/web-stream', () => new Response('streamed').body),
    new Controller('GET', '/events', (_req, res) =>
      res.sse(async function* () {
        yield { event: 'tea', data: 'one\ntwo', id: '1' }
        yield 'three'
      }),
    ),
    new Controller('GET', '/long', (_req, res) => res.header('Content-Length', '7').stream(pieces())),
    new Controller('GET', '/short', (_req, res) => res.header('Content-Length', '99').stream(pieces())),
    new Controller('GET', '/exact', (_req, res) => res.header('Content-Length', '13').stream(pieces())),
    new Controller('GET', '/no-length', (_req, res) => res.header('Content-Length', '5, 5').stream(pieces())),
    new Controller('GET', '/wrong-length', (_req, res) => res.header('Content-Length', '2').text('four')),
    new Controller('GET', '/bodiless/:status', (req, res) =>
      res.status(Number(req.params.status)).text('a body'),
    ),
    new Controller('GET', '/breaks', (_req, res) =>
      res.stream(
        (async function* () {
          yield 'begun'
          throw new Error('no more')
        })(),
      ),
    ),
    new Controller('GET', '/unopened', (_req, res) =>
      res.header('X-Gone', 'yes').stream({
        [Symbol.asyncIterator]() {
          throw new Error('cannot be opened')
        },
      }),
    ),
    new Controller('GET', '/kept', (req, res) => (kept ??= res.json({ kept: true }))),

    new Controller('GET', '/throws', failing(new Error('a secret'))),
    new Controller('GET', '/throws/text', failing('a secret')),
    new Controller('GET', '/throws/404', failing(Object.assign(new Error('no tea'), { status: 404 }))),
    new Controller(
      'GET',
      '/throws/429',
      failing(
        Object.assign(new Error('slower'), {
          statusCode: 429,
          headers: { 'Retry-After': '5', 'Content-Type': 'text/html' },
        }),
      ),
    ),
    new Controller('GET', '/throws/503', failing(Object.assign(new Error('a secret'), { status: 503 }))),
    new Controller(
      'GET',
      '/throws/exposed',
      failing(Object.assign(new Error('closed at night'), { status: 503, expose: true })),
    ),
    new Controller('GET', '/throws/later', async () => {
      await Promise.resolve()
      throw Object.assign(new Error('later'), { status: 409 })
    }),
    new Controller('GET', '/throws/unreadable', () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      throw proxy
    }),

    api.get('/me', (req, res) => res.json({ user: req.user })),
    api.get('/', () => 'the prefix'),
    api.with(stamped).get('/around', () => 'inside'),
    new Controller('GET', '/next-twice', () => 'inside').use(async (_req, _res, next) => {
      await next()
      return next()
    }),
    new Controller('GET', '/next-never', () => 'inside').use(async (_req, _res, _next) => {}),
    new Controller('GET', '/returns-text', () => 'inside').use(() => 'outside'),
    new Controller('GET', '/etag', () => ({ tea: 'oolong' })).use(conditional(), etag()),
    new Controller('POST', '/named', (req, res) => res.json(req.body), { input: { body: named } }),
    new Controller('GET', '/named', (req, res) => res.json(req.query.name), { input: { query: named } }),
    new Controller('GET', '/output', (_req, res) => res.json({ wrong: true }), { output: { 200: named } }),

    new Controller('GET', '/signal/whole', (req, res) => {
      watch(req, 'whole')
      return res.text('whole')
    }),
    new Controller('GET', '/signal/streamed', (req, res) => {
      watch(req, 'streamed')
      return res.stream(pieces())
    }),
    new Controller('GET', '/signal/left', (req, res) => {
      const seen = watch(req, 'left')
      return res.stream(
        (async function* () {
          try {
            // An end, should the client's leaving not be seen.
            for (let tick = 0; tick < 200; tick++) {
              yield `tick ${tick}\n`
              await new Promise((resolve) => setTimeout(resolve, 20))
            }
          } finally {
            seen.cancelled = true
          }
        })(),
      )
    }),
    new Controller('GET', '/specific/a/*', show('/specific/a/*')),
    new Controller('GET', '/specific/:first/b', show('/specific/:first/b')),
    new Controller('GET', '/bare', (req, res) =>
      res.json([req.query, req.cookies].map((one) => Object.getPrototypeOf(one) === null)),
    ),
    new Controller('DELETE', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('GET', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('POST', '/loop-again', async (req, res) => {
      const seen = []
      for await (const chunk of req) seen.push(...chunk)
      return res.json([req.body, String.fromCharCode(...seen)])
    }),
    new Controller('POST', '/as-json', async (req, res) => res.json(await req.json())),
    new Controller(
      'POST',
      '/both',
      async (req, res) =>
        res.json((await Promise.all([req.text(), req.arrayBuffer()])).map((one) => typeof one)),
      { body: 'stream' },
    ),
    new Controller('GET', '/empty', () => ''),
    new Controller('GET', '/buffer', () => Uint8Array.of(116, 101, 97).buffer),
    new Controller('GET', '/blob', () => new Blob(['tea'], { type: 'text/tea' })),
    new Controller('GET', '/status/:status', (req, res) => res.status(Number(req.params.status)).text('tea')),
    new Controller('GET', '/no-json', (_req, res) => res.json(undefined)),
    new Controller('GET', '/header-list', (_req, res) => res.header('X-List', ['a', 'b']).text('tea')),
    new Controller('GET', '/moved/:status', (req, res) => res.redirect('/tea', Number(req.params.status))),
    new Controller('GET', '/event-fields', (_req, res) =>
      res.sse(
        (async function* () {
          yield { data: { tea: 1 }, event: 'tea', id: '7', retry: 5 }
          yield 'a\r\nb\rc'
        })(),
      ),
    ),
    new Controller('GET', '/numbers', (_req, res) =>
      res.stream(
        (async function* () {
          yield 5
        })(),
      ),
    ),
    new Controller('GET', '/own-cookies', (_req, res) => {
      res.cookie('b', '2')
      return new Response('own', { headers: { 'Set-Cookie': 'a=1' } })
    }),
    new Controller('GET', '/own-status', () => Response.json({ own: true }, { status: 418 })),
    new Controller('GET', '/own-null', () => new Response(null, { status: 404 })),
    new Controller('GET', '/read-by-middleware', () => 'inside').use(async (_req, res, next) => {
      const answer = await next()
      return res.json([answer.status, answer.headers.get('Content-Type'), await answer.text()])
    }),
    new Controller('GET', '/replaced-by-middleware', () => 'inside').use(
      async (_req, _res, next) => new Response(`not ${await (await next()).text()}`, { status: 206 }),
    ),
    new Controller('GET', '/caught-by-middleware', failing(new Error('inside'))).use(
      async (_req, res, next) => {
        try {
          return await next()
        } catch (error) {
          return res.text(`caught ${error.message}`)
        }
      },
    ),
    new Controller('GET', '/set-by-middleware', () => 'inside').use((_req, res) => {
      res.status(203).header('X-Set', 'yes').cookie('a', '1')
    }),
    new Controller('GET', '/last-modified', (_req, res) =>
      res.header('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT').text('tea'),
    ).use(conditional()),
    new Controller('GET', '/checked/:name', (req, res) => res.json(req.params), { input: { params: named } }),
    new Controller(
      'GET',
      '/throws/hidden',
      failing(Object.assign(new Error('a secret'), { status: 404, expose: false })),
    ),
    new Controller('GET', '/slow/:name', async (req) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return req.params.name
    }),
    new Controller('GET', '/aborted/:which', (req, res) =>
      res.json(signals[req.params.which].map(({ aborted }) => aborted)),
    ),
    new Controller('GET', '/cancelled', (_req, res) =>
      res.json(signals.left.map(({ cancelled }) => cancelled)),
    ),
  ]
  const routeControllers = new RouteControllers(routes, { logger: silent, checkOutput: 'check' })
  return routeControllers.addHeader('X-Every', 'answer')
}

/** Small limits, compressed bodies, a parser of its own, its own answers to errors. */
function limited({ Controller, RouteControllers }) {
  const routes = [
    new Controller('POST', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('POST', '/large', (req) => `${req.body.length}`, { bodyLimit: 2000 }),
    new Controller('POST', '/iterate', async (req) => {
      let length = 0
      for await (const chunk of req) length += chunk.byteLength
      return String(length)
    }),
    new Controller('GET', '/query', (req, res) => res.json(req.query)),
    new Controller('POST', '/length', async (req) => String((await req.arrayBuffer()).byteLength)),
    new Controller('GET', '/silent', () => new Promise(() => {})),
    new Controller('GET', '/throws', () => {
      throw Object.assign(new Error('no tea'), { status: 418 })
    }),
  ]
  return new RouteControllers(routes, {
    logger: silent,
    bodyLimit: 1000,
    decompress: true,
    answerTimeoutMs: 200,
    limits: { maxTargetBytes: 200, maxQueryFields: 3, maxJsonDepth: 5, maxFormFields: 3 },
    bodyParsers: { 'application/xml': (body) => ({ xml: body.text() }) },
    onError: (error, _req, res) => (error.status === 418 ? res.text('teapot') : undefined),
    onNotFound: (req, res) => res.json({ missing: req.url }),
  })
}

/** 405 and OPTIONS. */
function strict({ Controller, RouteControllers }) {
  const routes = [
    new Controller('GET', '/tea', () => 'tea'),
    new Controller('POST', '/tea', () => 'more tea'),
  ]
  return new RouteControllers(routes, { logger: silent, methods: 'strict' })
}

/** X-Forwarded-For of proxies of this machine. */
function proxied({ Controller, RouteControllers }) {
  const ip = new Controller('GET', '/ip', (req, res) => res.json(req.realIp ?? null))
  return new RouteControllers([ip], { logger: silent, trustProxy: 'loopback' })
}

/** Middleware of Connect, written here. */
function hooked({ Controller, RouteControllers, fromConnect }) {
  const ended = []
  const routes = [
    new Controller('GET', '/tea', (req, res) => res.json({ tea: 'oolong', seen: req.seen })),
    new Controller('GET', '/text', () => 'Grüße'),
    new Controller('GET', '/null', () => null),
    new Controller('GET', '/stream', (_req, res) => res.stream(pieces())),
    new Controller('GET', '/exact', (_req, res) => res.header('Content-Length', '13').stream(pieces())),
    new Controller('GET', '/breaks', (_req, res) =>
      res.stream(
        (async function* () {
          yield 'begun'
          throw new Error('no more')
        })(),
      ),
    ),
    new Controller('POST', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('DELETE', '/deleted', (req) => `deleted by ${req.method}`),
    new Controller('GET', '/urls', (req, res) => res.json([req.url, req.originalUrl])),
    new Controller('GET', '/throws', () => {
      throw new Error('a secret')
    }),
    new Controller('GET', '/admin/secret', () => 'secret'),
    new Controller('GET', '/administrator', () => 'no secret'),
    new Controller('GET', '/members', (req, res) => res.json(req.members)),
    new Controller('GET', '/cookie', (_req, res) => res.cookie('a', '1').cookie('b', '2').text('set')),
    new Controller('GET', '/wrapped', (req) => `behind ${req.wrapped}`).use(
      fromConnect((req, _res, next) => {
        req.wrapped = 'fromConnect'
        next()
      }),
    ),
    ...[
      ['/chained', (_req, res) => res.status(201).set('X-Set', 'yes').json({ chained: true })],
      ['/send-status', (_req, res) => res.sendStatus(418)],
      ['/untyped', (_req, res) => void res.end('untyped')],
      [
        '/distinct',
        (req, res) => res.json([req.headersDistinct['x-tea'], typeof req.socket, req.socket.readable]),
      ],
      [
        '/end-events',
        (_req, res) => {
          res.on('finish', () => ended.push('finish')).on('close', () => ended.push('close'))
          res.end('ended')
        },
      ],
    ].map(([path, hook]) => new Controller('GET', path, () => 'not answered').use(fromConnect(hook))),
    new Controller('GET', '/ended', (_req, res) => res.json(ended)),
    new Controller('GET', '/body', (req, res) => res.json({ body: req.body ?? null })),
    new Controller('GET', '/status-of-middleware', () => 'tea').use(
      fromConnect((_req, res, next) => {
        res.statusCode = 203
        setTimeout(next, 1)
      }),
    ),
    new Controller('GET', '/own', () => new Response('own', { status: 202, headers: { 'X-Own': 'yes' } })),
    new Controller('GET', '/varies', (_req, res) => res.header('Vary', 'Accept').text('tea')),
    new Controller('GET', '/refused', () => 'not refused').use(
      fromConnect((_req, res) => {
        res.statusCode = 403
        res.end('refused by fromConnect')
      }),
    ),
  ]
  return new RouteControllers(routes, { logger: silent })
    .addGlobal((req, res, next) => {
      res.setHeader('X-Hook', 'yes')
      res.setHeader('Set-Cookie', 'of=hook')
      res.setHeader('Vary', 'Origin')
      req.seen = 'by a hook'
      next()
    })
    .addGlobal('/admin', (req, res, next) => {
      if (req.headers['x-admin'] !== undefined) return next()
      res.statusCode = 403
      res.end(`refused ${req.url}`)
    })
    .addGlobal('/answers', (req, res) => {
      res.writeHead(202, { 'Content-Type': 'text/plain', 'X-Written': ['a', 'b'] })
      res.write('answered ')
      res.end('by a hook')
    })
    .addGlobal('/json', (_req, res) => void res.status(201).json({ by: 'a hook' }))
    .addGlobal('/moved', (_req, res) => void res.redirect('/tea'))
    .addGlobal('/fails', (_req, _res, next) => next(Object.assign(new Error('failed'), { status: 409 })))
    .addGlobal('/later', (_req, _res, next) => void setTimeout(next, 5, new Error('route')))
    .addGlobal('/rejects', async () => {
      throw Object.assign(new Error('rejected'), { status: 409 })
    })
    .addGlobal('/only-request', (req, _res, next) => next(req))
    .addGlobal('/begins', (_req, res, next) => {
      res.write('begun')
      next()
    })
    .addGlobal('/skips', (_req, _res, next) => next('route'))
    .addGlobal('/raw', (req, res) => {
      let length = 0
      req.on('data', (chunk) => (length += chunk.length)).on('end', () => res.end(`read ${length}`))
    })
    .addGlobal('/piped', (req, res) => void req.pipe(res))
    .addGlobal('/members', (req, _res, next) => {
      const isSecure = req.protocol === 'https'
      req.members = [req.secure === isSecure, req.hostname, req.path, req.httpVersion, typeof req.ip]
      next()
    })
    .addGlobal((req, _res, next) => {
      if (req.headers['x-method'] !== undefined) req.method = req.headers['x-method']
      if (req.url === '/rewritten') req.url = '/urls?rewritten'
      next()
    })
    .addGlobal((error, _req, res, next) => {
      if (error.message !== 'route') return next(error)
      res.statusCode = 502
      res.end('by an error hook')
    })
}

/** Middleware that many apps have, from npm. */
function connect({ Controller, RouteControllers, fromConnect }, packages) {
  const { compression, cookieParser, cors, express, helmet, session } = packages
  const routes = [
    new Controller('GET', '/tea', () => 'oolong'),
    new Controller(
      'GET',
      '/visits',
      (req) => `visit ${(req.session.visits = (req.session.visits ?? 0) + 1)}`,
    ),
    new Controller('GET', '/cookies', (req, res) => res.json([req.cookies, req.signedCookies])),
    new Controller('POST', '/parsed', (req, res) => res.json(req.body ?? null), { body: 'stream' })
      .use(fromConnect(express.json({ limit: 50 })))
      .use(fromConnect(express.urlencoded({ extended: true }))),
    new Controller('GET', '/long', () => 'tea '.repeat(1000)),
    new Controller('GET', '/long-stream', (_req, res) =>
      res.header('Content-Type', 'text/plain').stream(
        (async function* () {
          for (let count = 0; count < 100; count++) yield 'tea '.repeat(10)
        })(),
      ),
    ),
    new Controller('GET', '/throws', () => {
      throw new Error('a secret')
    }),
  ]
  return new RouteControllers(routes, { logger: silent })
    .addGlobal(helmet())
    .addGlobal(cors({ origin: 'https://shop.example', credentials: true }))
    .addGlobal(compression())
    .addGlobal(cookieParser('a secret of a test'))
    .addGlobal(session({ secret: 'a secret of a test', resave: false, saveUninitialized: false }))
    .addGlobal((error, _req, res, _next) => {
      res.statusCode = 500
      res.end(`an error hook: ${error.message}`)
    })
}

/** A whole app of Express. */
function express({ RouteControllers }, { express, fromApp, toControllers }) {
  const app = express()
  app.set('env', 'test')
  app.set('trust proxy', 'loopback')
  app.use(express.json())
  app.use('/guarded', (req, res, next) => (req.get('x-user') ? next() : res.sendStatus(401)))
  app.get('/guarded/tea', (_req, res) => res.send('tea'))
  app.post('/body', (req, res) => res.json({ body: req.body ?? null }))
  app.get('/url', (req, res) => res.json([req.url, req.originalUrl, req.path, req.query]))
  app.get('/hostname', (req, res) => res.json(req.hostname))
  app.get('/ip', (req, res) => res.json(typeof req.ip))
  app.get('/users/:id', (req, res) => res.json(req.params))
  app.get('/redirect', (_req, res) => res.redirect('/tea?kind=gr\xfcn'))
  app.get('/cookie', (_req, res) => res.cookie('a', { b: 1 }).send('set'))
  app.get('/format', (_req, res) =>
    res.format({ text: () => res.send('text'), json: () => res.json({ format: 'json' }) }),
  )
  app.get('/stream', (_req, res) => {
    res.type('txt').write('one ')
    setTimeout(() => res.end('two'), 5)
  })
  app.get('/throws', () => {
    throw Object.assign(new Error('no tea'), { status: 418 })
  })
  app.get('/handled', async () => {
    throw Object.assign(new Error('no tea'), { status: 409 })
  })
  const team = express.Router({ mergeParams: true })
  team.get('/members', (req, res) => res.json([req.params.team, req.baseUrl, req.url]))
  app.use('/teams/:team', team)
  app.use((error, _req, res, next) =>
    error.status === 409 ? res.status(409).json({ handled: error.message }) : next(error),
  )
  const { controllers } = toControllers(app, { middleware: true })
  return new RouteControllers(controllers, { profile: fromApp(app), logger: silent })
}

exports.apps = { plain, limited, strict, proxied, hooked, connect, express }

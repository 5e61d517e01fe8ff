// What is done with the package in each environment. Each function resolves with 'used', or rejects.

/** Where there may be nothing but what the web has. */
exports.withoutHooks = async function withoutHooks({ Controller, RouteControllers }) {
  const plain = new RouteControllers(createRoutes(Controller), { decompress: true }).getCallback()
  expectSame(await ask(plain, '/users/7'), [200, '{"userId":"7"}'])
  expectSame(await ask(plain, '/stream'), [200, 'one two three'])
  expectSame(await ask(plain, '/body', gzipped()), [200, '{"packed":true}'])
  expectSame(await ask(plain, '/nowhere'), [404, 'Not Found'])
  expectSame(await ask(plain, '/body', bomb()), [413, 'The body has more than 1048576 bytes'])
  return 'used'
}

/** With hooks, which need Node's request and response, and with handlers of Express where `express` has them. */
exports.inMemory = async function inMemory(core, { express5, fromExpress } = {}) {
  const { Controller, RouteControllers } = core
  await exports.withoutHooks(core)

  const withHook = new RouteControllers(createRoutes(Controller), { decompress: true })
  withHook.addGlobal((req, res, next) => {
    res.setHeader('x-hook', req.url)
    next()
  })
  const hooked = withHook.getCallback()
  expectSame((await hooked(new Request('http://localhost/users/7'))).headers.get('x-hook'), '/users/7')
  expectSame(await ask(hooked, '/users/7'), [200, '{"userId":"7"}'])
  expectSame(await ask(hooked, '/stream'), [200, 'one two three'])
  expectSame(await ask(hooked, '/body', gzipped()), [200, '{"packed":true}'])
  expectSame(await ask(hooked, '/nowhere'), [404, 'Not Found'])

  if (fromExpress === undefined) return 'used'
  const greet = new Controller(
    'GET',
    '/greet/:name',
    fromExpress((req, res) => res.status(201).send(`Hello ${req.params.name}`)),
  )
  const profiled = new RouteControllers([greet], { profile: express5() }).getCallback()
  expectSame(await ask(profiled, '/GREET/ada/'), [201, 'Hello ada'])
  return 'used'
}

/** Over HTTP. */
exports.onServer = async function onServer({ Controller, RouteControllers, Server }) {
  const routeControllers = new RouteControllers(createRoutes(Controller), { decompress: true })
  routeControllers.addGlobal((req, res, next) => next())
  const server = new Server()
  // On Bun and Deno a line says why node:http serves.
  const logger = { info() {}, warn: console.warn, error: console.error }
  await server.start({ port: 0, host: '127.0.0.1', routeControllers, logger })
  const onSocket = (request) => fetch(new URL(new URL(request.url).pathname, server.getURL()), request)
  try {
    expectSame(await ask(onSocket, '/users/7'), [200, '{"userId":"7"}'])
    expectSame(await ask(onSocket, '/stream'), [200, 'one two three'])
    expectSame(await ask(onSocket, '/body', gzipped()), [200, '{"packed":true}'])
    expectSame(await ask(onSocket, '/nowhere'), [404, 'Not Found'])
  } finally {
    await server.stop()
  }
  return 'used'
}

function createRoutes(Controller) {
  return [
    new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId })),
    new Controller('POST', '/body', (req, res) => res.json(req.body)),
    new Controller('GET', '/stream', (req, res) => res.stream(pieces())),
  ]
}

async function* pieces() {
  yield 'one '
  yield 'two '
  yield 'three'
}

// {"packed":true}
const gzip = [
  31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 171, 86, 42, 72, 76, 206, 78, 77, 81, 178, 42, 41, 42, 77, 173, 5, 0, 137,
  224, 181, 220, 15, 0, 0, 0,
]

const gzipped = () => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  body: Uint8Array.from(gzip),
})

/** Gzip of a JSON text of 4 MB: 3912 bytes, nearly all of them 0. jsdom has nothing that makes it. */
function bomb() {
  const body = new Uint8Array(3912)
  body.set([
    31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 237, 193, 1, 9, 0, 0, 0, 2, 160, 47, 173, 108, 126, 63, 66, 77, 1,
  ])
  body.set([128, 123, 25, 102, 172, 139, 63, 2, 9, 61], 3901)
  return { ...gzipped(), body }
}

async function ask(fetchHandler, path, init) {
  const answer = await fetchHandler(new Request(`http://localhost${path}`, init))
  let text = ''
  const decoder = new TextDecoder()
  // Slower than it is written: Bun has ended its answers before they were taken.
  for await (const piece of answer.body) {
    text += decoder.decode(piece, { stream: true })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return [answer.status, text]
}

function expectSame(actual, expected) {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`Found ${found}, not ${wanted}`)
}

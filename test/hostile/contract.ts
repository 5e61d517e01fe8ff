import { Controller, type Logger, RouteControllers } from 'routecontrollers'

const counters = { unhandled: 0, uncaught: 0 }

/** Counts what no request may ever cause; `GET /__health` tells it. */
export function watchProcess(): void {
  process.on('unhandledRejection', () => counters.unhandled++)
  process.on('uncaughtException', () => counters.uncaught++)
}

function health(): object {
  let enumerable = 0
  for (const _ in {}) enumerable++
  return { ...counters, polluted: enumerable > 0 || 'polluted' in {} }
}

function sum(value: unknown): object {
  const text = JSON.stringify(value) ?? ''
  return {
    type: typeof value,
    bytes: text.length,
    keys: typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
    sample: text.slice(0, 120),
  }
}

const silent: Logger = { info() {}, warn() {}, error() {} }

/** The application that hostile requests are sent to: each route echoes what a client might try to bend. */
export function createContract(logger: Logger = silent): RouteControllers {
  const limited = { bodyLimit: 1000 }
  const routeControllers = new RouteControllers(
    [
      new Controller('GET', '/', (_req, res) => res.json({ route: 'root' })),
      new Controller('GET', '/hello', () => 'hello'),
      new Controller('GET', '/users/:id', (req, res) => res.json({ route: 'user', id: req.params.id })),
      new Controller('GET', '/users/:id/posts/:post', (req, res) =>
        res.json({ route: 'post', id: req.params.id, post: req.params.post }),
      ),
      new Controller('GET', '/files/*rest', (req, res) =>
        res.json({ route: 'files', rest: req.params.rest }),
      ),
      new Controller('GET', '/admin/secret', () => 'TOP-SECRET'),
      new Controller('GET', '/admin-public', () => 'public'),
      new Controller('GET', '/query', (req, res) => res.json(sum(req.query))),
      new Controller('GET', '/headers', (req, res) => {
        const names = Object.keys(req.headers)
        return res.json({ n: names.length, names: names.slice(0, 20) })
      }),
      new Controller('GET', '/cookies', (req, res) => res.json({ c: (req.get('cookie') ?? '').length })),
      new Controller('GET', '/ip', (req, res) => res.json({ ip: req.realIp ?? null })),
      new Controller('GET', '/url', (req, res) => {
        const host = req.get('host') ?? ''
        return res.json({
          url: req.url,
          path: req.url.split('?', 1)[0],
          host,
          hostname: host.replace(/:\d*$/, ''),
          protocol: 'http',
        })
      }),
      new Controller('GET', '/setheader', (req, res) => res.header('X-V', String(req.query['v'])).text('ok')),
      new Controller('GET', '/redirect', (req, res) => res.redirect(String(req.query['to']))),
      new Controller('GET', '/throw', () => {
        throw new Error('boom-detail')
      }),
      new Controller('GET', '/reject', async () => {
        throw new Error('boom-detail')
      }),
      new Controller('GET', '/slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 200))
        return 'slow'
      }),
      new Controller('GET', '/stream', (_req, res) => {
        const chunk = Buffer.alloc(16_384, 'a')
        return res.stream(
          (async function* () {
            for (let count = 0; count < 64; count++) yield chunk
          })(),
        )
      }),
      new Controller(
        'POST',
        '/echo',
        async (req, res) => res.json({ len: (await req.arrayBuffer()).byteLength }),
        limited,
      ),
      new Controller('POST', '/json', async (req, res) => res.json(sum(await req.json())), limited),
      new Controller('POST', '/form', (req, res) => res.json(sum(req.body)), limited),
      new Controller(
        'POST',
        '/upload',
        async (req, res) => {
          const form = await req.formData()
          const fields = [...form].map(([name, value]) => [
            name,
            typeof value === 'string' ? value : value.name,
          ])
          return res.json(sum(fields))
        },
        limited,
      ),
      new Controller('GET', '/__health', (_req, res) => res.json(health())),
    ],
    { logger },
  )
  return routeControllers.addGlobal('/admin', (req, res, next) => {
    if (req.headers['x-key'] === 'k') return next()
    res.statusCode = 401
    res.setHeader('Content-Type', 'application/json')
    res.end('{"guard":true}')
  })
}

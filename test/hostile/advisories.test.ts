import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { Controller, type Hook, RouteControllers, Server } from 'routecontrollers'
import { errorAnswer } from '../../src/answer/error-answer.js'
import { cert, key } from '../support/certificate.js'
import { describeServings } from '../support/describe-servings.js'
import { closeHosted, closeLater, createExpress, expresses, host } from '../support/hosting.js'
import { times } from '../support/counts.js'

afterEach(closeHosted)

/** Lets nobody in. */
const deny: Hook = (_req, res) => {
  res.statusCode = 401
  res.end('guard')
}

describeServings('A guard', (serving) => {
  // What turns one path into another somewhere: in a URL, in a decoder, in a file system, in a proxy.
  const disguises = fc.constantFrom(
    ...[
      '/',
      '//',
      '/./',
      '/../',
      '\\',
      ';x',
      '%2f',
      '%2F',
      '%5c',
      '%2e',
      '%2e%2e/',
      '%252f',
      '%00',
      '%zz',
      '%',
      '?',
      '%3f',
      '%23',
    ],
    ...[' ', '%20', '.', '..', '+', '%0d%0a', '%C0%AF', '%EF%BC%8F'],
  )
  const words = fc.constantFrom('admin', 'ADMIN', '%61dmin', 'Admin', 'secret', 'x', 'admin-public', '')
  const targets = fc
    .array(fc.oneof({ weight: 3, arbitrary: words }, { weight: 2, arbitrary: disguises }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => `/${parts.join('')}`)
    .filter((target) => /^[\x21-\x7e]+$/.test(target))

  it('has run for whatever path a controller below it was reached by', async () => {
    let guarded = 0
    let reached = 0
    const { send } = await serving.serve(
      [
        new Controller('GET', '/admin', () => (reached++, 'secret')),
        new Controller('GET', '/admin/*', () => (reached++, 'secret')),
        new Controller('GET', '/admin/:name/edit', () => (reached++, 'secret')),
        new Controller('GET', '/*', () => 'public'),
      ],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal('/admin', (_req, _res, next) => {
            guarded++
            next()
          }),
      },
    )
    await fc.assert(
      fc.asyncProperty(targets, async (target) => {
        guarded = reached = 0
        await send(target)
        expect({ target, guarded }).toEqual({ target, guarded: reached })
      }),
      { seed: 20_261_121, numRuns: times(15, 200) },
    )
    await send('/admin/secret')
    expect([guarded, reached]).toEqual([1, 1])
  })

  it('on a path with a param runs for an encoded slash in it, as its route does', async () => {
    const { send } = await serving.serve(
      [new Controller('GET', '/users/:id/posts', (req, res) => res.json(req.params.id))],
      {
        setup: (routeControllers) =>
          void routeControllers.addGlobal('/users/:id/posts', (req, res, next) =>
            req.headers['x-key'] === 'k' ? next() : void deny(req, res, next),
          ),
      },
    )
    expect((await send('/users/a%2Fb/posts')).text).toBe('guard')
    expect((await send('/users/a%2Fb/posts', { headers: { 'x-key': 'k' } })).json()).toBe('a/b')
  })

  it('at an encoded path cuts off as much as it has matched, and leaves the rest as it was sent', async () => {
    const seen: unknown[] = []
    const { send } = await serving.serve([new Controller('GET', '*', () => 'ok')], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal('/%E3%81%82', (req, _res, next) => {
          seen.push(req.url)
          next()
        }),
    })
    await send('/%E3%81%82/x%2Fy')
    expect(seen).toEqual(['/x%2Fy'])
  })

  it.each(['/%zz', '/%', '/%2', '/%E0%A4'])(
    'does not throw over %s, which is 400 or nobody’s',
    async (path) => {
      const { send, logged } = await serving.serve([new Controller('GET', '/:name', () => 'ok')], {
        setup: (routeControllers) => void routeControllers.addGlobal('/:name', (_req, _res, next) => next()),
      })
      expect((await send(path)).status).toBe(400)
      expect(logged).toEqual([])
    },
  )
})

describe.each(expresses)('A guard of RouteControllers in %s', (_name, anyExpress) => {
  const guarded = (): RouteControllers =>
    new RouteControllers([new Controller('GET', '/admin/secret', () => 'secret')]).addGlobal('/admin', deny)

  it.each([0, 1, 2, 3])('runs below %i mounts, each of whose paths is taken off once', async (depth) => {
    let app = createExpress(anyExpress)
    app.use(guarded().middleware())
    for (let level = 0; level < depth; level++) {
      const outer = createExpress(anyExpress)
      outer.use('/admin', app)
      app = outer
    }
    const { send } = await host(app)
    expect((await send(`${'/admin'.repeat(depth)}/admin/secret`)).text).toBe('guard')
    expect((await send(`${'/admin'.repeat(depth)}/secret`)).status).toBe(404)
  })

  it('runs below each path of a list, and below a regular expression', async () => {
    const app = createExpress(anyExpress)
    app.use(['/a', '/b'], guarded().middleware())
    app.use(/^\/c\d/, guarded().middleware())
    const { send } = await host(app)
    for (const mount of ['/a', '/b', '/c7']) expect((await send(`${mount}/admin/secret`)).text).toBe('guard')
  })
})

describeServings('A request', (serving) => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    'whose method is %s finds no controller',
    async (method) => {
      const { routeControllers } = await serving.serve([new Controller('GET', '/x', () => 'found')])
      const response = await routeControllers.getCallback()(new Request('http://t/x', { method }))
      expect(response.status).toBe(404)
      expect(routeControllers.checkRoute(`${method}:/x`).exists).toBe(false)
    },
  )

  it('is not cleared by a header that only frameworks set among themselves', async () => {
    const { send } = await serving.serve([new Controller('GET', '/admin', () => 'secret')], {
      setup: (routeControllers) => void routeControllers.addGlobal('/admin', deny),
    })
    for (const name of [
      'x-middleware-subrequest',
      'x-original-url',
      'x-rewrite-url',
      'x-http-method-override',
    ]) {
      expect((await send('/admin', { headers: { [name]: '/public' } })).text).toBe('guard')
    }
  })

  it.each([
    ['never looks at it', async () => 'answered'],
    [
      'swallows the error',
      async (req: any) =>
        req.arrayBuffer().then(
          () => 'answered',
          () => 'answered',
        ),
    ],
  ] as const)('over its limit does not reach a callback that %s', async (_how, callback) => {
    const { send } = await serving.serve([new Controller('POST', '/', callback as () => Promise<string>)], {
      bodyLimit: 5,
    })
    const over = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '123456' }
    expect((await send('/', over)).status).toBe(413)
    expect((await send('/', { ...over, chunked: true })).status).toBe(413)
    expect((await send('/', { ...over, body: '12345', chunked: true })).text).toBe('answered')
  })
})

describe('A Request given to getCallback()', () => {
  it.each(['1', '0', '-1', 'x', '5, 5'])(
    'is counted by its bytes, though it claims %p of them',
    async (length) => {
      const controllers = [new Controller('POST', '/', (req) => req.text())]
      const callback = new RouteControllers(controllers, { bodyLimit: 5 }).getCallback()
      const request = (body: string): Request =>
        new Request('http://t/', {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'content-length': length },
          body,
        })
      expect((await callback(request('123456'))).status).toBe(413)
      expect(await (await callback(request('12345'))).text()).toBe('12345')
    },
  )
})

describe('Patterns that would backtrack', () => {
  it.each([
    '/:a-:b-:c',
    '/*a-:b-*c-:d',
    '/*foo-*bar-:baz',
    '/x/*a-:b/*c/y',
    `/${'{a}'.repeat(30)}:z`,
    '/:a(\\d+)+',
  ])('%s is refused when the Controller is made', (pattern) => {
    expect(() => new Controller('GET', pattern, () => '')).toThrow(
      expect.objectContaining({ code: 'ERR_PATTERN_INVALID' }),
    )
  })

  it('has no pendant here: the shapes that are left take a path of two million characters', async () => {
    const shapes = ['/:a/:b/:c', '/:a/x/*rest', '/x/*', '*']
    const callback = new RouteControllers(
      shapes.map((shape) => new Controller('GET', shape, () => shape)),
      {
        limits: { maxTargetBytes: Infinity },
      },
    ).getCallback()
    for (const path of ['/a-'.repeat(600_000), '/x'.repeat(1_000_000), '/'.repeat(1_000_000)]) {
      expect((await callback(new Request(`http://t${path}`))).status).toBe(200)
    }
  })
})

describe('Header lists', () => {
  // What is quadratic in them takes minutes.
  const flood = ' '.repeat(1_000_000)
  it.each([
    `${flood}x`,
    `application/json${flood}x`,
    `application/json;${flood}q=0`,
    'application/json'.repeat(100_000),
    'application/'.repeat(100_000),
    'application/a+'.repeat(100_000),
  ])('Accept is read in one pass: %.40s…', (accept) => {
    expect(errorAnswer(undefined, accept).statusCode).toBe(500)
  })
})

describe('Callbacks of users that TLS is given', () => {
  it('may throw without taking the server with them', async () => {
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers([new Controller('GET', '/', () => 'hello')]),
      tls: {
        cert,
        key,
        SNICallback(name, done) {
          if (name === 'bad.test') throw new Error('thrown in SNICallback')
          done(null)
        },
      },
    })
    closeLater(() => server.stop({ graceMs: 0 }))
    const ask = async (servername: string): Promise<string> => {
      const socket = connectTls({
        port: server.getPort(),
        host: '127.0.0.1',
        servername,
        rejectUnauthorized: false,
      })
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
      socket.on('error', () => {})
      socket.end('GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n')
      await new Promise((resolve) => socket.once('close', resolve))
      return text
    }
    expect(await ask('bad.test')).toBe('')
    expect(await ask('good.test')).toContain('hello')
  })
})

describe('docs/advisories.md', () => {
  const file = join(__dirname, '../../docs/advisories.md')
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\| *\d+ *\|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const corpus = new Set(
    (JSON.parse(readFileSync(join(__dirname, 'requests.json'), 'utf8')) as { name: string }[]).map(
      ({ name }) => name,
    ),
  )

  it('has each of the 84', () => {
    expect(rows.map(([, at]) => Number(at))).toEqual(Array.from({ length: 84 }, (_, at) => at + 1))
  })

  it.each(rows.map((cells) => [cells[1], cells[2], cells[4]] as const))(
    '%s (%s) names requests and tests that are there, or says why there is none',
    (_at, _id, where) => {
      const requests = [...where!.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name!)
      const tests = [...where!.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
      expect(requests.filter((name) => !corpus.has(name))).toEqual([])
      for (const [, title, path] of tests) {
        expect(readFileSync(join(dirname(file), path!), 'utf8')).toContain(title)
      }
      expect(requests.length + tests.length > 0 || /^None: \w/.test(where!)).toBe(true)
    },
  )
})

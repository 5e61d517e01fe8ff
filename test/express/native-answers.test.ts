// Answers of native callbacks that an app makes by its own means: redirects, answers without a body, files, and values of any type.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5 from 'express'
import request from 'supertest'
import { around, Controller, RouteControllers } from 'routecontrollers'
import {
  createServer,
  download,
  fromRouter,
  native,
  type NativeCallback,
  sendFile,
  sendValue,
} from 'routecontrollers/express'
import { isWhole } from '../support/counts.js'
import { closeHosted, closeLater, createExpress } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'
import { sides } from './support/side-by-side.js'

const root = mkdtempSync(join(tmpdir(), 'answers-'))
const modified = new Date('2020-02-02T02:02:02Z')
writeFileSync(join(root, 'tea.txt'), 'Earl Grey, Assam')
utimesSync(join(root, 'tea.txt'), modified, modified)

afterEach(closeHosted)
afterAll(() => rmSync(root, { recursive: true }))

type Handler = (req: any, res: any) => unknown
/** A handler of Express, and the native callback that answers as it does. */
type Pair = readonly [handler: Handler, native: NativeCallback]

const values: Record<string, unknown> = {
  text: '<p>tea</p>',
  'an empty text': '',
  object: { tea: 'Assam' },
  list: [1, 2],
  bytes: Buffer.from('tea'),
  'other bytes': new Uint8Array([116, 101, 97]),
  null: null,
  nothing: undefined,
  true: true,
  error: new TypeError('no tea'),
}

const pairs: Record<string, Pair> = {
  redirect: [(_req, res) => res.redirect('/teas?a=ü&b=<i>'), (_req, res) => res.redirect('/teas?a=ü&b=<i>')],
  'redirect of a status': [
    (_req, res) => res.redirect(308, 'https://tea.example/%zz'),
    (_req, res) => res.redirect('https://tea.example/%zz', 308),
  ],
  'redirect with a cookie and a header': [
    (_req, res) => res.cookie('a', 'b').set('X-Tea', 'Assam').redirect('back'),
    (_req, res) => res.cookie('a', 'b').header('X-Tea', 'Assam').redirect('back'),
  ],
  'status without a body': [(_req, res) => res.status(404).end(), (_req, res) => res.status(404).end()],
  'status that is sent': [(_req, res) => res.status(500).send(), (_req, res) => res.status(500).end()],
  'type without a body': [
    (_req, res) => res.type('json').status(201).end(),
    (_req, res) => res.header('Content-Type', 'application/json; charset=utf-8').status(201).end(),
  ],
  file: [(_req, res) => res.sendFile(join(root, 'tea.txt')), () => sendFile(join(root, 'tea.txt'))],
  'file below a root': [
    (_req, res) => res.sendFile('tea.txt', { root, maxAge: 5000 }),
    async () => sendFile('tea.txt', { root, maxAge: 5000 }),
  ],
  'file with a status, a type and cookies': [
    (_req, res) =>
      res.status(404).type('html').cookie('a', 'b').cookie('c', 'd').sendFile(join(root, 'tea.txt')),
    (_req, res) => {
      res.status(404).header('Content-Type', 'text/html; charset=utf-8').cookie('a', 'b').cookie('c', 'd')
      return sendFile(join(root, 'tea.txt'))
    },
  ],
  'no file': [(_req, res) => res.sendFile(join(root, 'none')), () => sendFile(join(root, 'none'))],
  folder: [(_req, res) => res.sendFile(root), () => sendFile(root)],
  'relative path': [(_req, res) => res.sendFile('tea.txt'), () => sendFile('tea.txt')],
  download: [(_req, res) => res.download(join(root, 'tea.txt')), () => download(join(root, 'tea.txt'))],
  'download by a name': [
    (_req, res) => res.download(join(root, 'tea.txt'), 'tée.txt', { maxAge: 5000 }),
    () => download(join(root, 'tea.txt'), 'tée.txt', { maxAge: 5000 }),
  ],
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, Pair] => [
      `value: ${name}`,
      [(_req, res) => res.send(value), (_req, res) => sendValue(res, value)],
    ]),
  ),
  HTML: [(_req, res) => res.send('<p>tea</p>'), (_req, res) => res.html('<p>tea</p>')],
  'HTML of a type': [
    (_req, res) => res.type('html').send('<p>tea</p>'),
    (_req, res) => res.header('Content-Type', 'text/html; charset=utf-8').html('<p>tea</p>'),
  ],
  'HTML with a cookie': [
    (_req, res) => res.cookie('a', 'b').send('<p>tea</p>'),
    (_req, res) => res.cookie('a', 'b').html('<p>tea</p>'),
  ],
  text: [(_req, res) => res.type('txt').send('<p>tea</p>'), (_req, res) => res.text('<p>tea</p>')],
  'text of a status': [(_req, res) => res.sendStatus(404), (_req, res) => res.status(404).text('Not Found')],
  JSON: [(_req, res) => res.json({ tea: '<b>' }), (_req, res) => res.json({ tea: '<b>' })],
  'JSON with a header': [
    (_req, res) => res.status(201).set('X-Tea', 'Assam').json([1]),
    (_req, res) => res.status(201).header('X-Tea', 'Assam').json([1]),
  ],
  'returned JSON': [(_req, res) => res.json({ tea: 1 }), () => ({ tea: 1 })],
  bytes: [(_req, res) => res.send(Buffer.from('tea')), (_req, res) => res.send(Buffer.from('tea'))],
  'value of a type': [
    (_req, res) => res.type('txt').send(values['text']),
    (_req, res) => sendValue(res.header('Content-Type', 'text/plain; charset=utf-8'), values['text']),
  ],
}

const requests: Record<string, [method: string, headers: Record<string, string>]> = {
  GET: ['GET', {}],
  HEAD: ['HEAD', {}],
  POST: ['POST', {}],
  'GET of HTML': ['GET', { Accept: 'text/html' }],
  'GET of pictures': ['GET', { Accept: 'image/png', Referer: 'http://tea.example/from' }],
  'GET of a range': ['GET', { Range: 'bytes=5-8' }],
  'GET of a wrong range': ['GET', { Range: 'bytes=50-' }],
  'GET of what has not changed': ['GET', { 'If-Modified-Since': modified.toUTCString() }],
}

async function listen(server: http.Server): Promise<(name: string) => Promise<string>> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return async (name) => {
    const [method, headers] = requests[name]!
    const client = await openRaw(port)
    const fields = Object.entries({ Host: 'test', Connection: 'close', ...headers })
    const lines = [`${method} /a HTTP/1.1`, ...fields.map(([key, value]) => `${key}: ${value}`)]
    client.write(`${lines.join('\r\n')}\r\n\r\n`)
    const [head = '', ...body] = (await client.untilClosed()).split('\r\n\r\n')
    // Their order has no meaning: RFC 9110 5.3.
    const [status, ...sent] = head.replace(/^Date: .*$/m, 'Date: (masked)').split('\r\n')
    return [status, ...sent.sort(), '', ...body].join('\n')
  }
}

/** What a middleware before the route sets. */
const before: Readonly<Record<string, (res: any) => void>> = {
  'a header': (res) => res.set('X-Before', 'set'),
  'the type of texts': (res) => res.set('Content-Type', 'text/plain'),
  'the type of JSON': (res) => res.set({ 'X-Before': 'set', 'Content-Type': 'application/json' }),
  'a type of pictures': (res) => res.set('Content-Type', 'image/png'),
  'a status': (res) => res.status(203),
  'the status of an error': (res) => res.status(404),
  'a status that has no body': (res) => res.status(205),
}

describe.each(sides)('A native callback in a route of %s answers as the handler', (_name, express) => {
  // In the loop each goes behind every fourth one.
  const cases = Object.entries(pairs).flatMap(([title, pair], at) =>
    Object.entries(before)
      .filter((_, number) => isWhole || (number + at) % 4 === 0)
      .map(([set, setOn]) => [title, set, pair, setOn] as const),
  )
  it.each(cases)('%s, behind %s', async (_title, _set, [handler, callback], setOn) => {
    const serving = (
      one: Handler,
      serveApp: (app: any) => http.Server,
      register = (app: any): void => app.all('/a', one),
    ): Promise<(name: string) => Promise<string>> => {
      const app = createExpress(express)
      app.use((_req: any, res: any, next: () => void) => {
        setOn(res)
        next()
      })
      register(app)
      app.use((_req: any, res: any) => res.status(404).send('behind the route'))
      app.use((error: any, _req: any, res: any, _next: any) =>
        res.status(error.status ?? 500).send(`caught ${error.code ?? error.name}`),
      )
      return listen(serveApp(app))
    }
    const asked = await serving(handler, (app) => http.createServer(app))
    const natively = await serving(native(callback) as Handler, (app) => http.createServer(app))
    const inFront = await serving(native(callback) as Handler, (app) => createServer(app))
    const list = new RouteControllers([new Controller('*', '/', callback as never)], {
      profile: fromRouter(express.Router()),
    })
    const inList = await serving(
      list.middleware() as Handler,
      (app) => http.createServer(app),
      (app) => app.use('/a', list.middleware()),
    )
    for (const name of Object.keys(requests)) {
      const expected = await asked(name)
      expect([name, await natively(name)]).toEqual([name, expected])
      expect([name, await inFront(name)]).toEqual([name, expected])
      expect([name, await inList(name)]).toEqual([name, expected])
    }
  })
})

describe.each(sides)('A redirect under a profile has the page of %s', (_name, express) => {
  const redirect: NativeCallback = (_req, res) => res.redirect('/teas')
  it.each<[string, () => RouteControllers]>([
    [
      'each answer',
      () =>
        new RouteControllers([new Controller('GET', '/a', redirect as never)], {
          profile: fromRouter(express.Router()),
        }).addHeader('X-Tea', 'Assam'),
    ],
    [
      'its own, by a middleware around it',
      () => {
        const controller = new Controller('GET', '/a', redirect as never).use(
          around(async (_req, res, next) => {
            const answer = await next()
            res.header('X-Tea', 'Assam')
            return answer
          }),
        )
        return new RouteControllers([controller], { profile: fromRouter(express.Router()) })
      },
    ],
  ])('where a header is added to %s', async (_to, make) => {
    const theirs = createExpress(express).get('/a', (_req: any, res: any) =>
      res.set('X-Tea', 'Assam').redirect('/teas'),
    )
    const ours = createExpress(express).use(make().middleware())
    const ask = async (app: any, accept: string): Promise<unknown> => {
      const { status, headers, text } = await request(app).get('/a').set('Accept', accept).redirects(0)
      return { status, headers: { ...headers, date: '' }, text }
    }
    for (const accept of ['text/html', 'text/plain', 'image/png'])
      expect(await ask(ours, accept)).toEqual(await ask(theirs, accept))
  })
})

describe('sendFile', () => {
  it.each(sides)(
    'adds a cookie to those that a middleware of %s has set, as the handler',
    async (_name, express) => {
      const cookiesOf = async (handler: Handler): Promise<unknown> => {
        const app = createExpress(express)
        app.use((_req: any, res: any, next: () => void) => {
          res.cookie('before', '1').set('X-Tea', 'Assam')
          next()
        })
        app.get('/a', handler)
        const { headers } = await request(app).get('/a')
        return [headers['set-cookie'], headers['x-tea']]
      }
      const asked = await cookiesOf((_req, res) =>
        res.cookie('own', '2').set('X-Tea', 'Sencha').sendFile(join(root, 'tea.txt')),
      )
      expect(asked).toEqual([['before=1; Path=/', 'own=2; Path=/'], 'Sencha'])
      const natively = native((_req, res) => {
        res.cookie('own', '2').header('X-Tea', 'Sencha')
        return sendFile(join(root, 'tea.txt'))
      })
      expect(await cookiesOf(natively as Handler)).toEqual(asked)
    },
  )

  it('sends nothing behind an answer that was built without return', async () => {
    const controllers = new RouteControllers(
      [
        new Controller('GET', '/a', (_req, res) => {
          res.status(401).end()
          return sendFile(join(root, 'tea.txt'))
        }),
      ],
      { onError: (error, _req, res) => res.text((error as { code: string }).code) },
    )
    const answer = await request(createExpress(express5).use(controllers.middleware())).get('/a')
    expect([answer.status, answer.text]).toEqual([500, 'ERR_ANSWER_TWICE'])
  })

  it('needs the request of Node', async () => {
    const errors: unknown[] = []
    const controllers = new RouteControllers([new Controller('GET', '/a', () => sendFile('/tmp/none'))], {
      onError: (error: unknown) => void errors.push(error),
    })
    const answer = await controllers.getCallback()(new Request('http://x/a'))
    expect(answer.status).toBe(500)
    const message = expect.stringMatching(
      /as sendFile\(path\) is one, which needs the request of Node: return res\.stream\(…\)/,
    )
    expect(errors).toEqual([expect.objectContaining({ code: 'ERR_RESPONSE_INVALID', message })])
  })
})

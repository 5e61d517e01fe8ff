import bodyParser from 'body-parser'
import timeout from 'connect-timeout'
import { createProxyMiddleware, type Options } from 'http-proxy-middleware'
import methodOverride from 'method-override'
import morgan from 'morgan'
import multer from 'multer'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pinoHttp } from 'pino-http'
import responseTime from 'response-time'
import type { Hook } from 'routecontrollers'
import { gzipSync } from 'node:zlib'
import { type Case, form, json, type Reader, type Route, sendAll } from './compare.js'
import type { SendOptions } from '../support/describe-servings.js'

/** What the proxies lead to. It tells what it has been sent. */
export const upstream = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { method, url, headers } = req
    if (url === '/redirect') return void res.writeHead(302, { Location: '/elsewhere' }).end()
    res.setHeader('Set-Cookie', ['a=1', 'b=2'])
    res.setHeader('X-Upstream', 'yes')
    res.statusCode = 201
    res.end(
      JSON.stringify({
        method,
        url,
        host: headers.host?.replace(/\d+/, ''),
        type: headers['content-type'],
        proto: headers['x-forwarded-proto'],
        mine: headers['x-mine'],
        body: Buffer.concat(chunks).toString(),
      }),
    )
  })
})

const port = (): number => (upstream.address() as AddressInfo).port

const proxyTo = (options: Options): Hook => createProxyMiddleware(options)

const echo: Reader = ({ body }) =>
  Buffer.isBuffer(body) ? { json: { bytes: body.toString('hex') } } : { json: { body: body ?? null } }

const whole: Reader = ({ file, files, body }) => {
  const tell = ({ fieldname, originalname, mimetype, size, buffer }: Express.Multer.File): unknown => ({
    fieldname,
    originalname,
    mimetype,
    size,
    text: buffer.toString(),
  })
  return {
    json: { file: file ? tell(file) : null, files: files?.map(tell) ?? null, body: { ...body } },
  }
}

function multipart(
  ...parts: readonly (readonly [name: string, value: string, file?: string])[]
): SendOptions {
  const boundary = 'b0undary'
  const lines = parts.map(([name, value, file]) => {
    const filename = file === undefined ? '' : `; filename="${file}"\r\nContent-Type: text/plain`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n${value}\r\n`
  })
  return {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${lines.join('')}--${boundary}--\r\n`,
  }
}

const text = (body: string, type = 'text/plain'): SendOptions => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
})

const upload = multer({ limits: { fileSize: 20, files: 2 } })

/** The line without what differs from run to run. */
function settled(line: string): string {
  const { level, msg, req, res, err } = JSON.parse(line)
  const { headers = {}, ...rest } = res ?? {}
  const { 'x-powered-by': _, etag: __, ...sent } = headers
  const { remoteAddress: ___, remotePort: ____, headers: received = {}, ...asked } = req ?? {}
  return JSON.stringify({
    level,
    msg,
    req: { ...asked, headers: { ...received, connection: '' } },
    res: { ...rest, headers: Object.fromEntries(Object.entries(sent).sort()) },
    err: err && { type: err.type, message: err.message },
  })
}

export const requests: Case[] = [
  {
    name: 'body-parser',
    middleware: () => [
      bodyParser.json({ limit: 50, strict: true }),
      bodyParser.urlencoded({ extended: true, limit: 50 }),
      bodyParser.text({ type: 'text/*', limit: 50 }),
      bodyParser.raw({ type: 'application/octet-stream', limit: 50 }),
    ],
    routes: [['POST', '/body', echo]],
    // For one controller, whose body is otherwise read before its first middleware.
    options: { body: 'stream' },
    script: (send) =>
      sendAll(
        send,
        ['/body', json({ a: [1, { b: 2 }] })],
        ['/body', { ...json({ a: 1 }), chunked: true }],
        ['/body', form('a[b]=1&a[c]=2&d=3+4')],
        ['/body', text('some text')],
        ['/body', text('caf\xe9'.repeat(1), 'text/plain; charset=utf-8')],
        ['/body', text('\x00\x01bytes', 'application/octet-stream')],
        ['/body', text('<x/>', 'application/xml')],
        ['/body', text('{"a":', 'application/json')],
        ['/body', text('7', 'application/json')],
        ['/body', json({ long: 'x'.repeat(60) })],
        ['/body', { ...json({ long: 'x'.repeat(60) }), chunked: true }],
        ['/body', text('{}', 'application/json; charset=x-none')],
        [
          '/body',
          {
            ...json(0),
            body: gzipSync('{"a":1}'),
            headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          },
        ],
        [
          '/body',
          {
            ...json(0),
            body: 'not gzip',
            headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          },
        ],
        [
          '/body',
          { ...json(0), headers: { 'content-type': 'application/json', 'content-encoding': 'none' } },
        ],
        ['/body', { method: 'POST' }],
      ),
  },
  {
    name: 'multer',
    middleware: () => [
      ['/single', upload.single('file')],
      ['/array', upload.array('files', 2)],
      ['/none', upload.none()],
    ],
    routes: [
      ['POST', '/single', whole],
      ['POST', '/array', whole],
      ['POST', '/none', whole],
    ],
    script: (send) =>
      sendAll(
        send,
        ['/single', multipart(['title', 'one'], ['file', 'content', 'a.txt'])],
        ['/single', { ...multipart(['file', 'content', 'a.txt']), chunked: true }],
        ['/single', multipart(['title', 'no file'])],
        ['/single', multipart(['file', 'x'.repeat(30), 'large.txt'])],
        ['/single', multipart(['other', 'x', 'a.txt'])],
        ['/array', multipart(['files', '1', 'a.txt'], ['n', '1'], ['files', '2', 'b.txt'])],
        ['/array', multipart(['files', '1', 'a'], ['files', '2', 'b'], ['files', '3', 'c'])],
        ['/none', multipart(['a', '1'], ['a', '2'], ['b[c]', '3'])],
        ['/none', multipart(['a', '1', 'a.txt'])],
        ['/single', text('<x/>', 'application/xml')],
        ['/single', { ...multipart(['file', 'content', 'a.txt']), body: '--b0undary\r\nbroken' }],
      ),
  },
  {
    name: 'method-override',
    every: true,
    middleware: () => [methodOverride(), methodOverride('_method', { methods: ['POST'] })],
    routes: ['POST', 'DELETE', 'PUT'].map((method): Route => [
      method,
      '/things/:id',
      (req) => ({ json: { method: req.method, original: req.originalMethod, id: req.params.id } }),
    ]),
    behind: [['PATCH', '/things/:id', (req) => ({ text: `patched ${req.params.id}` })]],
    notForOne: 'the match has been made by then',
    script: (send) =>
      sendAll(
        send,
        ['/things/1', { method: 'POST' }],
        ['/things/1', { method: 'POST', headers: { 'x-http-method-override': 'DELETE' } }],
        ['/things/1?_method=put', { method: 'POST' }],
        ['/things/1', { method: 'POST', headers: { 'x-http-method-override': 'PATCH' } }],
        ['/things/1', { method: 'POST', headers: { 'x-http-method-override': 'NONSENSE' } }],
        ['/things/1', { method: 'PUT', headers: { 'x-http-method-override': 'DELETE' } }],
      ),
  },
  {
    name: 'response-time',
    middleware: () => [responseTime()],
    routes: [
      ['GET', '/hello', () => ({ text: 'hello' })],
      ['GET', '/stream', () => ({ chunks: ['a', 'b'] })],
      ['GET', '/fails', () => Promise.reject(new Error('broken'))],
    ],
    normalise: (value, header) =>
      header === 'x-response-time' && /^\d+\.\d{3}ms$/.test(value) ? '<time>' : value,
    script: (send) => sendAll(send, ['/hello'], ['/stream'], ['/fails'], ['/hello', { method: 'HEAD' }]),
  },
  {
    name: 'connect-timeout',
    middleware: () => [
      ['/slow', timeout('10ms') as Hook],
      ['/quick', timeout('60s') as Hook],
      ['/gives-up', timeout('10ms', { respond: false }) as Hook],
    ],
    routes: [
      ['GET', '/slow', () => new Promise(() => {})],
      ['GET', '/quick', (req) => ({ json: { timedout: req.timedout } })],
      [
        'GET',
        '/gives-up',
        async (req) => {
          await new Promise((resolve) => req.on('timeout', resolve))
          return { status: 503, json: { timedout: req.timedout } }
        },
      ],
    ],
    script: (send) => sendAll(send, ['/quick'], ['/slow'], ['/gives-up']),
  },
  {
    name: 'morgan',
    every: true,
    middleware: (note, serving) => {
      const stream = { write: (line: string) => note(line) }
      const common = ':method :url HTTP/:http-version :status :res[content-length] :remote-user ":user-agent"'
      return [
        morgan(serving.onNode ? 'combined' : common, { stream }),
        morgan('>:method :url', { immediate: true, stream }),
      ]
    },
    routes: [
      ['GET', '/hello', () => ({ text: 'hello' })],
      ['GET', '/stream', () => ({ chunks: ['a', 'b'] })],
      ['GET', '/fails', () => Promise.reject(new Error('broken'))],
    ],
    behind: [['GET', '/behind', () => ({ status: 202, text: 'behind' })]],
    inMemory: '`:remote-addr` is `-`',
    normalise: (line) => line.replace(/\[[^\]]+\]/, '[<date>]'),
    script: (send) =>
      sendAll(
        send,
        [
          '/hello?a=1',
          { headers: { 'user-agent': 'x/1', referer: 'http://there/', authorization: 'Basic YWRhOng=' } },
        ],
        ['/hello', { method: 'HEAD' }],
        ['/stream'],
        ['/fails'],
        ['/behind'],
      ),
  },
  {
    name: 'pino-http',
    every: true,
    middleware: (note) => [
      pinoHttp({ genReqId: () => 'id-1' }, { write: (line: string) => note(settled(line)) }),
    ],
    routes: [
      [
        'GET',
        '/hello',
        (req) => {
          req.log.info('inside')
          return { json: { id: req.id } }
        },
      ],
      ['GET', '/fails', () => ({ status: 500, text: 'failed' })],
    ],
    behind: [['GET', '/behind', () => ({ status: 202, text: 'behind' })]],
    inMemory: 'no `remoteAddress`, no `remotePort`',
    script: (send) => sendAll(send, ['/hello?a=1'], ['/fails'], ['/behind']),
  },
  {
    name: 'http-proxy-middleware',
    every: true,
    middleware: () => [
      ['/api', proxyTo({ target: `http://127.0.0.1:${port()}`, changeOrigin: true, xfwd: true })],
      ['/kept', proxyTo({ target: `http://127.0.0.1:${port()}/below` })],
      ['/dead', proxyTo({ target: 'http://127.0.0.1:1' })],
    ],
    routes: [['GET', '/hello', () => ({ text: 'hello' })]],
    behind: [['GET', '/behind', () => ({ text: 'behind' })]],
    notForOne: 'for one controller, it is mounted at no path',
    inMemory: 'no `Upgrade` (WebSockets), because there is no server whose connection could be taken over',
    script: (send) =>
      sendAll(
        send,
        ['/api/things?a=1', { headers: { 'x-mine': '1' } }],
        ['/api/things', json({ a: 1 })],
        ['/api/things', { ...text('chunks'), chunked: true }],
        ['/api/things', { method: 'HEAD' }],
        ['/api/redirect'],
        ['/kept/x'],
        ['/dead/x'],
        ['/hello'],
        ['/behind'],
      ),
  },
  {
    name: 'http-proxy-middleware (at one path)',
    middleware: () => [proxyTo({ target: `http://127.0.0.1:${port()}` })],
    routes: [['*', '/things', () => ({ text: 'never: the proxy answers' })]],
    // What is read here is not there to be sent on.
    options: { body: 'stream' },
    script: (send) =>
      sendAll(
        send,
        ['/things?a=1'],
        ['/things', json({ a: 1 })],
        ['/things', { ...form('a=1'), chunked: true }],
        ['/things', { method: 'DELETE' }],
      ),
  },
]

import fc from 'fast-check'
import { Controller, RouteControllers, type RequestMembers } from 'routecontrollers'
import { anyText as createText } from '../support/any-text.js'
import { times } from '../support/counts.js'

const words = fc.constantFrom(
  'a',
  'json',
  'text',
  'form',
  'bytes',
  'stream',
  'all',
  '__proto__',
  'constructor',
  '%2e%2e',
  '%zz',
  '%E0%A4',
  '%00',
  '*',
  ':id',
  '',
  ' ',
  'é',
)
const anyText = createText({ maxLength: 12 })
const path = fc
  .array(fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: anyText }), { maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`)
const search = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(fc.oneof(words, anyText), fc.constantFrom('=', '==', ''), fc.oneof(words, anyText)), {
      maxLength: 4,
    })
    .map((pairs) => `?${pairs.map((pair) => pair.join('')).join('&')}`),
)

const method = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS') },
  { weight: 1, arbitrary: fc.constantFrom('PROPFIND', 'get', 'propfind', '!', '*', '__proto__') },
)

const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom('{"__proto__":1}', '{"constructor":{"prototype":1}}', '[', '{"a":1', '\ufeff[]'),
)
const multipart = fc
  .array(fc.tuple(fc.oneof(words, anyText), fc.oneof(words, anyText), fc.boolean()), { maxLength: 3 })
  .map(
    (parts) =>
      parts
        .map(
          ([name, value, isFile]) =>
            `--b\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n${value}\r\n`,
        )
        .join('') + '--b--\r\n',
  )
const bytes = fc.oneof(
  json.map((text) => new TextEncoder().encode(text)),
  multipart.map((text) => new TextEncoder().encode(text)),
  anyText.map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 64 }),
  fc.constant(new Uint8Array(300)),
)
const body = fc.option(fc.record({ bytes, form: fc.constantFrom('bytes', 'chunks', 'breaks off', 'read') }), {
  nil: undefined,
})

const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'application/json; charset=utf-16le',
    'application/problem+json; charset="x',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary="b"',
    'multipart/form-data',
    'text/plain; charset=iso-8859-1',
    'text/plain; charset=klingon',
    'text/',
    '/',
    ';',
    '',
    'application/octet-stream',
  ),
  fc.string({ maxLength: 12 }),
)
const header = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('content-type'), contentType) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('content-length'),
      fc.constantFrom('0', '1', '5, 5', '-1', '1e9', '99999999999999999999', 'x', ''),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'identity', '', 'x')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant('transfer-encoding'), fc.constantFrom('chunked', 'gzip', '')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom(
        'host',
        'origin',
        'accept',
        'cookie',
        'x-forwarded-for',
        'expect',
        '__proto__',
        'connection',
      ),
      fc.oneof(
        fc.constantFrom('application/json', '100-continue', 'evil:x@t', ','),
        fc.string({ maxLength: 12 }),
      ),
    ),
  },
)

const description = fc.record({ method, path, search, headers: fc.array(header, { maxLength: 4 }), body })
type Description = typeof description extends fc.Arbitrary<infer T> ? T : never

/** The Request, or undefined where none can be made of it: a header or a method that Request itself refuses. */
async function makeRequest({
  method,
  path,
  search,
  headers,
  body,
}: Description): Promise<Request | undefined> {
  try {
    const request = new Request(`http://fuzz${path}${search}`, {
      method,
      headers,
      ...(body !== undefined && {
        body: body.form === 'bytes' ? body.bytes : streamOf(body),
        duplex: 'half',
      }),
    })
    if (body?.form === 'read') await request.arrayBuffer()
    return request
  } catch {
    return undefined
  }
}

function streamOf({ bytes, form }: { bytes: Uint8Array; form: string }): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) return controller.enqueue(bytes.slice(at, (at += 7)))
      if (form === 'breaks off') controller.error(new Error('The client went away'))
      else controller.close()
    },
  })
}

// Each reads in its own way, and none throws by itself: what is asked of `req` and rejects is the request's fault.
const controllers = [
  new Controller('*', '/json', async (req) => ({ json: await req.json() })),
  new Controller('*', '/text', (req) => req.text()),
  new Controller('*', '/form', async (req) => [...(await req.formData())].map(([name]) => name)),
  new Controller('*', '/bytes', (req) => req.arrayBuffer()),
  new Controller(
    '*',
    '/stream',
    async (req) => {
      let size = 0
      for await (const chunk of req) size += chunk.byteLength
      return { size }
    },
    { body: 'stream' },
  ),
  new Controller('*', '/all/:id/*rest', everything),
  new Controller('POST', '/:a/:b', everything),
  new Controller('*', '*', everything),
]
for (const controller of controllers) {
  controller.use((req) => {
    Object.assign(req, {
      touched: [
        req.params,
        req.query,
        req.body,
        req.rawBody,
        req.get('host'),
        req.realIp,
        req.signal.aborted,
      ],
    })
  })
}

async function everything(req: RequestMembers<unknown>): Promise<object> {
  const { method, url, originalUrl, headers, params, query, body } = req
  const settled = await Promise.allSettled([req.text(), req.json(), req.formData(), req.arrayBuffer()])
  return {
    method,
    url,
    originalUrl,
    headers,
    params,
    query,
    body,
    settled: settled.map(({ status }) => status),
  }
}

describe('getCallback() given random requests', () => {
  it.each([
    ['without a hook', times(400, 10_000), false],
    ['behind a hook', times(150, 2_000), true],
  ])('never rejects, and never answers 5xx %s', async (_where, numRuns, hooked) => {
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const routeControllers = new RouteControllers(controllers, {
      bodyLimit: 200,
      logger: { info: note, warn: note, error: note },
    })
    if (hooked) routeControllers.addGlobal((_req, _res, next) => next())
    const fetchHandler = routeControllers.getCallback()
    const statuses: Record<number, number> = {}
    await fc.assert(
      fc.asyncProperty(description, async (some) => {
        const request = await makeRequest(some)
        if (request === undefined) return
        const response = await fetchHandler(request)
        await response.arrayBuffer()
        const { status } = response
        statuses[status] = (statuses[status] ?? 0) + 1
        // Whose body was read before it came to us, and is asked for here, is told so with 500.
        const isOurs = some.body?.form !== 'read'
        expect(isOurs && status >= 500 ? { status, some, logged } : 'fine').toBe('fine')
      }),
      { seed: 20_261_121, numRuns },
    )
    // That the requests come to where they are aimed.
    for (const status of [200, 400, 413, 415]) expect(statuses[status]).toBeGreaterThan(numRuns / 200)
  })
})

import { createServer, ServerResponse } from 'node:http'
import { Controller, RouteControllers } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

const defaults = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
}

describe('RouteControllers.addHeader', () => {
  it.each([
    ['X-A\r\nX-B', '1'],
    ['X A', '1'],
    ['X-Ä', '1'],
    ['X-A:', '1'],
    ['', '1'],
    [undefined, '1'],
    [Symbol('x'), '1'],
  ])('refuses the name %p at once', (name, value) => {
    const routeControllers = new RouteControllers([])
    expect(() => routeControllers.addHeader(name as string, value)).toThrow(
      refusal('ERR_HEADER_INVALID', 'is not a header name'),
    )
    expect(routeControllers.getHeadersToSend()).toEqual({})
  })

  it.each([
    ['a\r\nX-B: 1'],
    ['a\n'],
    ['a\r'],
    ['\0'],
    ['a\u007f'],
    ['€'],
    ['😀'],
    [undefined],
    [null],
    [true],
    [{}],
    [['a', 'b\r\n']],
    [[1, null]],
  ])('refuses the value %j at once, and keeps what was there', (value) => {
    const routeControllers = new RouteControllers([]).addHeader('X-A', 'before')
    expect(() => routeControllers.addHeader('X-A', value as string)).toThrow(
      refusal('ERR_HEADER_INVALID', 'is not a value for the header X-A'),
    )
    expect(routeControllers.getHeadersToSend()).toEqual({ 'X-A': 'before' })
  })

  it.each(['Connection', 'keep-alive', 'TRANSFER-ENCODING', 'Upgrade', 'Content-Length'])(
    'refuses %s, which belongs to one connection or one body',
    (name) => {
      expect(() => new RouteControllers([]).addHeader(name, '1')).toThrow(refusal('ERR_HEADER_INVALID', name))
    },
  )

  it('gives the instance back', () => {
    const routeControllers = new RouteControllers([])
    expect(routeControllers.addHeader('X-A', '1').setHeaders().clearAllHeaders()).toBe(routeControllers)
  })
})

describe('Names of headers', () => {
  it('are checked, replaced and left out alike, however many a program has had', () => {
    const routeControllers = new RouteControllers([])
    for (let at = 0; at < 1_200; at++) routeControllers.addHeader(`X-Many-${at}`, at)
    expect(Object.keys(routeControllers.getHeadersToSend())).toHaveLength(1_200)
    routeControllers.clearAllHeaders()
    for (const name of ['X-Many-7', 'x-many-7', 'X-Last', 'x-last', `X-${'a'.repeat(100)}`]) {
      expect(routeControllers.addHeader(name, 'again').getHeadersToSend()).toHaveProperty(name, 'again')
    }
    expect(Object.keys(routeControllers.getHeadersToSend())).toHaveLength(3)
    for (let times = 0; times < 2; times++) {
      expect(() => routeControllers.addHeader('X-Many 7', '1')).toThrow(refusal('ERR_HEADER_INVALID', 'name'))
      expect(() => routeControllers.addHeader('Keep-Alive', '1')).toThrow(
        refusal('ERR_HEADER_INVALID', 'Keep-Alive'),
      )
    }
  })
})

describe('RouteControllers.getHeadersToSend', () => {
  it('is empty until something is added', () => {
    expect(new RouteControllers([]).getHeadersToSend()).toEqual({})
  })

  it('has names and values as they were given, the last one of a name in any case', () => {
    const routeControllers = new RouteControllers([])
      .addHeader('X-A', 'one')
      .addHeader('x-a', 'two')
      .addHeader('X-Count', 7)
      .addHeader('Link', ['</a>', '</b>'])
    expect(routeControllers.getHeadersToSend()).toEqual({
      'x-a': 'two',
      'X-Count': '7',
      Link: ['</a>', '</b>'],
    })
  })

  it('is a copy', () => {
    const routeControllers = new RouteControllers([]).addHeader('Link', ['</a>', '</b>'])
    const copy = routeControllers.getHeadersToSend()
    copy['X-New'] = '1'
    ;(copy['Link'] as string[]).push('</c>')
    expect(routeControllers.getHeadersToSend()).toEqual({ Link: ['</a>', '</b>'] })
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('has a header called %s', (name) => {
    const headers = new RouteControllers([]).addHeader(name, '1').getHeadersToSend()
    expect(Object.entries(headers)).toEqual([[name, '1']])
  })
})

describe('RouteControllers.setHeaders', () => {
  it('loads safe defaults, neither CORS nor CSP among them', () => {
    expect(new RouteControllers([]).setHeaders().getHeadersToSend()).toEqual(defaults)
  })

  it('keeps the headers that were added', () => {
    const headers = new RouteControllers([]).addHeader('X-A', '1').setHeaders().getHeadersToSend()
    expect(headers).toEqual({ 'X-A': '1', ...defaults })
  })
})

describe('RouteControllers.clearAllHeaders', () => {
  it('takes back what addHeader and setHeaders have added', () => {
    expect(
      new RouteControllers([]).addHeader('X-A', '1').setHeaders().clearAllHeaders().getHeadersToSend(),
    ).toEqual({})
  })
})

describe('RouteControllers.setResponseHeaders', () => {
  const response = (): ServerResponse => new ServerResponse({ method: 'GET' } as never)

  it('puts the headers on a ServerResponse, and gives the instance back', () => {
    const res = response()
    const routeControllers = new RouteControllers([])
      .addHeader('X-A', '1')
      .addHeader('Link', ['</a>', '</b>'])
    expect(routeControllers.setResponseHeaders(res)).toBe(routeControllers)
    expect({ ...res.getHeaders() }).toEqual({ 'x-a': '1', link: ['</a>', '</b>'] })
    expect(res.headersSent).toBe(false)
  })

  it('keeps the other headers, and the cookies that are set already', () => {
    const res = response()
    res.setHeader('X-Other', '1')
    res.setHeader('Set-Cookie', 'session=1')
    new RouteControllers([]).addHeader('Set-Cookie', ['a=1', 'b=2']).setResponseHeaders(res)
    expect({ ...res.getHeaders() }).toEqual({ 'x-other': '1', 'set-cookie': ['session=1', 'a=1', 'b=2'] })
  })

  it('is what a handler of somebody else can call', async () => {
    const routeControllers = new RouteControllers([]).setHeaders()
    const server = createServer((_req, res) => {
      routeControllers.setResponseHeaders(res)
      res.end('x')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    await answer.text()
    server.close()
    server.closeAllConnections()
  })
})

describeServings('RouteControllers.addHeader', ({ serve, misses, errors }) => {
  const controllers = (): Controller[] => [
    new Controller('GET', '/plain', () => 'x'),
    new Controller('GET', '/response', () => new Response('x')),
    new Controller('GET', '/fetched', () => Response.redirect('http://test/elsewhere', 302)),
    new Controller('GET', '/stream', (_req, res) => res.stream(new Blob(['x']).stream())),
    new Controller('GET', '/nothing', () => null),
    new Controller('GET', '/own', (_req, res) => res.header('x-added', 'own').text('x')),
    new Controller('GET', '/own-response', () => new Response('x', { headers: { 'x-added': 'own' } })),
    new Controller('GET', '/throws', () => {
      throw new Error('secret')
    }),
  ]

  it('adds the header to every answer of a controller', async () => {
    const { send } = await serve(controllers(), { setup: (rc) => void rc.addHeader('X-Added', 'added') })
    for (const path of ['/plain', '/response', '/fetched', '/stream', '/nothing']) {
      expect([path, (await send(path)).headers['x-added']]).toEqual([path, 'added'])
    }
    expect((await send('/plain', { method: 'HEAD' })).headers['x-added']).toBe('added')
  })

  it("lets a controller's own value win, in any case", async () => {
    const { send } = await serve(controllers(), { setup: (rc) => void rc.addHeader('X-Added', 'added') })
    expect((await send('/own')).headers['x-added']).toBe('own')
    expect((await send('/own-response')).headers['x-added']).toBe('own')
  })

  it('adds the header to the 404 and the 500 that are ours', async () => {
    const { send } = await serve(controllers(), { setup: (rc) => void rc.addHeader('X-Added', 'added') })
    const missed = await send('/nowhere')
    expect([missed.status, missed.headers['x-added']]).toEqual([404, misses === 'us' ? 'added' : undefined])
    const failed = await send('/throws')
    expect([failed.status, failed.headers['x-added']]).toEqual([500, errors === 'us' ? 'added' : undefined])
  })

  it('sends a list as several lines', async () => {
    const { send } = await serve(controllers(), {
      setup: (rc) => void rc.addHeader('Link', ['</a>', '</b>']).addHeader('Set-Cookie', ['a=1', 'b=2']),
    })
    for (const path of ['/plain', '/response', '/stream']) {
      const answer = await send(path)
      expect([path, answer.headers['link'], answer.cookies]).toEqual([path, '</a>, </b>', ['a=1', 'b=2']])
    }
  })

  it('adds cookies to those of the controller', async () => {
    const { send } = await serve(
      [new Controller('GET', '/', (_req, res) => res.cookie('own', '1').text('x'))],
      {
        setup: (rc) => void rc.addHeader('Set-Cookie', 'a=1'),
      },
    )
    expect((await send('/')).cookies.sort()).toEqual(['a=1', 'own=1; Path=/'])
  })

  it('counts from the next answer on, and so does clearAllHeaders', async () => {
    const { routeControllers, send } = await serve(controllers())
    expect((await send('/plain')).headers).not.toHaveProperty('x-added')
    routeControllers.addHeader('X-Added', 'later')
    expect((await send('/plain')).headers['x-added']).toBe('later')
    routeControllers.clearAllHeaders()
    expect((await send('/plain')).headers).not.toHaveProperty('x-added')
  })

  it('adds nothing that nobody asked for', async () => {
    const { send } = await serve(controllers())
    const names = Object.keys((await send('/plain')).headers)
    expect(
      names.filter((name) => /^(?:access-control|content-security|x-content|x-frame|referrer)/.test(name)),
    ).toEqual([])
  })

  it('sends the defaults of setHeaders', async () => {
    const { send } = await serve(controllers(), { setup: (rc) => void rc.setHeaders() })
    expect((await send('/plain')).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
    })
  })
})

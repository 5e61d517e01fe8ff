import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ResponseBuilder, RouteControllers } from 'routecontrollers'
import { listenOn, type Received, type SendOptions, sendTo } from '../support/describe-servings.js'

describe('RouteControllers.getResponseObject', () => {
  const logged: string[] = []
  const [ignore, error] = [() => {}, (line: string) => void logged.push(line)]
  const routeControllers = new RouteControllers([], { logger: { info: ignore, warn: ignore, error } })
  beforeEach(() => void logged.splice(0))

  /** What a client gets from a plain node:http handler that answers with it. */
  async function answer(
    write: (res: ResponseBuilder, outgoing: ServerResponse, incoming: IncomingMessage) => unknown,
    options: SendOptions = {},
  ): Promise<Received> {
    const { port, close } = await listenOn((incoming, outgoing) => {
      write(routeControllers.getResponseObject(outgoing), outgoing, incoming)
    })
    try {
      return await sendTo(port)('/', options)
    } finally {
      await close()
    }
  }

  it('sends each finished answer at once', async () => {
    const received = await answer((res, outgoing) => {
      res.status(201).header('X-A', '1').cookie('c', '1').json({ a: 1 })
      if (!outgoing.headersSent) throw new Error('not sent')
    })
    expect([received.status, received.headers['x-a'], received.cookies, received.json()]).toEqual([
      201,
      '1',
      ['c=1; Path=/'],
      { a: 1 },
    ])
  })

  it.each<[string, (res: ResponseBuilder) => unknown, object]>([
    ['text', (res) => res.text('x'), { status: 200, text: 'x' }],
    ['html', (res) => res.html('<p>'), { status: 200, text: '<p>' }],
    ['send', (res) => res.send(null), { status: 204, text: '' }],
    ['redirect', (res) => res.redirect('/x'), { status: 302, text: '' }],
    ['stream', (res) => res.stream(new Blob(['abc']).stream()), { status: 200, text: 'abc' }],
    ['end', (res) => res.status(202).end(), { status: 202, text: '' }],
  ])('has %s', async (_name, write, expected) => {
    expect(await answer(write)).toMatchObject(expected)
  })

  it('has sse', async () => {
    const received = await answer((res) =>
      res.sse(
        (async function* () {
          yield 'one'
          yield { event: 'e', data: { two: 2 } }
        })(),
      ),
    )
    expect(received.headers['content-type']).toBe('text/event-stream')
    expect(received.text).toBe('data: one\n\nevent: e\ndata: {"two":2}\n\n')
  })

  it('sends the first answer and no second', async () => {
    const received = await answer((res) => {
      res.text('first')
      res.status(500).text('second')
    })
    expect([received.status, received.text]).toEqual([200, 'first'])
  })

  it('sends nothing when somebody has answered before', async () => {
    const received = await answer((res, outgoing) => {
      outgoing.end('before')
      res.text('after')
    })
    expect(received.text).toBe('before')
  })

  it('keeps what was set on the ServerResponse', async () => {
    const received = await answer((res, outgoing) => {
      outgoing.setHeader('X-Before', '1')
      outgoing.setHeader('Set-Cookie', 'a=1')
      res.cookie('b', '2').text('x')
    })
    expect([received.headers['x-before'], received.cookies]).toEqual(['1', ['a=1', 'b=2; Path=/']])
  })

  it.each<[string, (res: any) => unknown]>([
    ['an argument of end', (res) => res.end('hello')],
    ["a method of Node's response, and a later answer", (res) => [res.setHeader('X', '1'), res.json({})]],
    ["a method of Express's response", (res) => res.sendStatus(401)],
  ])('sends 500 for %s, with one log line that says what to write', async (_what, write) => {
    const { status, text } = await answer(write)
    expect([status, text]).toEqual([500, 'Internal Server Error'])
    expect(logged).toEqual([expect.stringMatching(/^GET \/: .*: write /)])
  })

  it('sends no body to HEAD', async () => {
    const received = await answer((res) => res.text('12345'), { method: 'HEAD' })
    expect([received.text, received.headers['content-length']]).toEqual(['', '5'])
  })
})

import { RouteControllersError } from '../../src/ground/errors.js'
import { extendClassesOf, nodeEntryOf, withNodeEntry } from '../../src/run/entry.js'
import { type NodeEntry } from '../../src/node/node-entry.js'
import type { ExtendClasses, FetchHandler, ForeignFetchHandler } from '../../src/ground/types.js'
import { type NodePair, nodePair, settled } from '../support/node-pair.js'

const host = { owned: true }

let logged: jest.SpyInstance
beforeEach(() => {
  logged = jest.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => logged.mockRestore())
const lines = (): unknown[][] => logged.mock.calls as unknown[][]

describe('A fetch handler with a way in of its own', () => {
  const entry: NodeEntry = () => {}
  const extendClasses: ExtendClasses = (classes) => classes

  it('is the same function, and is served by it', () => {
    const handler: FetchHandler = async () => new Response()
    expect(withNodeEntry(handler, entry)).toBe(handler)
    expect(nodeEntryOf(handler)).toBe(entry)
    expect(Object.keys(handler)).toEqual([])
  })

  it('says what it makes of the classes of a server', () => {
    const handler = withNodeEntry(
      async () => new Response(),
      Object.assign(() => {}, { extendClasses }),
    )
    expect(extendClassesOf(handler)).toBe(extendClasses)
    expect(extendClassesOf(withNodeEntry(async () => new Response(), entry))).toBeUndefined()
    expect(extendClassesOf(() => undefined)).toBeUndefined()
  })
})

describe('A fetch handler of anybody’s making', () => {
  /** Lets a handler answer, without a host behind it. */
  async function answer(
    handler: ForeignFetchHandler,
    options?: Parameters<typeof nodePair>[0],
  ): Promise<NodePair> {
    const pair = nodePair(options)
    nodeEntryOf(handler)(pair.req, pair.res, host)
    await settled()
    return pair
  }

  it('gets a web Request, and its Response is sent', async () => {
    const { head, body } = await answer((request) => new Response(request.url, { status: 201 }), {
      url: '/a?b',
      headers: ['Host', 'named.example'],
    })
    expect([head()[0], body()]).toEqual(['HTTP/1.1 201 Created', 'http://named.example/a?b'])
  })

  it('is not asked where an answer has begun', async () => {
    const { req, res, body } = nodePair()
    const called = jest.fn()
    res.end('first')
    nodeEntryOf(called)(req, res, host, called, called)
    await settled()
    expect([called.mock.calls, body()]).toEqual([[], 'first'])
  })

  it('is not asked for what is no request', async () => {
    const handler = jest.fn()
    const { head, body } = await answer(handler, { headers: ['Host', 'a', 'Host', 'b'] })
    expect(handler).not.toHaveBeenCalled()
    expect([head()[0], body()]).toEqual(['HTTP/1.1 400 Bad Request', 'The Host field is sent twice'])
    expect(lines()).toEqual([])
  })

  it('passes a request on with undefined, and leaves nothing behind', async () => {
    const { req, res, pieces } = nodePair()
    const listeners = res.listenerCount('close')
    const pass = jest.fn()
    let signal: AbortSignal | undefined
    nodeEntryOf((request) => void ({ signal } = request))(req, res, host, pass)
    await settled()
    expect([pass.mock.calls, pieces, res.listenerCount('close')]).toEqual([[[]], [], listeners])
    res.destroy()
    await settled()
    expect(signal!.aborted).toBe(false)
  })

  it('is answered for with 404 where it passes a request on to nobody', async () => {
    const { head, body } = await answer(() => undefined)
    expect([head()[0], body(), lines()]).toEqual(['HTTP/1.1 404 Not Found', 'Not Found', []])
  })

  it('sends what it throws, as its status says', async () => {
    const { head, body } = await answer(() => {
      throw Object.assign(new Error('not you'), { status: 403 })
    })
    expect([head()[0], body(), lines()]).toEqual(['HTTP/1.1 403 Forbidden', 'not you', []])
  })

  it('fails without a detail for the client, who may have it as JSON, and with one for the log', async () => {
    const { head, body } = await answer(() => Promise.reject(new Error('secret')), {
      method: 'PUT',
      url: '/a?b',
      headers: ['Accept', 'application/json'],
    })
    expect(head()).toEqual(
      expect.arrayContaining([
        'HTTP/1.1 500 Internal Server Error',
        'Content-Type: application/problem+json',
      ]),
    )
    expect(JSON.parse(body())).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 })
    expect(lines()).toEqual([[expect.stringMatching(/^PUT \/a: Error: secret\n/)]])
  })

  it('gives an error to the host, which has its own way to tell it', async () => {
    const { req, res, pieces } = nodePair()
    const [pass, fail] = [jest.fn(), jest.fn()]
    const thrown = new Error('for the host')
    nodeEntryOf(() => Promise.reject(thrown))(req, res, host, pass, fail)
    const signal: unknown = 'route'
    nodeEntryOf(() => Promise.reject(signal))(req, res, host, pass, fail)
    await settled()
    expect(fail.mock.calls).toEqual([[thrown], [new Error('Thrown: route')]])
    expect([pass.mock.calls, pieces, lines()]).toEqual([[], [], []])
  })

  it.each([
    ['an error of the server', new Error('midway'), 1],
    ['that the client is gone', new RouteControllersError('ERR_BODY_ABORTED', 'gone', { status: 400 }), 0],
  ])('cuts off an answer that has begun, and logs %s or not', async (_what, thrown, count) => {
    const { req, res, socket } = nodePair()
    nodeEntryOf(() => {
      res.write('begun')
      throw thrown
    })(req, res, host)
    await settled()
    expect([socket.destroyed, res.writableEnded]).toEqual([true, false])
    expect(lines()).toHaveLength(count)
  })

  it('leaves an answer that has begun to the host, as a Controller does', async () => {
    const { req, res, socket } = nodePair()
    const [pass, fail] = [jest.fn(), jest.fn()]
    const thrown = new Error('midway')
    nodeEntryOf(() => {
      res.write('begun')
      throw thrown
    })(req, res, host, pass, fail)
    await settled()
    expect([socket.destroyed, fail.mock.calls, lines()]).toEqual([false, [[thrown]], []])
  })

  it('lets an answer go out that is complete', async () => {
    const { req, res, socket } = nodePair()
    nodeEntryOf(() => {
      res.end('whole')
      throw new Error('afterwards')
    })(req, res, host)
    await settled()
    expect([socket.destroyed, lines()]).toEqual([
      false,
      [[expect.stringMatching(/^GET \/: Error: afterwards\n/)]],
    ])
  })

  it('has the error of its stream logged', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('midway')) })
    const { socket } = await answer(() => new Response(body))
    expect(socket.destroyed).toBe(true)
    expect(lines()).toEqual([[expect.stringMatching(/^GET \/: the answer broke off: Error: midway\n/)]])
  })
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { RouteControllers } from 'routecontrollers'
import { runInMemory } from '../../packages/compare/src/memory-request.js'
import { Copier } from '../../packages/switch/src/shadow/copier.js'
import { keepSession } from '../../packages/switch/src/shadow/copy-session.js'
import { closeHosted, createExpress, expresses } from '../support/hosting.js'
import { sendBy } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'

/** Whether V8 has one hidden class for both: code that has seen one of them is quick for the other, too. */
let haveSameShape: (one: object, other: object) => boolean
/** Whether V8 keeps its members by a hidden class. Another prototype gives an object that does not a shape of its own. */
let hasShape: (one: object) => boolean
beforeAll(() => {
  setFlagsFromString('--allow-natives-syntax')
  haveSameShape = runInThisContext('(one, other) => %HaveSameMap(one, other)') as typeof haveSameShape
  hasShape = runInThisContext('(one) => %HasFastProperties(one)') as typeof hasShape
  // They are compiled when they are called first.
  haveSameShape({}, {})
  hasShape({})
  setFlagsFromString('--no-allow-natives-syntax')
})
afterEach(closeHosted)

interface Kept {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** Sends copies of one request: the shapes of the first ones are still in the making. */
async function copy(handler: (req: IncomingMessage, res: ServerResponse) => void): Promise<void> {
  const request = { method: 'GET', target: '/tea', headers: {}, rawHeaders: [], body: undefined, socket: {} }
  const limits = { timeoutMs: 10_000, maxBytes: 1000, prepare: keepSession }
  for (let at = 0; at < 20; at++) {
    expect(await runInMemory(handler, request, limits)).toMatchObject({ status: 200 })
  }
}

it('Copies of requests have one shape, and so have their responses', async () => {
  const kept: Kept[] = []
  await copy((req, res) => {
    kept.push({ req, res })
    res.end()
  })
  expect(haveSameShape(kept.at(-1)!.req, kept.at(-2)!.req)).toBe(true)
  expect(haveSameShape(kept.at(-1)!.res, kept.at(-2)!.res)).toBe(true)
})

it('Objects keep a shape that they share where functions were not copied on them', () => {
  const createCopy = (): object => {
    const copier = new Copier({ maxBytes: 1000, asIs: new Set() }, jest.fn())
    const copy = {}
    copier.put(copy, new Map([['done', () => {}]]), 'res')
    return copy
  }
  createCopy()
  const [one, other] = [createCopy(), createCopy()]
  expect([hasShape(one), hasShape(other), haveSameShape(one, other)]).toEqual([true, true, true])
})

describe.each(expresses)('Behind %s', (_name, express) => {
  const createKeeping = () => {
    const kept: Kept[] = []
    const app = createExpress(express)
    app.get('/tea', (req, res) => {
      kept.push({ req, res })
      res.json({ tea: 'Sencha' })
    })
    return { app, kept }
  }

  it('a response of HTTP/2 keeps its shape', async () => {
    const { app, kept } = createKeeping()
    const { port } = await serveHttp2(new RouteControllers([]), { fallback: app as never })
    expect(await sendBy('h2', port)('/tea')).toMatchObject({ status: 200 })
    expect(hasShape(kept[0]!.res)).toBe(true)
  })

  it('copies keep their shapes', async () => {
    const { app, kept } = createKeeping()
    await copy(app as never)
    expect(hasShape(kept.at(-1)!.req)).toBe(true)
    expect(hasShape(kept.at(-1)!.res)).toBe(true)
  })
})

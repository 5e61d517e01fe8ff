import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { NodeExchange } from '../../src/node/exchange.js'
import { readBody } from '../../src/body/read-body.js'
import { type NodePair, nodePair } from '../support/node-pair.js'

const exchangeOf = (incoming: object): NodeExchange =>
  new NodeExchange(
    Object.assign(incoming, { rawHeaders: [], headers: {}, httpVersionMajor: 1 }) as never,
    undefined,
    { owned: true },
  )

it('A request that has neither method nor URL is refused', () => {
  const { method, sentUrl, problem } = exchangeOf({})
  expect([method, sentUrl, problem]).toEqual([
    '',
    '',
    expect.objectContaining({ code: 'ERR_TARGET_INVALID' }),
  ])
  const hosted = new NodeExchange({ headers: {} } as never, undefined, { owned: false })
  expect(hosted.problem).toMatchObject({ code: 'ERR_TARGET_INVALID' })
})

it('What a request throws that is no refusal is not taken for one', () => {
  const broken = {
    url: '/',
    get rawHeaders(): never {
      throw new TypeError('broken')
    },
  }
  expect(() => new NodeExchange(broken as never, undefined, { owned: true })).toThrow(TypeError)
})

it('An answer that was ended is not cut off, though its client has not taken all of it', () => {
  const destroyed = (end: (res: NodePair['res']) => void): boolean => {
    const { req, res } = nodePair({ slow: true })
    const exchange = new NodeExchange(req, res, { owned: true })
    end(res)
    exchange.destroy()
    return res.destroyed
  }
  expect(destroyed((res) => void res.end('x'.repeat(1_000_000)))).toBe(false)
  expect(destroyed((res) => void res.write('x'))).toBe(true)
})

it('The signal of a request that is closed already is aborted', () => {
  const gone = (error?: Error): PassThrough => new PassThrough().on('error', () => {}).destroy(error)
  const signalOf = (incoming: PassThrough): AbortSignal =>
    exchangeOf(Object.assign(incoming, { url: '/' })).signal
  expect([signalOf(gone(new Error('reset'))).aborted, signalOf(gone()).aborted]).toEqual([true, false])
})

describe('readBody', () => {
  const asRequest = (stream: PassThrough): IncomingMessage => stream as never

  it('rejects where the client has gone before', async () => {
    await expect(readBody(asRequest(new PassThrough().destroy()), 10)).rejects.toMatchObject({
      code: 'ERR_BODY_ABORTED',
    })
  })

  it.each(['utf8', 'latin1', 'hex'] as const)(
    'takes text of a request that was set to %s',
    async (encoding) => {
      const stream = new PassThrough().setEncoding(encoding)
      const reading = readBody(asRequest(stream), 10)
      stream.end(Buffer.from('\xe9t\xe9', encoding === 'latin1' ? 'latin1' : 'utf8'))
      expect(await reading).toEqual(Buffer.from('\xe9t\xe9', encoding === 'latin1' ? 'latin1' : 'utf8'))
    },
  )
})

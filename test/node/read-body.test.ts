import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { readBody } from '../../src/body/read-body.js'

/** A request as far as it is read: `push` gives it a chunk, and null its end. */
const request = (): Readable => new Readable({ read() {} })
const read = (stream: Readable, limit = 10): Promise<Uint8Array> => readBody(stream as IncomingMessage, limit)
const aborted = expect.objectContaining({ code: 'ERR_BODY_ABORTED', status: 400 })
const tooLarge = expect.objectContaining({ code: 'ERR_BODY_TOO_LARGE', status: 413 })

it('A body is joined of its chunks', async () => {
  const req = request()
  const reading = read(req)
  for (const chunk of ['one', 'two', 'six!']) {
    req.push(chunk)
    await new Promise(setImmediate)
  }
  req.push(null)
  expect(Buffer.from(await reading).toString()).toBe('onetwosix!')
  expect(req.listenerCount('readable')).toBe(0)
})

it('A body of one chunk is that chunk, and one of none is empty', async () => {
  const [req, empty] = [request(), request()]
  const chunk = Buffer.from('alone')
  const reading = Promise.all([read(req), read(empty)])
  req.push(chunk)
  for (const stream of [req, empty]) stream.push(null)
  const [one, none] = await reading
  expect(one).toBe(chunk)
  expect(none.byteLength).toBe(0)
})

it('A body is refused with its first byte over the limit, and read to its end into nothing', async () => {
  const req = request()
  const reading = read(req)
  req.push('0123456789')
  req.push('x')
  await expect(reading).rejects.toEqual(tooLarge)
  let rest = ''
  const ended = new Promise((resolve) =>
    req.on('data', (chunk) => (rest += String(chunk))).on('end', resolve),
  )
  req.push('rest')
  req.push(null)
  await ended
  expect(rest).toBe('rest')
})

it.each(['utf8', 'latin1', 'hex', 'base64'] as const)(
  'A body that somebody upstream takes as text (%s) is the same bytes',
  async (encoding) => {
    const req = request().setEncoding(encoding)
    const reading = read(req)
    const bytes = Buffer.from('\xe9t\xe9', encoding === 'latin1' ? 'latin1' : 'utf8')
    req.push(bytes)
    req.push(null)
    expect(Buffer.from(await reading)).toEqual(bytes)
  },
)

it.each<[string, (req: Readable) => void, unknown]>([
  ['closes', (req) => void req.destroy(), undefined],
  ['fails', (req) => void req.destroy(new Error('reset')), expect.objectContaining({ message: 'reset' })],
])('A body that is not complete when its stream %s is aborted', async (_how, leave, cause) => {
  const req = request()
  const reading = read(req)
  req.push('half')
  await new Promise(setImmediate)
  leave(req)
  await expect(reading).rejects.toEqual(aborted)
  expect(await reading.catch((error: Error) => error.cause)).toEqual(cause)
})

it('A body whose client has gone before is aborted, and nobody listens to it', async () => {
  const req = request().destroy()
  await expect(read(req)).rejects.toEqual(aborted)
  expect(req.eventNames()).toEqual([])
})

it('A body that somebody upstream has paused flows again', async () => {
  const req = request().pause()
  req.push('paused')
  req.push(null)
  expect(Buffer.from(await read(req)).toString()).toBe('paused')
})

it('A body that somebody upstream waits for by `readable` is read all the same: what is there, and what comes', async () => {
  const req = request()
  req.on('readable', () => {})
  req.push('there ')
  await new Promise(setImmediate)
  const reading = read(req, 20)
  for (const chunk of ['and ', 'later']) {
    await new Promise(setImmediate)
    req.push(chunk)
  }
  req.push(null)
  expect(Buffer.from(await reading).toString()).toBe('there and later')
})

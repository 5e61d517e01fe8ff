import { Controller } from 'routecontrollers'
import { express5 } from 'routecontrollers/express'
import { z } from 'zod'
import { describeServings } from '../support/describe-servings.js'
import { type AnyHandler, describeAlike, type WireRequest } from './support/compare.js'

// A callback of ours under a profile is sent as the same answer of an Express handler would be.
function describeOwn(
  topic: string,
  theirs: AnyHandler,
  ours: ConstructorParameters<typeof Controller>[2],
  settings?: Readonly<Record<string, unknown>>,
): void {
  const requests: Record<string, WireRequest> = {
    GET: {},
    HEAD: { method: 'HEAD' },
    'fresh by *': { headers: { 'If-None-Match': '*' } },
    'not fresh': { headers: { 'If-None-Match': '"other"' } },
    POST: { method: 'POST', headers: { 'If-None-Match': '*' } },
  }
  describeAlike(topic, requests, theirs, {
    withoutProfile: false,
    ...(settings && { settings }),
    controllers: () => [new Controller('*', '/x', ours)],
  })
}

describeOwn(
  'res.json of ours',
  (_req, res) => res.json({ a: 'é' }),
  (_req, res) => res.json({ a: 'é' }),
)
describeOwn(
  'res.json of ours by the settings of JSON',
  (_req, res) => res.json({ a: '<&>', b: [1], c: 2 }),
  (_req, res) => res.json({ a: '<&>', b: [1], c: 2 }),
  { 'json spaces': 2, 'json replacer': ['a', 'b'], 'json escape': true },
)
describeOwn(
  'a returned object',
  (_req, res) => res.json({ a: 1 }),
  () => ({ a: 1 }),
)
describeOwn(
  'res.html of ours',
  (_req, res) => res.status(203).send('<p>é</p>'),
  (_req, res) => res.status(203).html('<p>é</p>'),
)
describeOwn(
  'a returned string',
  (_req, res) => res.type('text/plain').send('text'),
  () => 'text',
)
describeOwn(
  'a web Response, which is sent as it is',
  (_req, res) => {
    res.set({ 'x-own': '1', 'Content-Length': '4' }).writeHead(201)
    res.end('text')
  },
  () => new Response(new TextEncoder().encode('text'), { status: 201, headers: { 'x-own': '1' } }),
)
describeOwn(
  'returned bytes',
  (_req, res) => res.send(Buffer.from([1, 2, 3])),
  () => new Uint8Array([1, 2, 3]),
)

describeServings('A Response of ours under a profile', ({ serve }) => {
  it('keeps its reason phrase where a schema strips what it holds', async () => {
    const answer = (): Response => Response.json({ tea: 1, more: 2 }, { statusText: 'Brewed' })
    const list = [new Controller('GET', '/', answer, { output: { 200: z.object({ tea: z.number() }) } })]
    const { send } = await serve(list, { profile: express5(), checkOutput: 'strip' })
    const { statusText, text } = await send('/')
    expect([statusText, text]).toEqual(['Brewed', '{"tea":1}'])
  })

  it('is written by the settings of JSON, also where a schema strips what it holds', async () => {
    const output = { 200: z.object({ tea: z.string() }) }
    const list = [
      new Controller('GET', '/', () => ({ tea: '<1>', more: 2 }), { output }),
      new Controller('GET', '/all', () => ({ tea: '<1>' })),
    ]
    const profile = express5({ settings: { 'json spaces': 1, 'json escape': true } })
    const { send } = await serve(list, { profile, checkOutput: 'strip' })
    expect((await send('/')).text).toBe('{\n "tea": "\\u003c1\\u003e"\n}')
    expect((await send('/all')).text).toBe('{\n "tea": "\\u003c1\\u003e"\n}')
  })
})

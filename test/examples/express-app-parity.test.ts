import request from 'supertest'
import {
  createTestSetup,
  inFront,
  inside,
  inside4,
  legacy,
  standalone,
  type Way,
} from './express-app-ways.js'

interface Ask {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const elsewhere = { Origin: 'https://elsewhere.example' }
const identity = { 'Accept-Encoding': 'identity' }

/** What one customer asks of the routes that have moved, one after the other: the answers are equal. */
const asks: Ask[] = [
  { path: '/health' },
  { path: '/health?a=1' },
  { path: '/products' },
  { path: '/products', method: 'HEAD' },
  { path: '/products?size=50' },
  { path: '/products?size=50', method: 'HEAD' },
  { path: '/products?size=50', headers: identity },
  { path: '/products?category=green&category=white&q=%E9%' },
  { path: '/products?q=jasmine+pearls' },
  { path: '/products?page=two' },
  { path: '/products', headers: { Accept: 'text/html', ...elsewhere } },
  { path: '/products', headers: { Range: 'bytes=0-9' } },
  { path: '/products.csv' },
  { path: '/products.csv', headers: identity },
  { path: '/products.csv', method: 'HEAD' },
  { path: '/products/tieguanyin' },
  { path: '/products/tieguanyin', method: 'HEAD' },
  { path: '/products/caf%C3%A9' },
  { path: '/products/a%2Fb' },
  { path: '/products/a+b' },
  { path: '/cart' },
  { path: '/cart', method: 'POST', headers: json, body: '{"productId":"sencha","quantity":2}' },
  { path: '/cart', method: 'POST', headers: json, body: '{"productId":"da-hong-pao","quantity":5}' },
  { path: '/cart', method: 'POST', headers: form, body: 'productId=assam&quantity=3' },
  { path: '/cart', method: 'POST', headers: { 'Content-Type': 'application/xml' }, body: '<assam/>' },
  { path: '/cart', method: 'POST' },
  { path: '/cart' },
  { path: '/cart', method: 'OPTIONS' },
  { path: '/cart', method: 'OPTIONS', headers: { ...elsewhere, 'Access-Control-Request-Method': 'POST' } },
  { path: '/cart', method: 'DELETE' },
  { path: '/cart' },
  { path: '/admin/report' },
  { path: '/admin/report', headers: { 'X-Admin-Token': 'guessed' } },
  { path: '/admin/report', headers: { 'X-Admin-Token': 'teapot' } },
]

const cutOff: Ask = { path: '/cart', method: 'POST', headers: json, body: '{"productId":' }
const tooLarge: Ask = { ...cutOff, body: JSON.stringify({ productId: 'x'.repeat(100 * 1024) }) }
const badEscape: Ask = { path: '/products/%E9' }
const acceptsJson = ({ headers, ...ask }: Ask): Ask => ({
  ...ask,
  headers: { ...headers, Accept: 'application/json' },
})

interface Difference {
  promise: string
  ask: Ask
  /** Status and media type as the legacy app answers. */
  legacy: string
  inside: string
  inFront: string
  standalone: string
}

// prettier-ignore
/** Where a moved route answers otherwise than it did, and why: each is a promise that Controllers make. */
const differences: Difference[] = [
  {
    promise: 'there is no ETag, hence no 304', ask: { path: '/health', headers: { 'If-None-Match': '*' } },
    legacy: '304', inside: '200 application/json', inFront: '200 application/json', standalone: '200 application/json',
  },
  {
    promise: 'a redirect has no body', ask: { path: '/teas' },
    legacy: '301 text/plain', inside: '301', inFront: '301', standalone: '301',
  },
  {
    promise: 'the case of a path counts', ask: { path: '/HEALTH' },
    legacy: '200 application/json', inside: '404 text/html', inFront: '404 text/html', standalone: '404 text/plain',
  },
  {
    promise: 'a trailing slash counts', ask: { path: '/health/' },
    legacy: '200 application/json', inside: '404 text/html', inFront: '404 text/html', standalone: '404 text/plain',
  },
  {
    promise: 'without Express there is no 404 page', ask: { path: '/cart', method: 'PUT' },
    legacy: '404 text/html', inside: '404 text/html', inFront: '404 text/html', standalone: '404 text/plain',
  },
  {
    promise: 'a body that cannot be read is told in plain text', ask: cutOff,
    legacy: '400 application/json', inside: '400 application/json', inFront: '400 text/plain', standalone: '400 text/plain',
  },
  {
    promise: 'a body that is too large is told in plain text', ask: tooLarge,
    legacy: '413 application/json', inside: '413 application/json', inFront: '413 text/plain', standalone: '413 text/plain',
  },
  {
    promise: 'an escape that cannot be decoded is told in plain text', ask: badEscape,
    legacy: '400 application/json', inside: '400 application/json', inFront: '400 text/plain', standalone: '400 text/plain',
  },
  {
    promise: 'such errors are problem+json for a client that accepts JSON', ask: acceptsJson(cutOff),
    legacy: '400 application/json', inside: '400 application/json',
    inFront: '400 application/problem+json', standalone: '400 application/problem+json',
  },
]

/** What differs in every answer: Controllers make no ETag, sign their work here, and `maxAge` makes no Expires. */
function withoutDifferences(headers: Answer['headers']): Answer['headers'] {
  const { etag: _etag, 'x-answered-by': _answeredBy, 'set-cookie': cookies, ...others } = headers
  if (!Array.isArray(cookies)) return others
  return { ...others, 'set-cookie': cookies.map((cookie: string) => cookie.replace(/ Expires=[^;]*;/, '')) }
}

describe.each([
  { way: inside, column: 'inside', before: legacy[5] },
  { way: inFront, column: 'inFront', before: legacy[5] },
  { way: standalone, column: 'standalone', before: legacy[5] },
  { way: inside4, column: 'inside', before: legacy[4] },
] as const)('the routes that have moved, served by $way.name', ({ way, column, before }) => {
  it('answer what they answered before', async () => {
    expect(await visit(way, asks)).toEqual(await visit(before, asks))
  })

  it.each(differences)('but $promise', async ({ ask, legacy, [column]: now }) => {
    expect(await kindOf(before, ask)).toBe(legacy)
    expect(await kindOf(way, ask)).toBe(now)
  })
})

interface Answer {
  ask: Ask
  status: number
  headers: Record<string, unknown>
  body: string
}

/** The answers to one customer, each with what was asked, and without what is different each time. */
async function visit(way: Way, asks: Ask[]): Promise<Answer[]> {
  const shop = await way.serve(createTestSetup(), 0)
  try {
    const customer = request.agent(shop.url)
    const answers: Answer[] = []
    for (const ask of asks) {
      const { method = 'GET', path, headers = {}, body } = ask
      const sent = customer[method.toLowerCase() as 'get'](path).set(headers).redirects(0)
      const { status, text, headers: all } = await (body === undefined ? sent : sent.send(body))
      const { date: _date, ...others } = all as Record<string, unknown>
      answers.push({ ask, status, headers: withoutDifferences(withoutSessionId(others)), body: text })
    }
    return answers
  } finally {
    await shop.stop()
  }
}

function withoutSessionId(headers: Answer['headers']): Answer['headers'] {
  const cookies = headers['set-cookie']
  if (!Array.isArray(cookies)) return headers
  return {
    ...headers,
    'set-cookie': cookies.map((cookie: string) => cookie.replace(/^(shop\.sid=)[^;]*/, '$1…')),
  }
}

async function kindOf(way: Way, ask: Ask): Promise<string> {
  const [answer] = await visit(way, [ask])
  const type = answer!.headers['content-type']
  return typeof type === 'string' ? `${answer!.status} ${type.split(';')[0]}` : `${answer!.status}`
}

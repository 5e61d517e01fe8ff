import { gzipSync, brotliCompressSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Controller } from 'routecontrollers'
import { compareSteps, differencesOf } from '../../../packages/compare/src/compare-answers.js'
import { runInMemory } from '../../../packages/compare/src/memory-request.js'
import { Names, Noise, ofOwnRequests } from '../../../packages/compare/src/noise.js'
import type { ReceivedAnswer } from '../../../packages/compare/src/received-answer.js'
import { maskOfRequest, secretsOf } from '../../../packages/compare/src/redact.js'
import { runAtOnce, runInSlices } from '../../../packages/compare/src/slices.js'
import { unpacked } from '../../../packages/compare/src/unpack.js'
import { createRandom } from '../../hard/random.js'
import { compareRandomAnswers, plantedDifference } from '../../support/random-answers.js'
import { closeShops, describeWays, serveShop, TestClock, until, ways } from './shop.js'

const why = { reason: 'a test', by: 'test' }
const rules = {
  ignoredHeaders: new Set<string>(),
  secrets: secretsOf([]),
  mask: (text: string) => text,
  maxBytes: 256 * 1024,
  isRecorded: false,
}
const bytes = (text: string | Buffer): string => Buffer.from(text as string).toString('latin1')
const answer = (body: string | Buffer, headers: Record<string, string> = {}) => ({
  status: 200,
  headers: new Map(Object.entries(headers)),
  body: bytes(body),
})
const compared = (one: string, other: string, again?: string, noise = new Noise()) =>
  differencesOf(answer(one), answer(other), again === undefined ? undefined : answer(again), noise, rules)
const random = (): string => createHash('sha256').update(String(Math.random())).digest('hex')

describeWays('answers that a visitor has made', (way) => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then'])(
    'are compared where one alone has the key %s',
    async (key) => {
      const { send, switching, logged } = await serveShop(way, {
        legacy: (app) => void app.get('/x', (_req, res) => void res.type('json').send('{"query":{}}')),
        native: () => [
          new Controller('GET', '/x', (_req, res) =>
            res
              .header('content-type', 'application/json')
              .send(`{"query":{${JSON.stringify(key)}:{"a":"1"}}}`),
          ),
        ],
        shadow: { ignoreHeaders: ['etag', 'content-type'] },
      })
      await switching.set('*', 'shadow', why)
      await send('/x')
      const route = () => switching.status().routes[0]!
      await until(() => route().shadow.compared === 1)
      expect(route().differences).toMatchObject([
        { what: 'body', name: `$.query.${key}`, native: '{"a":"1"}' },
      ])
      expect(logged.filter((line) => line.startsWith('error'))).toEqual([])
    },
  )

  it('are compared where their text has a date that is none', async () => {
    const page = (title: string): string => `<h1>${title}</h1><p>Mon, 99 Xyz 2026 99:99:99 GMT</p>`
    const { send, switching } = await serveShop(way, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.send(page('Comments'))),
      native: () => [new Controller('GET', '/x', (_req, res) => res.html(page('Comment')))],
      shadow: { ignoreHeaders: ['etag', 'content-type'] },
    })
    await switching.set('*', 'canary 100%', why)
    await send('/x')
    const route = () => switching.status().routes[0]!
    await until(() => route().shadow.compared === 1)
    expect(route().differences).toMatchObject([{ what: 'body' }])
  })
})

/** A clock that fails once it is told to. */
class FailingClock extends TestClock {
  fails = false
  override now(): number {
    if (this.fails) throw new Error('planted')
    return super.now()
  }
}

describe('a comparison', () => {
  afterEach(closeShops)

  it('that throws is counted, told once of a route, and changes nothing for a client', async () => {
    const clock = new FailingClock()
    const { send, switching, logged } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json({ a: 1 })),
      native: () => [new Controller('GET', '/x', () => ({ a: 2 }))],
      clock,
    })
    await send('/x')
    await switching.set('*', 'shadow', why)
    // The status reads the clock, too.
    const dropped = (): number => {
      clock.fails = false
      const { error } = switching.status().shadow.dropped
      clock.fails = true
      return error
    }
    for (const expected of [1, 2]) {
      clock.fails = true
      expect((await send('/x')).json()).toEqual({ a: 1 })
      await until(() => dropped() === expected)
    }
    clock.fails = false
    const { shadow } = switching.status()
    expect(shadow).toMatchObject({ running: 0, heldBytes: 0 })
    expect(switching.status().routes[0]!.shadow).toMatchObject({ dropped: 2 })
    expect(logged.filter((line) => line.includes('GET /x could not be compared'))).toEqual([
      expect.stringContaining('planted'),
    ])
  })

  it('of what cannot be captured is counted, and changes nothing for a client', async () => {
    const { send, switching, logged } = await serveShop(ways[0]!, {
      legacy: (app) => {
        app.get('/x', (_req, res) => {
          // As middleware may replace it.
          res.getHeader = () => {
            delete (res as Partial<typeof res>).getHeader
            throw new Error('planted')
          }
          res.end('x')
        })
      },
      native: () => [new Controller('GET', '/x', () => 'x')],
    })
    await switching.set('*', 'shadow', why)
    expect((await send('/x')).text).toBe('x')
    await until(() => switching.status().shadow.dropped.error === 1)
    expect(switching.status().shadow.heldBytes).toBe(0)
    expect(logged.filter((line) => line.includes('could not be compared'))).toHaveLength(1)
  })

  it('of a handler that rejects, or whose response has an error, ends nothing', async () => {
    let isBad = false
    const { switching, send } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.send('x')),
      native: () => [new Controller('GET', '/x', () => 'x')],
    })
    await switching.close()
    await send('/x')
    const rejected: unknown[] = []
    const note = (error: unknown): void => void rejected.push(error)
    process.on('unhandledRejection', note)
    const copy = { method: 'GET', target: '/x', headers: {}, rawHeaders: [], body: undefined, socket: {} }
    const limits = { timeoutMs: 1000, maxBytes: 1000, prepare: () => void (isBad = true) }
    const reject = (async () => Promise.reject(new Error('planted'))) as never
    expect(await runInMemory(reject, copy, limits)).toMatchObject({ status: 0 })
    const fail = (_req: unknown, res: ServerResponse): void => {
      res.end('x')
      res.write('more')
      res.emit('error', new Error('planted'))
    }
    expect(await runInMemory(fail, copy, limits)).toMatchObject({ status: 200, body: 'x' })
    const throwing = {
      ...limits,
      prepare: () => {
        throw new Error('planted')
      },
    }
    expect(await runInMemory(fail, copy, throwing)).toMatchObject({ status: 0 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect([isBad, rejected]).toEqual([true, []])
  })

  it('asks a copy no longer than for what may be held', async () => {
    const copy = { method: 'GET', target: '/x', headers: {}, rawHeaders: [], body: undefined, socket: {} }
    let socket: Socket | undefined
    const endless = (_req: unknown, res: ServerResponse): void => {
      socket = res.socket!
      for (let at = 0; at < 11 && !res.destroyed; at++) res.write('x'.repeat(100))
    }
    const limits = { timeoutMs: 60_000, maxBytes: 1000, prepare: () => {} }
    expect(await runInMemory(endless, copy, limits)).toBe('size')
    expect(socket!.destroyed).toBe(true)
    const whole = (_req: unknown, res: ServerResponse): void => void res.end('x'.repeat(1000))
    expect(await runInMemory(whole, copy, limits)).toMatchObject({ status: 200, body: 'x'.repeat(1000) })
  })

  it('has a copy answered by the last head, closes it once, and leaves no timer', async () => {
    const copy = { method: 'GET', target: '/x', headers: {}, rawHeaders: [], body: undefined, socket: {} }
    const limits = { timeoutMs: 60_000, maxBytes: 1000, prepare: () => {} }
    const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    const before = timers()
    let closes = 0
    const hinting = (_req: unknown, res: ServerResponse): void => {
      res.on('close', () => closes++)
      res.writeEarlyHints({ link: '</a.css>; rel=preload' })
      res.writeHead(201, { 'x-a': '1' }).end('x')
    }
    const answered = await runInMemory(hinting, copy, limits)
    expect(answered).toMatchObject({ status: 201, body: 'x' })
    expect((answered as ReceivedAnswer).headers.get('x-a')).toBe('1')
    await new Promise(setImmediate)
    expect([closes, timers() - before]).toEqual([1, 0])
  })

  it('closes a copy of a request whose body is not read, as Node does for a client', async () => {
    const body = Buffer.from('{"name":"tea"}')
    const copy = { method: 'POST', target: '/x', headers: {}, rawHeaders: [], body, socket: {} }
    const limits = { timeoutMs: 20, maxBytes: 1000, prepare: () => {} }
    const eventsOf = async (
      answer: (req: IncomingMessage, res: ServerResponse) => void,
    ): Promise<string[]> => {
      const events: string[] = []
      await runInMemory(
        (req, res) => {
          for (const name of ['aborted', 'end', 'close'] as const) req.on(name, () => events.push(name))
          req.on('error', (error: NodeJS.ErrnoException) => events.push(error.code!))
          answer(req, res)
        },
        copy,
        limits,
      )
      await new Promise(setImmediate)
      return events
    }
    expect(await eventsOf((_req, res) => void res.end('x'))).toEqual(['end', 'close'])
    expect(await eventsOf(() => {})).toEqual(['aborted', 'ECONNRESET', 'close'])
    // By a listener that reads nothing of it.
    expect(await eventsOf((req, res) => void res.end(req.on('readable', () => {}) && 'x'))).toContain('close')
    const read = (req: IncomingMessage, res: ServerResponse): void =>
      void req.resume().on('end', () => res.end('x'))
    expect(await eventsOf(read)).toEqual(['end', 'close'])
  })

  it('holds for random answers, and finds what was planted', () => {
    const chances = createRandom(25)
    const { findings, compared, different } = compareRandomAnswers(chances, 600)
    expect(findings).toEqual([])
    expect(Math.min(compared, different)).toBeGreaterThan(100)
    for (let at = 0; at < 300; at++) {
      const { legacy, now } = plantedDifference(chances)
      expect(differencesOf(legacy, now, undefined, new Noise(), rules)).not.toEqual([])
    }
  })

  it('tells of several long numbers that are one for JavaScript which is another one, in whatever order', () => {
    const [one, other] = ['9007199254740992', '9007199254740993']
    expect(compared(`[${other},${one}]`, `[${one},${one}]`)).toMatchObject([
      { legacy: '...0993', now: '...0992' },
    ])
    expect(compared(`[${one},${one}]`, `[${other},${one}]`)).toMatchObject([
      { legacy: '...0992', now: '...0993' },
    ])
    expect(compared(`{"a":${one},"b":${other}}`, `{"b":${other},"a":${one}}`)).toEqual([])
    expect(compared(`[${other},${one}]`, `[${one},${one}]`, `[${one},${other}]`)).toMatchObject([
      { legacy: '...0993', now: '...0992' },
    ])
    expect(compared(`[${other},${one}]`, `[${one},${one}]`, `[${one},${one}]`)).toEqual([])
    // A list that grows is noise.
    expect(compared(`[[${other}]]`, `[[${one},${one}]]`, `[[${other},${one}]]`)).toEqual([])
  })

  it('tells no long number that legacy itself writes in another way', () => {
    const of = (number: string) => answer(`{"n":${number}}`)
    const found = (again: string) =>
      differencesOf(of('9007199254740993'), of('9007199254740992'), of(again), new Noise(), rules)
    expect(found('9007199254740993')).toMatchObject([{ legacy: '...0993', now: '...0992' }])
    expect(found('9007199254740992')).toEqual([])
  })

  it('takes for no noise what legacy says the second time in an answer that broke off', () => {
    const of = (body: string) => answer(body, { 'content-type': 'text/plain' })
    const found = (again: ReceivedAnswer) =>
      differencesOf(of('tea is 5 now'), of('tea is 6 now'), again, new Noise(), rules)
    expect(found({ ...of('tea is'), failure: 'the answer broke off' })).toHaveLength(1)
    expect(found(of('tea is'))).toEqual([])
  })

  it('names a place below fifty levels by the one above', () => {
    const nested = (levels: number, value: number): string =>
      '{"a":'.repeat(levels) + String(value) + '}'.repeat(levels)
    const nameAt = (levels: number): unknown => {
      const found = differencesOf(
        answer(nested(levels, 1)),
        answer(nested(levels, 2)),
        undefined,
        new Noise(),
        rules,
      )
      return found === 'size' ? found : found.map(({ name }) => name)
    }
    expect(nameAt(50)).toEqual([`$${'.a'.repeat(50)}`])
    expect(nameAt(60)).toEqual([`$${'.a'.repeat(50)}`])
  })

  it.each([
    ['{"n":9007199254740993}', '{"n":9007199254740992}', '...0993'],
    ['{"n":1e400}', '{"n":1e500}', '1e400'],
    [`${'['.repeat(3000)}1${']'.repeat(3000)}`, `${'['.repeat(3000)}2${']'.repeat(3000)}`, '1'],
    ['{"a":[1,2]}', '{"a":[1]}', '[1,2]'],
    ['{"a":null}', '{"a":{}}', 'null'],
    ['{"a":"1"}', '{"a":1}', '"1"'],
    ['{}', '{"hasOwnProperty":1}', undefined],
  ])('tells %.40s from %.40s', (one, other, shown) => {
    expect(compared(one, other)).toEqual([
      {
        what: 'body',
        name: expect.any(String),
        ...(shown !== undefined && { legacy: shown }),
        now: expect.any(String),
      },
    ])
  })

  it.each([
    ['{"n":1.0, "a":[1,2]}', '{"a":[1,2],"n":1}'],
    ['{"n":"\\u0061"}', '{"n":"a"}'],
    [`${'['.repeat(9000)}${']'.repeat(9000)}`, ` ${'['.repeat(9000)}${']'.repeat(9000)}`],
  ])('takes %.40s and %.40s for the same', (one, other) => {
    expect(compared(one, other)).toEqual([])
  })

  it('tells bytes apart that are no UTF-8', () => {
    const body = (byte: number): Buffer =>
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([byte]), Buffer.from('"}')])
    expect(
      differencesOf(answer(body(0xff)), answer(body(0xfe)), undefined, new Noise(), rules),
    ).toMatchObject([{ what: 'body' }])
  })
})

describe('a body that goes on', () => {
  const exactly = (one: string, other: string, ...again: string[]) =>
    differencesOf(
      answer(one),
      answer(other),
      again.map((text) => answer(text)),
      new Noise(),
      {
        ...rules,
        isExact: true,
      },
    )

  it.each([
    ['tea', 'tea and milk'],
    ['tea', 'teapot'],
    ['tea\n', 'tea\n\n'],
    ['', 'tea'],
    ['<ul><li>1</li></ul>', '<ul><li>1</li></ul><ul></ul>'],
    ['data: 1\n\n', 'data: 1\n\ndata: 2\n\n'],
    ['{"a":1}', '{"a":1}\n{"a":2}'],
    ['[1,2]', '[1,2,3]'],
    ['[]', '[null]'],
    ['{"list":[{"a":1}]}', '{"list":[{"a":1},{"a":1}]}'],
    ['[[1],[2]]', '[[1],[2,3]]'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['{"a":{}}', '{"a":{"b":{}}}'],
    ['{"a":"tea"}', '{"a":"tea and milk"}'],
    ['{"a":1}', '{"a":10}'],
    ['\u00ff\u0000', '\u00ff\u0000\u0000'],
  ])('is another one: %j and %j', (short, long) => {
    for (const [one, other] of [
      [short, long],
      [long, short],
    ] as const) {
      expect(compared(one, other)).toHaveLength(1)
      expect(compared(one, other, one)).toHaveLength(1)
      expect(exactly(one, other)).toHaveLength(1)
      expect(exactly(one, other, one, one)).toHaveLength(1)
    }
  })

  it.each([
    ['id 1 tea', 'id 3 tea and milk', 'id 2 tea'],
    ['{"id":1,"all":[1]}', '{"id":3,"all":[1,2]}', '{"id":2,"all":[1]}'],
    ['{"id":1}', '{"id":3,"more":1}', '{"id":2}'],
    ['<p>1</p>', '<p>3</p><p>4</p>', '<p>2</p>'],
  ])('is another one where something else in it is noise: %j and %j', (one, other, again) => {
    expect(compared(one, other, again)).toHaveLength(1)
    expect(exactly(one, other, again)).toHaveLength(1)
  })
})

describe('a member that one side alone has', () => {
  it('is told with the value of that side alone', () => {
    expect(compared('{"a":1,"b":2}', '{"a":1}')).toStrictEqual([{ what: 'body', name: '$.b', legacy: '2' }])
    expect(compared('{"a":1}', '{"a":1,"b":2}')).toStrictEqual([{ what: 'body', name: '$.b', now: '2' }])
  })
})

describe('a value that is shown', () => {
  it('has no secret of its members, by their names or by their forms', () => {
    const user = { name: 'ada', password: 'sesame', keys: [{ apiKey: 'a-key', at: 1 }] }
    expect(compared('{"a":1}', JSON.stringify({ a: 1, user }))).toEqual([
      {
        what: 'body',
        name: '$.user',
        now: '{"name":"ada","password":"[redacted]","keys":[{"apiKey":"[redacted]","at":1}]}',
      },
    ])
    const masking = { ...rules, mask: (text: string) => text.replaceAll('sesame', '[masked]') }
    const texts = [answer('by sesame of tea'), answer('by sesame of coffee')] as const
    const [text] = differencesOf(...texts, undefined, new Noise(), masking) as object[]
    expect(text).toEqual({ what: 'body', legacy: 'masked] of tea', now: 'masked] of coffee' })
    const [found] = compared(
      '{}',
      JSON.stringify({ by: { 'Bearer abcdefgh1234': 'https://a:b@c.example/' } }),
    )
    expect(JSON.stringify(found)).not.toMatch(/abcdefgh1234|a:b/)
  })
})

describe('what two answers tell', () => {
  const [was, is] = [0, 1].map((value) => {
    const items = Array.from({ length: 20 }, (_one, at) => ({ count: 2 * at + value }))
    return JSON.stringify({ items, ...Object.fromEntries(items.map(({ count }, at) => [`m${at}`, count])) })
  })
  const found = (given: typeof rules & { isAccepted?: (one: { name?: string }) => boolean }) => {
    const differences = differencesOf(answer(was!), answer(is!), undefined, new Noise(), given)
    return (differences as readonly { name?: string }[]).map(({ name }) => name)
  }
  const members = (count: number) => Array.from({ length: count }, (_one, at) => `$.m${at}`)

  it('is the first difference of each of ten places', () => {
    expect(found(rules)).toEqual(['$.items[*].count', ...members(9)])
  })

  it('has ten places besides those that are accepted', () => {
    const isAccepted = ({ name = '' }): boolean => name.includes('count') || name === '$.m3'
    expect(found({ ...rules, isAccepted })).toEqual(['$.items[*].count', ...members(11)])
  })
})

describe('where all counts', () => {
  const exact = { ...rules, isExact: true }

  it('each difference is told, also of very many', () => {
    const headers = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`x-${at}`, 'a']))
    const found = (given: typeof rules) =>
      differencesOf(answer('x', headers), answer('x'), undefined, new Noise(), given).length
    expect([found(exact), found(rules)]).toEqual([15, 10])
  })

  it('what is made of a body that is noise is noise, too', () => {
    const tagged = (body: string, etag: string) => answer(body, { etag })
    const noise = new Noise(new Names(ofOwnRequests))
    const [one, other] = [tagged('tea a1', '"1"'), tagged('tea a2', '"2"')]
    expect(differencesOf(one, other, tagged('tea a3', '"1"'), noise, exact)).toEqual([])
    expect(differencesOf(one, tagged('tea a1', '"2"'), one, new Noise(), exact)).toHaveLength(1)
  })
})

describe('a body in UTF-16', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')
  const found = (one: string | Buffer, other: string | Buffer) =>
    differencesOf(answer(one), answer(other), undefined, new Noise(), rules)

  it('is compared by its letters, and differs from the same letters in UTF-8', () => {
    expect(found(utf16('{"a":1}'), utf16('{ "a": 1 }'))).toEqual([])
    expect(found(utf16('{"a":1}'), utf16('{"a":2}'))).toMatchObject([{ what: 'body', name: '$.a' }])
    expect(found(utf16('{"a":1}'), '{"a":1}')).toHaveLength(1)
  })

  it('counts to its last byte, also where that is half a letter', () => {
    const odd = (byte: number): Buffer => Buffer.concat([utf16('text'), Buffer.from([byte])])
    expect(found(odd(65), odd(65))).toEqual([])
    expect(found(odd(65), odd(66))).toHaveLength(1)
    expect(found(odd(65), utf16('text'))).toHaveLength(1)
  })
})

describe('how JSON is written', () => {
  const exact = { ...rules, isExact: true }
  it.each([
    ['{"a":1}', '{"a": 1}'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['{"a":1}', '{"a":1.0}'],
    ['{"a":"/"}', '{"a":"\\/"}'],
  ])('counts where all counts: %s and %s', (one, other) => {
    expect(compared(one, other)).toEqual([])
    const found = differencesOf(answer(one), answer(other), [answer(one)], new Noise(), exact)
    expect(found).toMatchObject([{ what: 'body', name: '$' }])
  })
})

describe('the present time', () => {
  const minute = 60_000
  const [hour, day] = [60 * minute, 1440 * minute]
  const forms: Readonly<Record<string, (ms: number) => string>> = {
    'milliseconds in a text': (ms) => JSON.stringify({ at: String(ms) }),
    milliseconds: (ms) => JSON.stringify({ at: ms }),
    seconds: (ms) => JSON.stringify({ at: Math.round(ms / 1000) }),
    'an ISO date': (ms) => JSON.stringify({ at: new Date(ms).toISOString() }),
    'a date of HTTP': (ms) => JSON.stringify({ at: new Date(ms).toUTCString() }),
    'a page': (ms) => `<p>It is ${new Date(ms).toISOString()} now</p>`,
    'a page with seconds': (ms) => `<p>It is ${Math.round(ms / 1000)} now</p>`,
  }
  it.each(Object.entries(forms))('is the time within an hour, and no other: %s', (_name, form) => {
    const now = Date.now()
    const at = (away: number): string => form(now + away)
    const found = (one: number, other: number): boolean => {
      const isFound = compared(at(one), at(other)).length > 0
      const rulesOfParity = { ...rules, isExact: true }
      const exactly = differencesOf(answer(at(one)), answer(at(other)), [], new Noise(), rulesOfParity)
      expect(exactly.length > 0).toBe(isFound)
      return isFound
    }
    for (const away of [2000, 50 * minute, -50 * minute]) expect(found(0, away)).toBe(false)
    for (const away of [70 * minute, 5 * hour, day, 30 * day, 366 * day]) {
      for (const sign of [1, -1]) {
        expect(found(0, sign * away)).toBe(true)
        expect(found(sign * away, 0)).toBe(true)
        // Of a time that was, another one near it is another one.
        expect(found(sign * away, sign * (away + 2000))).toBe(true)
      }
    }
  })
})

describe('headers', () => {
  const exact = { ...rules, isExact: true }
  const compare = (one: object, other: object, compareRules = rules) =>
    differencesOf(answer('x', { ...one }), answer('x', { ...other }), undefined, new Noise(), compareRules)

  it('that one side alone has are told with the side', () => {
    expect(compare({ 'x-a': '1' }, {})).toEqual([{ what: 'missing header', name: 'x-a', legacy: '1' }])
    expect(compare({}, { 'x-a': '1' })).toEqual([{ what: 'new header', name: 'x-a', now: '1' }])
    expect(compare({}, { 'x-a': '1' }, { ...rules, ignoredHeaders: new Set(['x-a']) })).toEqual([])
  })

  it('that set a cookie differ by its name and its attributes, and where all counts by its value and its end', () => {
    const of = (line: string) => ({ 'set-cookie': line })
    const expiring = (ms: number) => of(`a=1; Expires=${new Date(Date.UTC(2030, 0, 1) + ms).toUTCString()}`)
    expect(compare(of('a=1'), of('b=1'))).toHaveLength(1)
    expect(compare(of('a=1'), of('a=1\nb=1'))).toHaveLength(1)
    expect(compare(of('a=1; Secure'), of('a=1'))).toHaveLength(1)
    // Of two that have one name, each counts.
    expect(compare(of('a=1; Path=/\na=1; Path=/x'), of('a=1; Path=/y\na=1; Path=/x'))).toHaveLength(1)
    expect(compare(of('a=1'), of('a=2'))).toEqual([])
    expect(compare(of('a=1'), of('a=2'), exact)).toHaveLength(1)
    // It is made of the time of the answer.
    expect(compare(expiring(0), expiring(50_000), exact)).toEqual([])
    expect(compare(expiring(0), expiring(70_000), exact)).toHaveLength(1)
    expect(compare(expiring(0), of('a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'), exact)).toHaveLength(1)
    expect(compare(expiring(0), of('a=1'), exact)).toHaveLength(1)
    // Where not all counts, too, a cookie that is deleted is none that is set.
    const deleted = of('a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT')
    expect(compare(deleted, expiring(0))).toEqual([
      { what: 'header', name: 'set-cookie', legacy: 'a=; Expires (past)', now: 'a=; Expires' },
    ])
    expect(compare(deleted, of('a=; Expires=Thu, 01-Jan-70 00:00:10 GMT'))).toEqual([])
    expect(compare(expiring(0), expiring(70_000))).toEqual([])
    const twice = (ms: number) => of(`${expiring(0)['set-cookie']}\n${expiring(ms)['set-cookie']}`)
    expect(compare(twice(0), twice(70_000), exact)).toHaveLength(1)
  })

  it('differ by the charset of JSON, and by what is made of the body, where all counts', () => {
    const types = [
      { 'content-type': 'application/json' },
      { 'content-type': 'application/json; charset=utf-8' },
    ]
    expect(compare(types[0]!, types[1]!)).toEqual([])
    expect(compare(types[0]!, types[1]!, exact)).toEqual([
      {
        what: 'header',
        name: 'content-type',
        legacy: 'application/json',
        now: 'application/json; charset=utf-8',
      },
    ])
    expect(compare({ etag: '"1"' }, { etag: '"2"' }, exact)).toHaveLength(1)
    // It was made of what is left out of one of them.
    expect(compare({ etag: '' }, { etag: '"2"' }, exact)).toEqual([])
  })

  it.each([
    ['another charset of JSON', 'application/json', 'application/json; charset=latin1'],
    ['another parameter', 'application/json', 'application/json; charset=utf-8; profile=x'],
    ['the charset of a text', 'text/plain', 'text/plain; charset=utf-8'],
    ['another kind of JSON', 'application/json', 'application/problem+json'],
  ])('of a type differ by %s', (_what, was, is) => {
    for (const [legacy, now] of [
      [was, is],
      [is, was],
    ])
      expect(compare({ 'content-type': legacy }, { 'content-type': now })).toMatchObject([
        { name: 'content-type' },
      ])
  })

  it('are looked through for secrets however long they are', () => {
    const long = (secret: string) => ({ 'x-a': `token=${secret} ${'y '.repeat(3000)}` })
    expect(compare(long('a-token-of-ada'), long('a-token-of-ben'))).toEqual([])
  })

  it('of cookies that legacy itself sets only now and then are noise', () => {
    const of = (line: string) => answer('x', { 'set-cookie': line })
    const found = (was: string, is: string, again: string) =>
      differencesOf(of(was), of(is), of(again), new Noise(), rules)
    expect(found('a=1\nb=1', 'a=1', 'a=1')).toEqual([])
    expect(found('a=1', 'a=1\nb=1', 'a=1\nb=1')).toEqual([])
    expect(found('a=1\nb=1', 'a=1', 'a=1\nb=1')).toHaveLength(1)
  })

  it('of cookies that legacy has set now and then in two requests are known as noise', () => {
    const of = (line: string) => answer('x', { 'set-cookie': line })
    const noise = new Noise()
    const found = (again?: string) =>
      differencesOf(of('a=1\nb=1'), of('a=1'), again === undefined ? undefined : of(again), noise, rules)
    expect(found()).toHaveLength(1)
    for (let request = 0; request < 2; request++) expect(found('a=1')).toEqual([])
    expect(found()).toEqual([])
    expect(noise.shown()).toEqual(['set-cookie b (whether it is set)'])
  })

  it('are noise by an answer of the same status alone', () => {
    const again = { ...answer('x', { 'x-a': '3' }), status: 503 }
    const found = (status: number) =>
      differencesOf(
        answer('x', { 'x-a': '1' }),
        answer('x', { 'x-a': '2' }),
        { ...again, status },
        new Noise(),
        rules,
      )
    expect(found(200)).toEqual([])
    expect(found(503)).toHaveLength(1)
  })

  it('of a cookie are told with its attributes, and without its value', () => {
    const line = 'sid=a-value-of-ada; Path=/; HttpOnly'
    const shown = 'sid=; Path=/; HttpOnly'
    const [missing, added] = [compare({ 'set-cookie': line }, {}), compare({}, { 'set-cookie': line })]
    expect(missing).toEqual([{ what: 'missing header', name: 'set-cookie', legacy: shown }])
    expect(added).toEqual([{ what: 'new header', name: 'set-cookie', now: shown }])
  })

  it('of a name that names a secret are told without their values, on either side', () => {
    const value = { 'x-api-key': 'a-key-of-ada' }
    expect([
      ...compare(value, {}),
      ...compare({}, value),
      ...compare(value, { 'x-api-key': 'of-ben' }),
    ]).toEqual([
      { what: 'missing header', name: 'x-api-key', legacy: '[redacted]' },
      { what: 'new header', name: 'x-api-key', now: '[redacted]' },
      { what: 'header', name: 'x-api-key', legacy: '[redacted]', now: '[redacted]' },
    ])
  })

  it('of a cookie are masked before they are clipped: a part of a secret is none that could be found', () => {
    const secret = 'a-secret-of-the-client'
    const line = `${'n'.repeat(185)}=1; Path=/${secret}`
    const masking = { ...rules, mask: (text: string) => text.replaceAll(secret, '[masked]') }
    const [found] = compare({ 'set-cookie': line }, { 'set-cookie': `${line}; Secure` }, masking)
    expect(JSON.stringify(found)).not.toContain('a-secr')
    // Where one side alone sets it, too.
    const path = { 'set-cookie': `n=1; Path=/${secret}` }
    const shown = 'n=; Path=/[masked]'
    expect([...compare(path, {}, masking), ...compare({}, path, masking)]).toEqual([
      { what: 'missing header', name: 'set-cookie', legacy: shown },
      { what: 'new header', name: 'set-cookie', now: shown },
    ])
  })

  it('that set the same cookies in another order differ where all counts, unless legacy has no order itself', () => {
    const of = (line: string) => answer('x', { 'set-cookie': line })
    const [one, other] = [of('a=1\nb=1'), of('b=1\na=1')]
    const found = (...again: (typeof one)[]) => differencesOf(one, other, again, new Noise(), exact).length
    expect([found(), found(one), found(other)]).toEqual([1, 1, 0])
    expect(differencesOf(one, other, undefined, new Noise(), rules)).toEqual([])
  })

  it('and bodies of another status are not told beside it', () => {
    const other = { ...answer('{"error":"gone"}', { etag: 'b' }), status: 404 }
    expect(differencesOf(answer('{"id":1}', { etag: 'a' }), other, undefined, new Noise(), rules)).toEqual([
      { what: 'status', legacy: '200', now: '404' },
    ])
  })

  it('differ by an etag where the bodies have the same bytes: of other spaces another one is made', () => {
    const tagged = (body: string, etag: string) => answer(body, { etag })
    const found = (body: string) =>
      differencesOf(tagged('{"a":1}', '"1"'), tagged(body, '"2"'), undefined, new Noise(), rules)
    expect(found('{ "a": 1 }')).toEqual([])
    expect(found('{"a":1}')).toEqual([{ what: 'header', name: 'etag', legacy: '"1"', now: '"2"' }])
  })

  it('without an answer differ by why there is none', () => {
    const none = (failure: string) => ({ status: 0, failure, headers: new Map(), body: '' })
    const differences = differencesOf(none('closed'), none('no answer'), undefined, new Noise(), rules)
    expect(differences).toEqual([{ what: 'status', legacy: 'closed', now: 'no answer' }])
  })
})

describe('what legacy says in another way the second time', () => {
  it('hides neither how long a list is that has one length, nor a value of another kind', () => {
    const list = (...ids: number[]): string => JSON.stringify(ids.map((id) => ({ id })))
    expect(compared(list(1, 2), list(5, 6), list(3, 4))).toEqual([])
    expect(compared(list(1, 2), list(5), list(3, 4))).toMatchObject([{ name: '$' }])
    expect(compared(list(1), '{}', list(1, 2))).toMatchObject([{ name: '$', now: '{}' }])
  })

  it('hides no value of JSON where it is no JSON', () => {
    expect(compared('{"a":1}', '{"a":2}', 'busy')).toMatchObject([{ name: '$.a', legacy: '1', now: '2' }])
    expect(compared('{"a":1}', '{}', '')).toMatchObject([{ name: '$.a', legacy: '1' }])
  })

  it('hides no body of another kind', () => {
    expect(compared('[1]', '<h1>Shop</h1>', '[1,2]')).toMatchObject([{ what: 'body', legacy: '[1]' }])
    expect(compared('tea', '', 'tea and milk')).toMatchObject([{ what: 'body', legacy: 'tea', now: '' }])
  })

  it('of a cookie hides no other cookie', () => {
    const of = (...lines: string[]) => answer('', { 'set-cookie': lines.join('\n') })
    const told = differencesOf(
      of('a=1; Path=/1', 'b=1; HttpOnly'),
      of('a=1; Path=/3', 'b=1'),
      of('a=1; Path=/2', 'b=1; HttpOnly'),
      new Noise(),
      rules,
    )
    expect(told).toEqual([{ what: 'header', name: 'set-cookie', legacy: 'b=; HttpOnly', now: 'b=' }])
  })
})

describe('a body that is too large', () => {
  const large = 'a '.repeat(200_000)
  it.each([
    ['as it is', bytes(large), undefined],
    ['packed by gzip', bytes(gzipSync(large)), 'gzip'],
    ['packed by brotli, with another name', bytes(brotliCompressSync(large)), 'BR'],
    ['packed twice', bytes(gzipSync(gzipSync(large))), 'gzip, gzip'],
  ])('is not unpacked: %s', (_name, body, coding) => {
    expect(unpacked(body, coding, 256 * 1024)).toBeUndefined()
    const one = { ...answer(''), headers: new Map([['content-encoding', coding ?? 'identity']]), body }
    expect(differencesOf(one, { ...one, body: `${body} ` }, undefined, new Noise(), rules)).toBe('size')
  })

  it.each([
    ['broken gzip', bytes(gzipSync('tea')).slice(0, -9), 'gzip'],
    ['spoilt gzip', `\x1f\x8b${'x'.repeat(50)}`, 'gzip'],
    ['broken brotli', bytes(brotliCompressSync('tea '.repeat(50))).slice(0, 5), 'br'],
    ['a coding that is not known', 'tea', 'zstd'],
    ['the name of a member of each object', 'tea', 'constructor'],
    ['what was never packed', 'tea', 'gzip'],
    ['more codings than anybody uses', 'tea', 'gzip, gzip, gzip, gzip'],
  ])('or is %s is compared as it is', (_name, body, coding) => {
    expect(unpacked(body, coding, 1000)).toBe(body)
  })

  it('is dropped, and no difference', async () => {
    const zip = (text: string): Buffer => gzipSync(text.repeat(70_000))
    const bodies = { legacy: zip('user=ada session=1\n'), native: zip('user=ada session=2\n') }
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.set(headers).end(bodies.legacy)),
      native: () => [new Controller('GET', '/x', () => new Response(bodies.native as never, { headers }))],
    })
    await switching.set('*', 'shadow', why)
    await send('/x', { headers: { 'accept-encoding': 'gzip' } })
    await until(() => switching.status().shadow.dropped.size === 1)
    expect(switching.status().routes[0]!.shadow).toMatchObject({ compared: 0, different: 0 })
    await closeShops()
  })
})

type Both = ReturnType<typeof answer>

describe('the event loop', () => {
  const html = (word: string): string =>
    `<li class="item" id="x1"><a href="/x?a=1&token=t">An item: ${word}</a></li>\n`.repeat(3000)
  const json = (word: string): string =>
    JSON.stringify(Array.from({ length: 9000 }, (_, at) => ({ id: at, word })))
  const cookie = [1, 2, 3].map((at) => `c${at}=${'0'.repeat(4800)}${at}x`).join('; ')
  it.each([
    ['HTML', html('one'), html('two')],
    ['JSON', json('one'), json('two')],
    ['a list of numbers', `[${'1,'.repeat(120_000)}1]`, `[${'1,'.repeat(120_000)}2]`],
    ['one letter', '0'.repeat(250_000), `${'0'.repeat(250_000)}1`],
    ['names of secrets', 'token='.repeat(40_000), 'token: '.repeat(36_000)],
    ['elements of secrets', '<pin>1'.repeat(40_000), '<pin>2 '.repeat(36_000)],
    ['groups of digits', '4444 '.repeat(50_000), '4445 '.repeat(50_000)],
  ])('gets the comparison of %s in many steps', (_name, one, other) => {
    const headers = new Map([['content-type', 'text/html']])
    const mask = maskOfRequest({ headers: { cookie } })
    const pair = [one, other, one].map((body) => ({ ...answer(body), headers })) as [Both, Both, Both]
    const steps = compareSteps(...pair, new Noise(), { ...rules, mask })
    let count = 0
    for (let step = steps.next(); ; step = steps.next(), count++) {
      if (step.done !== true) continue
      expect(step.value).not.toBe('size')
      break
    }
    // How long each takes is measured by `npm run test:hard -- --rows compare`.
    expect(count).toBeGreaterThan(5)
  })

  it('is left to others between two slices', async () => {
    const seen: string[] = []
    function* work() {
      for (let at = 0; at < 3; at++) {
        const end = performance.now() + 5
        while (performance.now() < end);
        seen.push('step')
        yield undefined
      }
      return 'done'
    }
    setImmediate(() => seen.push('other'))
    expect(await runInSlices(work())).toBe('done')
    expect(seen.indexOf('other')).toBeLessThan(seen.lastIndexOf('step'))
  })
})

describe('masking', () => {
  it.each([
    [
      'a page of one letter',
      '0'.repeat(256 * 1024),
      [1, 2, 3].map((at) => `c${at}=${'0'.repeat(4800)}${at}x`).join('; '),
    ],
    [
      'a thousand cookies',
      'v1v2v3'.repeat(40_000),
      Array.from({ length: 1000 }, (_, at) => `c=v${at}v${at}`).join('; '),
    ],
    [
      'cookies that begin alike',
      'aaaa!'.repeat(50_000),
      Array.from({ length: 500 }, (_, at) => `c=aaaa${at}`).join('; '),
    ],
  ])('comes to its end for %s', (_name, page, cookie) => {
    const mask = maskOfRequest({ headers: { cookie } })
    // Five megabytes: linear time is less than a second, quadratic time would be an hour.
    const long = page.repeat(20)
    expect(mask(long).length).toBeLessThanOrEqual(long.length * 3)
  })

  it('takes out overlapping values together, and each form of them', () => {
    const mask = maskOfRequest({ headers: { cookie: 'a=abcd; b=cdef; c=x yz; d="q"' } })
    expect(mask('1abcdef2abcd3x yz4x%20yz5')).toBe('1[redacted]2[redacted]3[redacted]4[redacted]5')
  })
})

describe('noise', () => {
  const rulesOfJson = (value: unknown): string => JSON.stringify(value)

  it('is learnt from no single request', () => {
    const noise = new Noise()
    const one = (id: unknown): string => rulesOfJson({ id })
    expect(compared(one(random()), one(random()), one(random()), noise)).toEqual([])
    expect(noise.shown()).toEqual([])
    expect(compared(one('a'), one('b'), undefined, noise)).toHaveLength(1)
    compared(one(random()), one(random()), one(random()), noise)
    expect(noise.shown()).toEqual(['$.id'])
    expect(compared(one('a'), one('b'), undefined, noise)).toEqual([])
    // It is a value that is noise, and not of which kind it is.
    expect(compared(one('7'), one(7), undefined, noise)).toHaveLength(1)
    expect(compared(one('a'), one({ a: 1 }), undefined, noise)).toHaveLength(1)
  })

  it('is not learnt of two requests where legacy has said the same twice in between', () => {
    const noise = new Noise()
    const one = (id: string): string => rulesOfJson({ id })
    for (let at = 0; at < 3; at++) {
      compared(one(random()), one(random()), one(random()), noise)
      expect(compared(one('a'), one('b'), one('a'), noise)).toHaveLength(1)
    }
    expect(noise.shown()).toEqual([])
  })

  it('is no list that has grown in between, and nothing that the Controller says as legacy says it now', () => {
    const noise = new Noise()
    const list = (...items: number[]): string => rulesOfJson({ items })
    const one = (id: string): string => rulesOfJson({ id })
    for (let at = 0; at < 3; at++) {
      expect(compared(list(1), list(1, 2, 3), list(1, 2), noise)).toEqual([])
      expect(compared(one('a'), one('b'), one('b'), noise)).toEqual([])
    }
    expect(noise.shown()).toEqual([])
    expect(compared(list(1), list(9, 9), undefined, noise)).toHaveLength(1)
  })

  it('is known of all places of a list where legacy differs from itself in one of them', () => {
    const noise = new Noise()
    const list = (...ids: string[]): string => rulesOfJson(ids.map((id) => ({ id })))
    for (let at = 0; at < 2; at++)
      compared(list('a', random()), list('b', random()), list('a', random()), noise)
    expect(noise.shown()).toEqual(['$[*].id'])
  })

  it('is told by two hundred places at the most, and by no name below a secret', () => {
    const told = (value: (text: string) => unknown): readonly string[] => {
      const one = () => answer(rulesOfJson(value(random())))
      const comparison = runAtOnce(compareSteps(one(), one(), one(), new Noise(), rules))
      return comparison === 'size' ? [] : comparison.noise
    }
    expect(told((text) => ({ password: { of: { ada: text } } }))).toEqual(['$.password'])
    const names = Array.from({ length: 250 }, (_, at) => `name${at}`)
    expect(told((text) => Object.fromEntries(names.map((name) => [name, text])))).toHaveLength(200)
  })

  it('is not the present time, and that is not kept', () => {
    const noise = new Noise()
    const one = (id: unknown): string => rulesOfJson({ id })
    const now = Date.now()
    for (let at = 0; at < 5; at++) expect(compared(one(now), one(now + 5), one(now + 9), noise)).toEqual([])
    expect(compared(one(String(now)), one(now), undefined, noise)).toHaveLength(1)
    expect(compared(one('7'), one('8'), undefined, noise)).toHaveLength(1)
    expect(noise.shown()).toEqual([])
  })

  it('is unlearnt where legacy says the same twice, and the Controller something else', () => {
    const noise = new Noise()
    const one = (id: string): string => rulesOfJson({ id })
    for (let at = 0; at < 2; at++) compared(one(random()), one(random()), one(random()), noise)
    expect(noise.shown()).toEqual(['$.id'])
    expect(compared(one('a'), one('b'), one('a'), noise)).toEqual([])
    expect(compared(one('a'), one('b'), one('a'), noise)).toHaveLength(1)
    expect(noise.shown()).toEqual([])
    // Now and then legacy says the same twice by chance.
    for (let at = 0; at < 2; at++) compared(one(random()), one(random()), one(random()), noise)
    for (let at = 0; at < 5; at++) {
      compared(one('a'), one('b'), one('a'), noise)
      compared(one(random()), one(random()), one(random()), noise)
    }
    expect(noise.shown()).toEqual(['$.id'])
  })

  it('in a header is learnt and unlearnt in the same way', () => {
    const noise = new Noise()
    const compare = (was: string, is: string, again?: string) =>
      differencesOf(
        answer('x', { 'x-a': was }),
        answer('x', { 'x-a': is }),
        again === undefined ? undefined : answer('x', { 'x-a': again }),
        noise,
        rules,
      )
    expect(compare(String(Date.now()), String(Date.now() + 5))).toEqual([])
    expect(compare('7', '8')).toHaveLength(1)
    expect(compare(random(), random(), random())).toEqual([])
    expect(compare('7', '8')).toHaveLength(1)
    compare(random(), random(), random())
    expect(noise.shown()).toEqual(['x-a'])
    expect(compare('7', '8')).toEqual([])
    compare('7', '8', '7')
    expect(compare('7', '8', '7')).toHaveLength(1)
    expect(noise.shown()).toEqual([])
  })

  it('of which an attacker has made a price is found out again while the app runs', async () => {
    let price = (): number => 5
    const { send, switching } = await serveShop(ways[0]!, {
      legacy: (app) => void app.get('/x', (_req, res) => void res.json({ price: price() })),
      native: () => [new Controller('GET', '/x', () => ({ price: 6 }))],
      shadow: { ignoreHeaders: ['etag', 'content-type', 'x-powered-by'] },
    })
    await switching.set('*', 'shadow', why)
    const route = () => switching.status().routes[0]!
    const visit = async (): Promise<void> => {
      const { compared } = route().shadow
      await send('/x')
      await until(() => route().shadow.compared === compared + 1)
    }
    price = () => 100 * Math.random()
    for (let at = 0; at < 2; at++) await visit()
    expect(route().shadow).toMatchObject({ different: 0, noise: ['$.price'] })
    price = () => 5
    for (let at = 0; at < 12; at++) await visit()
    expect(route().shadow.noise).toEqual([])
    expect(route().differences).toMatchObject([{ name: '$.price', legacy: '5', native: '6' }])
    price = () => 100 * Math.random()
    for (let at = 0; at < 2; at++) await visit()
    expect(route().shadow.noise).toEqual(['$.price'])
    switching.forgetDifferences()
    expect(route().shadow.noise).toEqual([])
    await closeShops()
  })
})

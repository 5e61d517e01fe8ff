// What `parity` says of two answers: by place of JSON, by header and by cookie, and what of it is noise.
import { gzipSync } from 'node:zlib'
import { mostBodyBytes } from '../../packages/compare/src/ask.js'
import { compareExactly } from '../../packages/cli/src/parity/compare-exactly.js'
import { differencesOf } from '../../packages/compare/src/compare-answers.js'
import { Names, Noise, ofOwnRequests } from '../../packages/compare/src/noise.js'
import { secretsOf } from '../../packages/compare/src/redact.js'
import type { CompareRules } from '../../packages/compare/src/rules.js'

const answer = (body: unknown, headers: Record<string, string> = {}) => ({
  status: 200,
  headers: new Map(Object.entries(headers)),
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)).toString('latin1'),
})
type Answer = ReturnType<typeof answer>
const asked = (
  legacy: Answer,
  now: Answer,
  again: Answer[] = [legacy],
  noise = new Noise(new Names(ofOwnRequests)),
) => {
  const found = compareExactly(legacy, now, again, noise)
  const told = found.differences.map(({ what, name, legacy: was, now: is }) =>
    [what, name, was, '→', is].filter((one) => one !== undefined).join(' '),
  )
  return { told, noise: found.noise }
}
const bodies = (legacy: unknown, now: unknown, ...again: unknown[]) =>
  asked(answer(legacy), answer(now), again.length === 0 ? undefined : again.map((one) => answer(one)))
const cookies = (legacy: string, now: string, ...again: string[]) => {
  const of = (value: string): Answer => answer('', { 'set-cookie': value })
  return asked(of(legacy), of(now), again.length === 0 ? undefined : again.map(of))
}

it('A body that is too large once it is unpacked is said to be', () => {
  const packed = {
    ...answer('', { 'content-encoding': 'gzip' }),
    body: gzipSync(Buffer.alloc(4 * mostBodyBytes + 1)).toString('latin1'),
  }
  expect(() => asked(packed, answer('a'))).toThrow(`a body has more than ${4 * mostBodyBytes} bytes`)
  expect(() => asked(answer('a'), packed)).toThrow('a body has more than')
})

it("How long a connection is kept is the server's, and no difference", () => {
  const kept = (seconds: number): Answer => answer('', { 'keep-alive': `timeout=${seconds}` })
  expect(asked(kept(5), kept(72))).toEqual({ told: [], noise: ['keep-alive'] })
})

it('Of answers of another status the headers are told that one alone has', () => {
  const of = (status: number, headers: Record<string, string>): Answer => ({ ...answer('', headers), status })
  const [legacy, now] = [of(200, { 'x-a': '1', 'x-old': '1' }), of(404, { 'x-a': '2', 'x-new': '2' })]
  expect(asked(legacy, now).told).toEqual([
    ...['status 200 → 404', 'missing header x-old 1 →', 'new header x-new → 2'],
  ])
})

it('Of cookies that differ five are told', () => {
  const of = (value: string): string =>
    Array.from({ length: 7 }, (_, at) => `c${at}=1; Path=/${value}`).join('\n')
  const { told } = cookies(of('a'), of('b'))
  expect(told.map((one) => one.match(/c\d=/g)?.length)).toEqual([10])
})

describe('A list whose length changes', () => {
  it('is noise at its place alone', () => {
    const found = bodies(
      { on: ['a'], price: 10 },
      { on: ['a', 'b', 'c'], price: 9999 },
      { on: ['a', 'b'], price: 10 },
    )
    expect(found).toEqual({ told: ['body $.price 10 → 9999'], noise: ['$.on'] })
  })

  it('is noise where the second start has another length', () => {
    const [was, is] = [
      { on: ['a'], price: 10 },
      { on: [], price: 9999 },
    ]
    expect(bodies(was, is, was, { on: ['b', 'c'], price: 10 }).told).toEqual(['body $.price 10 → 9999'])
  })

  it('is a difference where legacy has one length, whatever is in it', () => {
    const found = bodies([{ id: 'a1' }, { id: 'b1' }], [{ id: 'a3' }], [{ id: 'a2' }, { id: 'b2' }])
    expect(found.told).toEqual(['body $ [{"id":"a1"},{"id":"b1"}] → [{"id":"a3"}]'])
  })

  it('is no noise for what is no list', () => {
    expect(bodies({ on: ['a'] }, { on: 'a' }, { on: ['a', 'b'] }).told).toEqual(['body $.on ["a"] → "a"'])
    expect(bodies({ on: ['a'] }, {}, { on: ['a', 'b'] }).told).toEqual(['body $.on ["a"] →'])
  })

  it('hides no text around it in HTML', () => {
    const page = (names: string, price: number): string =>
      `<h1>Shop</h1><ul>${names}</ul><p>price ${price}</p>`
    const [few, more] = ['<li>a</li>', '<li>a</li><li>b</li>']
    expect(bodies(page(few, 10), page(few, 9999), page(more, 10)).told).toEqual([
      'body p>price 10</p> → p>price 9999</p>',
    ])
    expect(bodies(page(few, 10), page('<li>a</li><li>c</li><li>d</li>', 10), page(more, 10)).told).toEqual([])
    expect(bodies(page(few, 10), 'Shop', page(more, 10)).told).toHaveLength(1)
  })
})

describe('A place', () => {
  it.each([
    ['a number as text', { n: 10 }, { n: '10' }, 'body $.n 10 → "10"'],
    ['null', { n: 10 }, { n: null }, 'body $.n 10 → null'],
    ['other objects of a list', [{ n: 1 }, { n: 2 }], [{ n: 2 }, { n: 1 }], 'body $[*].n 1 → 2'],
  ])('of %s differs', (_name, was, is, first) => {
    expect(bodies(was, is).told[0]).toBe(first)
  })

  it('is noise with a number as text, and with a value that legacy also says, and else a difference', () => {
    expect(bodies({ n: 10 }, { n: 30 }, { n: 20 })).toEqual({ told: [], noise: ['$.n'] })
    expect(bodies({ n: 10 }, { n: '30' }, { n: 20 }).told).toEqual(['body $.n 10 → "30"'])
  })

  it('is noise in its own request, and a difference in another one', () => {
    const known = new Names(ofOwnRequests)
    const ask = (was: object, is: object, again: object) =>
      asked(answer(was), answer(is), [answer(again)], new Noise(known)).told
    expect(ask({ price: 1 }, { price: 3 }, { price: 2 })).toEqual([])
    expect(ask({ price: 1 }, { price: 3 }, { price: 1 })).toEqual(['body $.price 1 → 3'])
  })

  it('of a text is compared outside of its words that are noise', () => {
    const text = (id: number, name: string) => ({ said: `order ${id} of ${name}` })
    expect(bodies(text(1, 'Ada'), text(3, 'Ada'), text(2, 'Ada'))).toEqual({ told: [], noise: ['$.said'] })
    expect(bodies(text(1, 'Ada'), text(3, 'Eva'), text(2, 'Ada')).told).toHaveLength(1)
  })

  it('is no difference where both say the present time', () => {
    const at = (ms: number) => ({
      at: new Date(Date.now() + ms),
      s: `at ${new Date(Date.now() + ms).toISOString()}`,
    })
    expect(bodies(at(0), at(1000)).told).toEqual([])
    expect(bodies({ at: new Date(0) }, { at: new Date() }).told).toHaveLength(1)
  })

  it('shows no secret', () => {
    expect(bodies({ token: 'abc' }, { token: 'xyz' }).told).toEqual(['body $.token [redacted] → [redacted]'])
    expect(bodies('token=abcdef', 'token=uvwxyz').told).toEqual(['body [redacted] → [redacted]'])
  })
})

describe('JSON that says the same', () => {
  it.each([
    ['its spaces', '{"a":1}', '{ "a":1}'],
    ['the order of its keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['its digits', '{"a":1.0}', '{"a":1}'],
    ['long numbers', '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['its escapes', '{"a":"\\u00e9"}', '{"a":"é"}'],
  ])('differs in %s', (_name, was, is) => {
    expect(bodies(was, is).told).toEqual([expect.stringMatching(/^body \$ /)])
    expect(bodies(was, was).told).toEqual([])
  })

  it('never shows more than a letter of a value', () => {
    expect(bodies('{"token":"S\\u0045CRET"}', '{"token":"SECRET"}').told).toEqual([
      'body $ "\\\\u0045" → "E"',
    ])
  })
})

describe('A body of another kind', () => {
  const page = '<h1>Shop</h1>'
  it.each([
    ['JSON that became HTML', [1], page, [1, 2]],
    ['HTML that became JSON', page, { a: 1 }, `${page}<p>1</p>`],
    ['one that became empty', page, '', `${page}<p>1</p>`],
    ['one that was empty', '', '{}', ''],
  ])('differs: %s', (_name, was, is, again) => {
    expect(bodies(was, is, again).told).toHaveLength(1)
  })

  it('is none where legacy answers it, too', () => {
    expect(bodies({ a: 1 }, 'busy', 'busy').told).toEqual([])
  })
})

describe('A large body', () => {
  it('is compared to its end', () => {
    const large = (on: string[], price: number) => ({
      on,
      all: Array.from({ length: 50_000 }, (_, at) => ({ at })),
      price,
    })
    expect(bodies(large(['a'], 10), large([], 9999), large(['a', 'b'], 10)).told).toEqual([
      'body $.price 10 → 9999',
    ])
  })
})

describe('A cookie', () => {
  it('is noise by its name, and its attributes are compared', () => {
    expect(cookies('sid=1; HttpOnly\nt=a', 'sid=3; HttpOnly\nt=a', 'sid=2; HttpOnly\nt=a')).toEqual({
      told: [],
      noise: ['set-cookie sid'],
    })
    expect(cookies('sid=1; HttpOnly\nt=a', 'sid=3\nt=b', 'sid=2; HttpOnly\nt=a').told).toEqual([
      'header set-cookie sid=[redacted]; HttpOnly\nt=[redacted] → sid=[redacted]\nt=[redacted]',
    ])
  })

  it('differs where it is missing, is new, stands elsewhere or lives longer', () => {
    const until = (ms: number): string => `a=1; Expires=${new Date(Date.now() + ms).toUTCString()}`
    expect(cookies('a=1\nb=1', 'b=1').told).toEqual(['header set-cookie a=[redacted] → '])
    expect(cookies('a=1\nb=1', 'b=1\na=1').told).toHaveLength(1)
    expect(cookies(until(0), until(86_400_000)).told).toHaveLength(1)
    expect(cookies(until(0), until(5000)).told).toEqual([])
    expect(cookies('a=1', 'b=1', 'b=1').told).toEqual([])
  })

  it('that legacy sets now and then is no other order of the others', () => {
    const noise = new Noise(new Names(ofOwnRequests))
    const of = (value: string): Answer => answer('', { 'set-cookie': value })
    const [both, one] = [of('a=1\nb=1'), of('a=1')]
    expect(asked(both, one, [one], noise).told).toEqual([])
    expect(asked(both, one, [both], noise).told).toEqual([])
  })
})

it('A value below a key that is a secret by its form is compared', () => {
  expect(bodies({ '4111111111111111': 1 }, { '4111111111111111': 2 }).told).toEqual([
    'body $.[redacted] 1 → 2',
  ])
})

it('An answer of legacy that broke off tells of no noise', () => {
  const off = { ...answer({ a: 3 }), failure: 'the answer broke off' }
  expect(asked(answer({ a: 1 }), answer({ a: 2 }), [off]).told).toEqual(['body $.a 1 → 2'])
})

it('A value that was written between two answers of legacy is not learnt as noise', () => {
  const noise = new Noise()
  const [before, written] = [answer({ a: 1 }), answer({ a: 2 })]
  for (let at = 0; at < 3; at++) expect(asked(before, written, [written], noise).told).toEqual([])
  expect(asked(before, answer({ a: 3 }), [], noise).told).toEqual(['body $.a 1 → 3'])
})

it('Differences that are accepted are told besides ten others', () => {
  const of = (value: string): Answer =>
    answer('', Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, value])))
  const rules = {
    ...{ ignoredHeaders: new Set<string>(), secrets: secretsOf([]), mask: String, maxBytes: 1000 },
    isRecorded: false,
  }
  const toldWith = (isAccepted?: CompareRules['isAccepted']): number =>
    differencesOf(of('1'), of('2'), undefined, new Noise(), { ...rules, isAccepted }).length
  expect(toldWith()).toBe(10)
  expect(toldWith(({ name = '' }) => /^x-1.$/.test(name))).toBe(20)
})

describe('A header', () => {
  it('that is made of a body is noise where the body is', () => {
    const of = (n: number) => answer({ n }, { etag: `"${n}"`, 'content-length': String(n).length + '' })
    expect(asked(of(1), of(30), [of(2)])).toEqual({ told: [], noise: ['$.n', 'etag', 'content-length'] })
    expect(asked(of(1), of(30)).told).toEqual([
      'header etag "1" → "30"',
      'header content-length 1 → 2',
      'body $.n 1 → 30',
    ])
  })

  it('that was noise in a request is so in all of its route', () => {
    const known = new Names(ofOwnRequests)
    const of = (id: string) => answer('', { 'x-id': id })
    expect(asked(of('1'), of('3'), [of('2')], new Noise(known)).told).toEqual([])
    for (let at = 0; at < 5; at++)
      expect(asked(of('1'), of('3'), [of('1')], new Noise(known)).told).toEqual([])
    expect(asked(of('1'), of('3')).told).toEqual(['header x-id 1 → 3'])
  })
})

// The parts of a comparison, each alone: packed bodies, cookies, texts, how JSON is written, and what is learnt as noise.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { clip, compareTexts, type TextComparison } from '../../packages/compare/src/compare-texts.js'
import { cookiesOf, isSameExpiry, isSameValue } from '../../packages/compare/src/cookies.js'
import { factsOf } from '../../packages/compare/src/memory-request.js'
import { maskOf } from '../../packages/compare/src/mask.js'
import { Names, Noise, ofOwnRequests } from '../../packages/compare/src/noise.js'
import { headOf } from '../../packages/compare/src/received-answer.js'
import { narrowest } from '../../packages/compare/src/route-keys.js'
import { runAtOnce } from '../../packages/compare/src/slices.js'
import { compareSpelling, endOf, longNumbersOf } from '../../packages/compare/src/spelling.js'
import { Tested } from '../../packages/compare/src/tested.js'
import { unpacked } from '../../packages/compare/src/unpack.js'

const bytes = (data: Buffer): string => data.toString('latin1')

it('a copy asks for the certificate of a client where there was one, or one was refused', () => {
  const asked = (authorized: boolean, authorizationError: unknown): boolean => {
    let count = 0
    const getPeerCertificate = (): object => ({ count: ++count })
    const socket = { encrypted: true, authorized, authorizationError, getPeerCertificate }
    const facts = factsOf(socket as never) as { getPeerCertificate(): object }
    expect(facts.getPeerCertificate()).toEqual(count === 0 ? {} : { count: 1 })
    return count > 0
  }
  const error = new Error('self-signed')
  expect([asked(true, null), asked(false, error), asked(false, null), asked(false, undefined)]).toEqual([
    ...[true, true, false, false],
  ])
})

it('of texts that overlap the longest is named, from where the first of them begins to the end of the last', () => {
  const mask = maskOf([
    ['x-inner', 'bcde'],
    ['x-outer', 'abcdefgh'],
    ['x-next', 'ghij'],
  ])
  expect(mask('1abcdefgh2')).toBe('1[x-outer]2')
  expect(mask('1abcdefghij2')).toBe('1[x-outer]2')
  expect(mask('1bcde2ghij3')).toBe('1[x-inner]2[x-next]3')
})

describe('a packed body', () => {
  const text = Buffer.from('text '.repeat(20))
  const plain = bytes(text)
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity, gzip', gzipSync(text)],
    [', gzip  ,', gzipSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['gzip,gzip,gzip', gzipSync(gzipSync(gzipSync(text)))],
  ])('is read as it was before: %s', (coding, packed) => {
    expect(unpacked(bytes(packed), coding, 1000)).toBe(plain)
  })

  it.each([
    ['with four codings', 'gzip,gzip,gzip,gzip', bytes(gzipSync(gzipSync(gzipSync(gzipSync(text)))))],
    ['with an unknown coding', 'zstd', plain],
    ['with an unknown coding beneath a known one', 'zstd, gzip', bytes(gzipSync(text))],
    ['that is broken', 'gzip', plain],
    ['that is empty', 'gzip', ''],
    ['that is empty', 'br', ''],
    ['that is empty', 'deflate', ''],
    ['of all bytes, without a coding', '', String.fromCharCode(...Array(256).keys())],
    ['without a coding', undefined, plain],
  ])('stays as it is: one %s', (_name, coding, body) => {
    expect(unpacked(body, coding, 1000)).toBe(body)
  })

  it('is not read where it is larger than may be, packed or not', () => {
    expect(unpacked(plain, undefined, 100)).toBe(plain)
    expect(unpacked(plain, undefined, 99)).toBeUndefined()
    expect(unpacked(bytes(gzipSync(text)), 'gzip', 100)).toBe(plain)
    expect(unpacked(bytes(gzipSync(text)), 'gzip', 99)).toBeUndefined()
  })
})

describe('cookies', () => {
  const header = 'sid=secret; Path=/; Expires=Thu, 01 Jan 2030 00:00:00 GMT; HttpOnly\na=1\na=2; Secure'
  it('are known by their names, and lines of one name are one', () => {
    const cookies = cookiesOf(header, false)
    expect([...cookies]).toEqual([
      [
        'sid',
        {
          value: 'secret',
          attributes: '; Path=/; Expires; HttpOnly',
          expires: ['Thu, 01 Jan 2030 00:00:00 GMT'],
          shown: 'sid=; Path=/; Expires; HttpOnly',
        },
      ],
      ['a', { value: '1\n2', attributes: '\n; Secure', expires: [], shown: 'a=\na=; Secure' }],
    ])
    expect(cookiesOf(header, true).get('sid')!.shown).toMatch(
      /^sid=[^;]+; Path=\/; Expires=Thu, .* GMT; HttpOnly$/,
    )
    expect([...cookiesOf('nameless; Path=/', false).keys()]).toEqual([''])
    for (const line of ['a=1;Expires=never;Path=/', 'a=1;  expires=never;Path=/']) {
      const { attributes, expires } = cookiesOf(line, false).get('a')!
      expect([attributes, expires]).toEqual(['; Expires;Path=/', ['never']])
    }
    expect(cookiesOf('a=1', false).get('a')!.expires).toHaveLength(0)
    for (const [time, shown] of [
      ['Fri, 31 Dec 1999 23:59:59 GMT', '; Expires (past)'],
      ['Sat, 01 Jan 2000 00:00:00 GMT', '; Expires'],
      ['never', '; Expires'],
    ])
      expect(cookiesOf(`a=1; Expires=${time}`, false).get('a')!.attributes).toBe(shown)
  })

  it('end at one time where that is within a minute', () => {
    const end = (time: string, more = ''): ReturnType<typeof one> => one(`a=1; Expires=${time}${more}`)
    const one = (line: string) => cookiesOf(line, true).get('a')!
    const first = end('Thu, 01 Jan 2030 00:00:00 GMT')
    expect(isSameExpiry(first, end('Thu, 01 Jan 2030 00:01:00 GMT'))).toBe(true)
    expect(isSameExpiry(first, end('Wed, 31 Dec 2029 23:59:00 GMT'))).toBe(true)
    expect(isSameExpiry(first, end('Thu, 01 Jan 2030 00:01:01 GMT'))).toBe(false)
    expect(isSameExpiry(first, one('a=1'))).toBe(false)
    expect(isSameExpiry(end('never'), end('never'))).toBe(true)
    expect(isSameExpiry(end('never'), first)).toBe(false)
    const twice = (second: string) =>
      one(`a=1; Expires=Thu, 01 Jan 2030 00:00:00 GMT\na=2; Expires=${second}`)
    const again = twice('Fri, 01 Feb 2030 00:00:00 GMT')
    expect(isSameExpiry(again, twice('Fri, 01 Feb 2030 00:00:30 GMT'))).toBe(true)
    expect(isSameExpiry(again, twice('Fri, 01 Feb 2030 00:02:00 GMT'))).toBe(false)
  })

  it('have one value where both are the present time', () => {
    const value = (text: string) => cookiesOf(`a=${text}`, true).get('a')!
    const now = Date.now()
    expect(isSameValue(value('x'), value('x'))).toBe(true)
    expect(isSameValue(value('x'), value('y'))).toBe(false)
    expect(isSameValue(value(String(now)), value(String(now - 1000)))).toBe(true)
    expect(isSameValue(value(String(now)), value('1000'))).toBe(false)
    expect(isSameValue(value('1000'), value(String(now)))).toBe(false)
  })
})

describe('the keys of states', () => {
  it.each([
    [['*', '/a', 'GET /a/b', '!*'], '!*'],
    [['*', '/a', 'GET /a/b'], 'GET /a/b'],
    [['*', '/a', '/a/b'], '/a/b'],
    [['*', '/a//', '/ab'], '/a//'],
    [['*', '/a/b/c', '//a'], '*'],
    [['/b'], undefined],
    // Two slashes begin a comment, whatever it says.
    [['//'], undefined],
    [['///', '*'], '*'],
    [['//a/b'], undefined],
    [['// GET /a/b'], undefined],
    [['/'], '/'],
    [['*', '/'], '/'],
    [['/', '*'], '/'],
    [['/', '/a'], '/a'],
    [['POST /a/b', 'GET /a'], undefined],
    [['GET /a/b/'], undefined],
  ])('of %j count for GET /a/b: %s', (keys, expected) => {
    expect(narrowest(keys, 'GET /a/b')).toBe(expected)
  })
})

describe('what the requests of a route have tested', () => {
  it('is told by their statuses and their inputs, and each request counts', () => {
    const tested = new Tested()
    const headers = [
      ['Cookie', 'theme=dark; sid=1'],
      ['X-Tenant', 'a'],
    ] as const
    tested.add('POST /a', 201, { target: '/a?q=1&tags[]=b&by[name]=c', headers, body: '{"name":"x"}' })
    tested.add('POST /a', 400, { target: '/a', headers: [], body: 'form[a]=1' })
    tested.add('POST /a', undefined)
    const { statuses, inputs, compared } = tested.of('POST /a')
    expect([statuses, compared]).toEqual([[201, 400], 3])
    expect([...inputs].sort()).toEqual(
      [
        ...['query.q', 'query.tags', 'query.by', 'body.name', 'body.form'],
        ...['header.cookie', 'header.x-tenant', 'cookie.theme', 'cookie.sid'],
      ].sort(),
    )
    const untold = { statuses: [], inputs: new Set(), compared: 0, isLimited: false }
    const unreached = { hasContent: false, isReached: false, hasReachedContent: false }
    expect(tested.of('GET /b')).toEqual({ ...untold, ...unreached })
    tested.add('GET /c', 302)
    expect(tested.of('GET /c')).toMatchObject({ ...unreached, hasContent: true })
    for (const status of [400, 404, 500]) tested.add('GET /d', status)
    expect(tested.of('GET /d')).toMatchObject({ statuses: [400, 404, 500], hasContent: false })
    tested.add('GET /d', 399)
    expect(tested.of('GET /d').hasContent).toBe(true)
    tested.add('GET /c', 200, undefined, { isEmpty: true, isReached: true })
    expect(tested.of('GET /c')).toMatchObject({ isReached: true, hasReachedContent: false })
    tested.add('GET /c', 200, undefined, { isReached: true })
    expect(tested.of('GET /c')).toMatchObject({ isReached: true, hasReachedContent: true })
  })
})

describe('texts', () => {
  const compare = (one: string, now: string, again: string[] = [], isExact = false): TextComparison =>
    runAtOnce(compareTexts(one, again, now, isExact))

  it.each<[string, [string, string, string[]?, boolean?], TextComparison]>([
    ['one text', ['a b', 'a b'], { difference: undefined, noise: [] }],
    ['a word', ['a b c', 'a x c'], { difference: { legacy: 'a b c', now: 'a x c' }, noise: [] }],
    ['more words', ['a b', 'a b c'], { difference: { legacy: 'a b', now: 'a b c' }, noise: [] }],
    ['fewer words', ['a b c', 'a b'], { difference: { legacy: 'a b c', now: 'a b' }, noise: [] }],
    [
      'a word by which legacy differs',
      ['token 1 z', 'token 2 z', ['token 3 z']],
      { difference: undefined, noise: ['token'] },
    ],
    [
      'another word behind one by which legacy differs',
      ['token 1 z', 'token 2 y', ['token 3 z']],
      { difference: { legacy: 'token 1 z', now: 'token 2 y' }, noise: ['token'] },
    ],
    [
      'fewer words, of which the last ones are those by which legacy differs',
      ['a b 1', 'a b', ['a b 2']],
      { difference: { legacy: 'a b 1', now: 'a b' }, noise: [] },
    ],
    [
      'a text where legacy has another number of words',
      ['a b', 'x', ['a b c']],
      { difference: undefined, noise: ['(all of it)'] },
    ],
    [
      'its beginning where legacy has another number of words, and all counts',
      ['start a end', 'other a end', ['start a b end'], true],
      { difference: { legacy: 'start a end', now: 'other a end' }, noise: [] },
    ],
    [
      'its end where legacy has another number of words, and all counts',
      ['start a end', 'start a other', ['start a b end'], true],
      { difference: { legacy: 'start a end', now: 'start a other' }, noise: [] },
    ],
    [
      'its middle where legacy has another number of words, and all counts',
      ['start 1 end', 'start 9 8 7 end', ['start 2 3 end'], true],
      { difference: undefined, noise: ['start'] },
    ],
    [
      'nothing that is known where legacy says one word more or less often, and all counts',
      ['x x', 'x x x', ['x x x x'], true],
      { difference: undefined, noise: ['x'] },
    ],
    [
      'a space of which legacy has one at its beginning and one at its end, and all counts',
      ['a 1 b', 'a b', ['a 2 3 b'], true],
      { difference: { legacy: 'a 1 b', now: 'a b' }, noise: [] },
    ],
    ['spaces', ['a b', 'a  b'], { difference: { legacy: '"a b"', now: '"a  b"' }, noise: [] }],
  ])('differ by %s', (_name, [one, now, again, isExact], expected) => {
    expect(compare(one, now, again, isExact)).toEqual(expected)
  })

  it('are shown by their first sixty letters, with their spaces as one', () => {
    expect(clip(' a \n b ')).toBe('a b')
    expect(clip('x'.repeat(60))).toBe('x'.repeat(60))
    expect(clip('x'.repeat(61))).toBe(`${'x'.repeat(57)}...`)
    expect(clip(Buffer.from('é').toString('latin1'))).toBe('é')
  })
})

describe('JSON with the same values', () => {
  const compare = (one: string, now: string, again: string[] = []) =>
    runAtOnce(compareSpelling(one, again, now))
  it.each<[string, string, [string, string] | undefined]>([
    ['[1,2]', '[1,2]', undefined],
    ['[1, 2]', '[1,2]', ['" _]"', '"_]"']],
    ['[1.0]', '[1]', ['1.0', '1']],
    ['[1]', '[2]', undefined],
    ['["a"]', '["\\u0061"]', ['"a"', '"\\\\u0061"']],
    ['["/x"]', '["\\/x"]', ['"/"', '"\\\\/"']],
    ['["\\u00e9"]', '["\\u00E9"]', ['"\\\\u00e9"', '"\\\\u00E9"']],
    ['["\\n"]', '["\\u000a"]', ['"\\\\n"', '"\\\\u000a"']],
    // An escape before the letter is whole.
    ['["\\nb/"]', '["\\nb\\/"]', ['"/"', '"\\\\/"']],
    ['["\\u00e9/"]', '["\\u00e9\\/"]', ['"/"', '"\\\\/"']],
    ['["\\\\/"]', '["\\\\\\/"]', ['"/"', '"\\\\/"']],
    ['["\\\\u00/"]', '["\\\\u00\\/"]', ['"/"', '"\\\\/"']],
    ['["\\\\\\u00e9"]', '["\\\\\\u00E9"]', ['"\\\\u00e9"', '"\\\\u00E9"']],
    ['["\\u00A9"]', '["\\u00a9"]', ['"\\\\u00A9"', '"\\\\u00a9"']],
    ['["\\ud83D\\ude00"]', '["\\ud83d\\ude00"]', ['"\\\\ud83D"', '"\\\\ud83d"']],
    ['{"a":true,"b":null}', '{"a":true,"b":null}', undefined],
    ['{"a":1,"b":1}', '{"b":1,"a":1}', ['"a\\":_,\\"b\\":_}"', '"b\\":_,\\"a\\":_}"']],
  ])('%s and %s', (one, now, expected) => {
    expect(compare(one, now)).toEqual(expected && { legacy: expected[0], now: expected[1] })
  })

  it('says nothing where legacy writes it in two ways', () => {
    expect(compare('[1]', '[1.0]', ['[1.00]'])).toBeUndefined()
    expect(compare('[1]', '[ 1]', ['[1 ]'])).toBeUndefined()
    expect(compare('[1]', '[1.0]', ['[1]'])).toEqual({ legacy: '1', now: '1.0' })
    expect(compare('[1,2]', '[1.0,2]', ['[1,3]'])).toEqual({ legacy: '1', now: '1.0' })
    expect(compare('[1,2]', '[1, 2]', ['[1,3]'])).toEqual({ legacy: '"_]"', now: '" _]"' })
  })

  it('is compared in steps of a thousand values, and not again where legacy says the same text again', () => {
    const stepsOf = (steps: Iterator<unknown>): number => {
      let count = 0
      while (steps.next().done !== true) count++
      return count
    }
    const text = JSON.stringify(Array(2500).fill(1))
    const now = JSON.stringify(Array(2500).fill(2))
    // Twice two of what reads a text, and three of what compares them.
    expect(stepsOf(compareSpelling(text, [], now))).toBe(7)
    expect(stepsOf(compareSpelling(text, [text], now))).toBe(7)
    expect(stepsOf(compareSpelling(text, [now], now))).toBe(9)
    expect(stepsOf(longNumbersOf(JSON.stringify(Array(2500).fill(1e14))))).toBe(0)
    expect(stepsOf(longNumbersOf(JSON.stringify(Array(2500).fill('e9 e+10'))))).toBe(0)
    expect(stepsOf(longNumbersOf(JSON.stringify(Array(2500).fill(1e16))))).toBe(2)
  })

  it('has long numbers by what is left of them', () => {
    const numbers = (text: string) => [...runAtOnce(longNumbersOf(text))]
    expect(numbers('[9007199254740993, 1, "9007199254740995", 9007199254740992, 9007199254740993]')).toEqual([
      [9007199254740992, ['9007199254740993', '9007199254740992', '9007199254740993']],
    ])
    expect(numbers('[-9007199254740993]')).toEqual([[-9007199254740992, ['-9007199254740993']]])
    expect(numbers('[1e999]')).toEqual([[Infinity, ['1e999']]])
    expect(numbers('[999999999999999, 1e99, "\\"9007199254740993"]')).toEqual([])
    expect(numbers('["\\n9007199254740993", "\\n\\na 9007199254740993"]')).toEqual([])
    expect(numbers('[1.9007199254740993, 9007199254740993.5]')).toEqual([])
    expect([endOf('12345678'), endOf('123456789')]).toEqual(['12345678', '...6789'])
  })
})

describe('names that are noise', () => {
  it('of requests of clients are known by two of them, and unlearnt by two others', () => {
    const names = new Names()
    names.add('a')
    expect([names.has('a'), names.known()]).toEqual([false, []])
    names.add('a')
    expect([names.has('a'), names.known()]).toEqual([true, ['a']])
    names.doubt('a')
    expect(names.has('a')).toBe(true)
    names.add('a')
    names.doubt('a')
    expect(names.has('a')).toBe(true)
    names.doubt('a')
    expect(names.has('a')).toBe(false)
    // One that was seen once alone goes by one doubt.
    names.add('b')
    names.doubt('b')
    names.add('b')
    expect(names.has('b')).toBe(false)
    names.doubt('never seen')
    expect(names.has('never seen')).toBe(false)
  })

  it('of own requests are known by one, and stay', () => {
    const names = new Names(ofOwnRequests)
    names.add('a')
    for (let at = 0; at < 9; at++) names.doubt('a')
    expect(names.has('a')).toBe(true)
  })

  it('are two hundred at the most, the latest ones', () => {
    const names = new Names(ofOwnRequests)
    for (let at = 0; at < 201; at++) names.add(String(at))
    expect([names.has('0'), names.has('1'), names.has('200')]).toEqual([false, true, true])
    expect(names.known()).toHaveLength(200)
  })

  it('are looked at again in one of four comparisons, the first one too', () => {
    const noise = new Noise()
    expect(
      Array.from({ length: 9 }, () => noise.isToBeChecked())
        .map(Number)
        .join(''),
    ).toBe('100010001')
    noise.headers.add('x')
    noise.headers.add('x')
    noise.places.add('$.a')
    noise.places.add('$.a')
    noise.hidden.add('$.b')
    noise.hidden.add('$.b')
    expect(noise.shown()).toEqual(['x', '$.a'])
  })
})

it.each([
  ['application/json; charset=utf-8', 'json'],
  ['application/problem+json', 'json'],
  ['text/html', 'html'],
  ['text/plain', 'text'],
  [undefined, ''],
])('the head of an answer with %s has the type %s', (type, expected) => {
  const headers = new Map(type === undefined ? [] : [['content-type', type]])
  expect(headOf({ status: 200, headers, body: '' })).toEqual({ status: 200, type: expected })
  expect(headOf({ status: 0, failure: 'reset', headers, body: '' }).failure).toBe('reset')
})

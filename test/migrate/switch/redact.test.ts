import { compareExactly } from '../../../packages/cli/src/parity/compare-exactly.js'
import { differencesOf } from '../../../packages/compare/src/compare-answers.js'
import { Noise } from '../../../packages/compare/src/noise.js'
import {
  harEntryOf,
  harEnd,
  harStart,
  readRecording,
  recordBody,
  recordHeaders,
} from '../../../packages/compare/src/recording.js'
import { maskOfRequest, secretsOf } from '../../../packages/compare/src/redact.js'
import { times } from '../../support/counts.js'

const { redactText } = secretsOf([])
const { isSecret, redactText: redactOwn } = secretsOf(['Mine', 'card-no', 'a.b', '(x+)+y'])

describe('a text without the values of secrets', () => {
  it.each([
    ['token=abc&tea=1', 'token=[redacted]&tea=1'],
    ['my-api_key: abc def', 'my-api_key: [redacted] def'],
    ['Authorization: Bearer abc.def\nnext', 'Authorization: [redacted]\nnext'],
    [`{ "password" : "two words", tea: 1`, '{ "password" : [redacted], tea: 1'],
    [`{'secret':'two words'}`, `{'secret':[redacted]}`],
    ['password="never closed', 'password=[redacted] closed'],
    ['<input name="csrf" value="abc">', '<input name="csrf" value=[redacted]>'],
    ['<meta name="csrf-token" content="abc">', '<meta name="csrf-token" content=[redacted]>'],
    ['<input value=abc name="pin">', '<input value=[redacted] name="pin">'],
    ['<wsse:Password Type="x">abc</wsse:Password>', '<wsse:Password Type="x">[redacted]</wsse:Password>'],
    ['<pin><![CDATA[abc]]></pin>', '<pin>[redacted]</pin>'],
    ['<pin><!-- a -->abc<!-- <b> --></pin>', '<pin>[redacted]</pin>'],
    ['<add key="DbPassword" value="abc"/>', '<add key="DbPassword" value=[redacted]/>'],
    [
      'mutation { login(password: "a\\"bc", name: "Ada") { id } }',
      'mutation { login(password: [redacted], name: "Ada") { id } }',
    ],
    ['{\\"password\\":\\"abc\\",\\"a\\":1}', '{\\"password\\":[redacted],\\"a\\":1}'],
    ['pwd=abc&otp=abc', 'pwd=[redacted]&otp=[redacted]'],
    ['{"passphrase":"abc",}', '{"passphrase":[redacted],}'],
    ['{"private_key":"abc"}\n{"signature":"abc"}', '{"private_key":[redacted]}\n{"signature":[redacted]}'],
    ['Cookie: a=abc; b=abc\r\nHost: x', 'Cookie: [redacted]\r\nHost: x'],
    ...['Set-Cookie', 'Proxy-Authorization', 'Proxy-Authentication'].map((name): [string, string] => [
      `${name}: Own abc abc, abc\r\nHost: x`,
      `${name}: [redacted]\r\nHost: x`,
    ]),
    ['next=%2Fcb%3Faccess_token%3Dabc&tea=1', 'next=%2Fcb%3Faccess_token%3D[redacted]&tea=1'],
    ['at https://ada:abc%40d@host/x', 'at https://[redacted]@host/x'],
    ['?to=https%3A%2F%2Fada%3Aabc%40host%2Fx', '?to=https%3A%2F%2F[redacted]@host%2Fx'],
    ['so Bearer abcdef123 it is', 'so Bearer [redacted] it is'],
    ['so Basic QWRhOnRlYQ== it is', 'so Basic [redacted] it is'],
    ['a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc here', 'a [redacted] here'],
    ['key ghp_0123456789abcdefghijABCDEFGHIJ012345', 'key [redacted]'],
    ['pay 4111 1111 1111 1111 12/27 or 5500-0000-0000-0004.', 'pay [redacted] 12/27 or [redacted].'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY----- x', '[redacted] x'],
    [
      'userPin=abc&card_cvc=abc&spinner=1&author=Ada',
      'userPin=[redacted]&card_cvc=[redacted]&spinner=1&author=Ada',
    ],
    [
      '4111 1111 1111 1112, 1700000000000 and 4111111111111111a',
      '4111 1111 1111 1112, 1700000000000 and 4111111111111111a',
    ],
    ['Basic information, Bearer authentication', 'Basic information, Bearer authentication'],
    ['tokens are fine', 'tokens are fine'],
    ['password=[redacted]', 'password=[redacted]'],
    ['<textarea name="password">two words</textarea>x', '<textarea name="password">[redacted]</textarea>x'],
    ['<textarea id=token>a <b>c</b>\n</textarea>x', '<textarea id=token>[redacted]</textarea>x'],
    ['<textarea name="pin">never closed', '<textarea name="pin">[redacted]'],
    ['<textarea name="tea">green</textarea>', '<textarea name="tea">green</textarea>'],
    ['<entry key="password">two words</entry>', '<entry key="password">[redacted]</entry>'],
    ['<p id="token">Tokens</p>', '<p id="token">Tokens</p>'],
    ['<input name="pin"> Your pin', '<input name="pin"> Your pin'],
    ['<a name="pin"/> Your pin', '<a name="pin"/> Your pin'],
    ['{"password": "two words', '{"password": [redacted]'],
    ['{"password": "two \\"words", "a": 1', '{"password": [redacted], "a": 1'],
    ['{"password": "two words\\', '{"password": [redacted]'],
    ["{'password': 'two words", "{'password': [redacted]"],
    ['{"password": ["two", "words"], "a": 1', '{"password": [redacted], "a": 1'],
    ['{"password": {"a": "}", "b": ["two', '{"password": [redacted]'],
    ['{"password": two words, "a": 1}', '{"password": [redacted], "a": 1}'],
    ['{"pin": 12 34} {"a": 1}', '{"pin": [redacted]} {"a": 1}'],
    ['{"pin": }', '{"pin": }'],
    ['{"name": "password", "value": "two words"', '{"name": "password", "value": [redacted]'],
    ['{"password": [redacted], "a": 1', '{"password": [redacted], "a": 1'],
  ])('%j', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  it.each([
    ['mine=abc&tea=1', 'mine=[redacted]&tea=1'],
    ['MINE: abc, CARD-NO: 12', 'MINE: [redacted] CARD-NO: [redacted]'],
    ['mines=abc, my-mine=1, token=x', 'mines=abc, my-mine=1, token=[redacted]'],
    ['a.b=1, axb=1', 'a.b=[redacted] axb=1'],
    ['mine[]=abc&tea=1', 'mine[]=[redacted]&tea=1'],
    ['/?mine[v]=abc&user[mine]=abc', '/?mine[v]=[redacted]&user[mine]=[redacted]'],
    ['user.mine=abc&mine.v=abc', 'user.mine=[redacted]&mine.v=[redacted]'],
    ['mine%5B%5D=abc&user%5bmine%5d=abc', 'mine%5B%5D=[redacted]&user%5bmine%5d=[redacted]'],
    ['password[]=abc&user[token][v]=abc', 'password[]=[redacted]&user[token][v]=[redacted]'],
    ['<input name="user[csrf]" value="abc">', '<input name="user[csrf]" value=[redacted]>'],
    ['http://session.example.com:80/tea?token=abc', 'http://session.example.com:80/tea?token=[redacted]'],
  ])('has none behind a name that was given, as in %j', (text, expected) => {
    expect(redactOwn(text)).toBe(expected)
  })

  // What is repeated, and behind what.
  const parts = [
    'a',
    'token',
    'token-',
    ' ',
    'token ',
    'token=',
    'token="',
    'token value',
    '"',
    "token'",
    'mine',
    'mine=',
    'card-no ',
    '[',
    'mine[',
    'mine.',
    '%5Bmine',
    '//mine.',
    '//a.b:1',
    '//a@',
    '%2F%2Fa',
    '%40',
    '%25',
    '%3D',
    '<a',
    '<a ',
    '<a>',
    '<pin>',
    '<a><![CDATA[',
    '<pin><!--',
    '<pin>a<!---->',
    ';a%3D',
    '\\',
    '\\"',
    'token:\\"',
    '%25255b',
    '%252525255b%25',
    '<a value="1"><![CDATA[',
    'token="\\',
    'token:"""',
    'cookie: "',
    'eyJ',
    'eyJaaaaaaaaaaaaa.',
    '4444 ',
    '4444-444 ',
    'bearer a1',
    'name="pin" value="',
    ';pin=',
    '?a=',
    '?a=%3F',
    '?a=%253F&b=',
    '#?a=',
    '-----BEGIN PRIVATE KEY-----',
    '"token":[',
    '"token":"',
    '"token":{"',
    '"token","value":',
    '<textarea name=pin>',
    '<textarea>',
    '<a key=pin>a',
  ]
  const starts = [
    'pin=\\"',
    'pin="',
    "pin='",
    'pin="""',
    'cookie: "',
    '<pin>',
    '<a value="1">',
    '<pin><![CDATA[',
    'a%25',
    'bearer ',
    '"token":["',
    '"token":[',
    '<textarea name=pin>',
  ]
  const expectLinear = (text: string): void => {
    const secrets = secretsOf([])
    for (const redact of [
      redactText,
      redactOwn,
      secrets.redactTarget,
      secrets.redactForm,
      secrets.redactString,
    ])
      for (const end of ['', '\n']) expect(redact(text + end).length).toBeLessThanOrEqual(6 * text.length)
    expect(secrets.redactJson({ [text]: text })).toBeDefined()
    expect(typeof secrets.isSecret(text + '\n')).toBe('boolean')
  }

  // Quadratic time takes minutes for these: the test ends by the time limit of Jest.
  it.each(parts)('takes linear time for a text of %j again and again', (part) => {
    expectLinear(part.repeat(times(2 ** 16, 2 ** 20) / part.length))
  })
  it.each(starts)('takes linear time for a text of anything again and again behind %j', (start) => {
    for (const part of parts) expectLinear(start + part.repeat(times(2 ** 12, 2 ** 18) / part.length))
  })
})

describe('a URL in a query in a URL', () => {
  const { redactTarget, redactString } = secretsOf([])
  const within = (levels: number, value: string): string =>
    Array.from({ length: levels }).reduce<string>((text) => `/a?next=${encodeURIComponent(text)}`, value)

  it.each([1, 2, 3, 4, 5, 8])('has no secret at level %d', (levels) => {
    expect(redactTarget(within(levels, '/a?token=SECRET&tea=1'))).not.toContain('SECRET')
  })
  it.each([1, 2, 3, 4, 5, 8])('has no secret at level %d, where no level is encoded', (levels) => {
    expect(redactString('/a?next='.repeat(levels) + '/a?token=SECRET&tea=1')).not.toContain('SECRET')
  })
})

describe('the names of secrets', () => {
  it.each([
    'password',
    'X-CSRF-Token',
    'paſsword',
    'line\nbreak password',
    'PIN',
    'PINCode',
    'userPIN',
    'mine',
    'a.b',
    'mine[]',
    'mine[v]',
    'x[mine][0]',
    'x.pin',
  ])('has %j', (name) => {
    expect(isSecret(name)).toBe(true)
  })
  it.each(['pins', 'tea', 'spin', 'mines[]', 'x[pins]'])('does not have %j', (name) => {
    expect(isSecret(name)).toBe(false)
  })
})

describe('a value of JSON without secrets', () => {
  const { redactJson } = secretsOf(['iban'])
  it.each(['name', 'key', 'field', 'id', 'label', 'property', 'Name'])(
    'has no value of what its %s names',
    (own) => {
      for (const of of ['value', 'content', 'Value'])
        expect(redactJson({ [own]: 'user_password', [of]: 'abc' })).toEqual({
          [own]: 'user_password',
          [of]: '[redacted]',
        })
      // Beside it all else stays, and so does the value of another name.
      const others = [
        { [own]: 'password', kind: 'text' },
        { [own]: 'tea', value: 'abc' },
        { [own]: 1, value: 'abc' },
      ]
      expect(redactJson(others)).toEqual(others)
    },
  )

  it.each(['name', 'id', 'key', 'type', 'property', 'itemprop', 'autocomplete'])(
    'has no value of an element in a text of it that its %s names',
    (own) => {
      const text = (name: string, value: string): object => ({
        html: `<input ${own}="${name}" value=${value}>`,
      })
      expect(redactJson(text('user-password', '"abc"'))).toEqual(text('user-password', '[redacted]'))
      expect(redactJson(text('tea', '"abc"'))).toEqual(text('tea', '"abc"'))
    },
  )

  it.each([
    [
      { otp: 1, list: [{ pin: 'abc' }] },
      { otp: '[redacted]', list: [{ pin: '[redacted]' }] },
    ],
    [{ body: '{"otp":"abc","a":1}' }, { body: '{"otp":"[redacted]","a":1}' }],
    [{ body: '{"a":"{\\"iban\\":\\"abc\\"}"}' }, { body: '{"a":"{\\"iban\\":\\"[redacted]\\"}"}' }],
    [{ query: 'mutation{login(pin:"abc"){id}}' }, { query: 'mutation{login(pin:[redacted]){id}}' }],
    [
      { url: '/cb?a=1&token=abc#b=2&access_token=abc' },
      { url: '/cb?a=1&token=[redacted]#b=2&access_token=[redacted]' },
    ],
    [
      {
        fields: [
          { name: 'password', value: 'abc' },
          { property: 'og:token', content: 'abc' },
          { name: 'tea', value: 'green' },
        ],
      },
      {
        fields: [
          { name: 'password', value: '[redacted]' },
          { property: 'og:token', content: '[redacted]' },
          { name: 'tea', value: 'green' },
        ],
      },
    ],
    [
      { number: 4111111111111111, at: 1700000000000 },
      { number: '[redacted]', at: 1700000000000 },
    ],
    [
      { 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc': 1, a: [{ 'https://ada:abc@host/x': 2 }] },
      { '[redacted]': 1, a: [{ 'https://[redacted]@host/x': 2 }] },
    ],
    [
      { 'Bearer abcdef123': 2, '/cb?token=abc': 1 },
      { 'Bearer [redacted]': '[redacted]', '/cb?token=[redacted]': '[redacted]' },
    ],
    [
      { text: 'a: b, {x}', n: 1, ok: null, 'teas:read': true },
      { text: 'a: b, {x}', n: 1, ok: null, 'teas:read': true },
    ],
  ])('%j', (value, expected) => {
    expect(redactJson(value)).toEqual(expected)
  })

  it('keeps the names of members that each object has', () => {
    const value = JSON.parse('{"__proto__":{"pin":"abc"},"constructor":{"a":1}}') as object
    expect(JSON.stringify(redactJson(value))).toBe('{"__proto__":{"pin":"[redacted]"},"constructor":{"a":1}}')
  })

  it('is left out where it is too deep', () => {
    const deep = JSON.parse(`${'['.repeat(9000)}"abc"${']'.repeat(9000)}`) as unknown
    expect(JSON.stringify(redactJson(deep))).not.toContain('abc')
    expect(JSON.stringify(redactJson({ text: `${'['.repeat(9000)}"abc"${']'.repeat(9000)}` }))).not.toContain(
      'abc',
    )
  })
})

describe('a text with several secrets of one form', () => {
  it('is without each of them, also where they stand side by side, or are encoded more than once', () => {
    const card = '4111 1111 1111 1111'
    expect(redactText(`pay ${card} ${card} ${card}`)).toBe('pay [redacted] [redacted] [redacted]')
    expect(redactText('to https%253A%252F%252Fada%253Aabc%2540host')).toBe(
      'to https%253A%252F%252F[redacted]@host',
    )
  })

  it('is read in steps, between which other texts are read', () => {
    const { redactTextSteps } = secretsOf([])
    const textOf = (name: string): string =>
      Array.from({ length: 350 }, (_, at) => `${name}${at}=${at} token=${name}${at}`).join(' ')
    const texts = ['tea', 'a-longer-name'].map(textOf)
    const running = texts.map((text) => redactTextSteps(text))
    const shown: string[] = []
    while (shown.filter(Boolean).length < texts.length) {
      for (const [at, steps] of running.entries()) {
        const { done, value } = steps.next()
        if (done === true && value !== undefined) shown[at] = value
      }
    }
    expect(shown).toEqual(texts.map((text) => redactText(text)))
  })
})

describe('a target without secrets', () => {
  it.each([
    ['/?next=%2Fcb%3Faccess_token%3Dabc', '/?next=%2Fcb%3Faccess_token%3D[redacted]'],
    ['/?next=%252Fcb%253Ftoken%253Dabc&x=1', '/?next=%252Fcb%253Ftoken%253D[redacted]&x=1'],
    ['/?to=https%3A%2F%2Fada%3Aabc%40host', '/?to=https%3A%2F%2F[redacted]%40host'],
    ['/?filter=%7B%22pin%22%3A%22abc%22%7D', '/?filter=%7B%22pin%22%3A%22[redacted]%22%7D'],
    ['/a;jsessionid=abc/b?auth=abc&sig=abc', '/a;jsessionid=[redacted]/b?auth=[redacted]&sig=[redacted]'],
    ['/mail/token=abc/stop/a=b', '/mail/token=[redacted]/stop/a=b'],
    ['/mail/token%3Dabc/stop/a%3Db', '/mail/token%3D[redacted]/stop/a%3Db'],
    ['/a=b%3Bsid=abc', '/a=b%3Bsid=[redacted]'],
    ['/to/mail%2Ftoken%253Dabc', '/to/mail%2Ftoken%253D[redacted]'],
    ['/in/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', '/in/[redacted]'],
    ['/?pay=4111+1111+1111+1111', '/?pay=[redacted]'],
    ['/?pass%77ord=abc&toke%6e=abc', '/?pass%77ord=[redacted]&toke%6e=[redacted]'],
    ['/cb?tea=1#access_token=abc&state=1', '/cb?tea=1#access_token=[redacted]&state=1'],
    ['/cb#token=abc', '/cb#token=[redacted]'],
    ['/x?a=b+c&d=%C3%A9&e&=1&%zz=%zz', '/x?a=b+c&d=%C3%A9&e&=1&%zz=%zz'],
  ])('%j', (target, expected) => {
    expect(secretsOf([]).redactTarget(target)).toBe(expected)
  })
})

describe('a recorded body', () => {
  const secrets = secretsOf([])
  it.each([
    ['user=a&pwd=abc', 'Application/X-WWW-Form-Urlencoded', { text: 'user=a&pwd=[redacted]' }],
    ['a=x#y&pwd=abc#d', 'application/x-www-form-urlencoded; charset=UTF-8', { text: 'a=x#y&pwd=[redacted]' }],
    ['pass%77ord=abc', 'Application/X-WWW-Form-Urlencoded', { text: 'pass%77ord=[redacted]' }],
    ['{"otp":"abc"}', 'TEXT/PLAIN;;', { text: '{"otp":"[redacted]"}' }],
    [
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nabc',
      'Multipart/Form-Data; boundary=b',
      { isLeftOut: true },
    ],
    ['--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nabc', 'text/plain', { isLeftOut: true }],
    [
      'for those without MIME\r\n--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nabc',
      'text/plain',
      { isLeftOut: true },
    ],
    [
      '--b\nX-Part: 1\nContent-Disposition: form-data; name="password"\n\nabc',
      'text/plain',
      { isLeftOut: true },
    ],
    ['a rule\n--\nContent-free', 'text/plain', { text: 'a rule\n--\nContent-free' }],
    ['p\0w\0d\0=\0a\0', 'text/plain; charset=utf-16', { isLeftOut: true }],
  ])('%j of the type %s has no secret', (body, type, expected) => {
    expect(recordBody(Buffer.from(body), type, secrets, String)).toEqual(expected)
  })

  it('of a header has none, whatever its form', () => {
    expect(
      recordHeaders(
        [
          ['Set-Cookie', 'abc; Path=/'],
          ['Set-Cookie', 'sid=abc; Path=/'],
          ['X-Auth', 'abc'],
          ['X-Authentication', 'Key abc'],
          ['X-Data', '{"otp":"abc"}'],
          ['Location', 'https://ada:abc@host/cb#id_token=abc'],
          ['Host', 'session.example.com:80'],
        ],
        secrets,
      ),
    ).toEqual([
      ['Set-Cookie', '[redacted]'],
      ['Set-Cookie', 'sid=[redacted]'],
      ['X-Auth', '[redacted]'],
      ['X-Authentication', '[redacted]'],
      ['X-Data', '{"otp":"[redacted]"}'],
      ['Location', 'https://[redacted]@host/cb#id_token=[redacted]'],
      ['Host', 'session.example.com:80'],
    ])
  })
})

describe('a recording as HAR', () => {
  const one = {
    version: 1,
    at: '2030-01-01T00:00:00.000Z',
    ms: 1.5,
    session: 'a',
    method: 'POST',
    target: '/x?tea=1&tea=2',
    headers: [
      ['Host', 'shop.example:81'],
      ['Content-Type', 'text/plain'],
    ],
    body: { text: 'sent' },
    answer: { status: 201, headers: [['Content-Type', 'text/plain']], body: { text: 'answered' } },
  } as const
  const again = (entry: unknown) => readRecording(`${harStart}${JSON.stringify(entry)}${harEnd}`).exchanges[0]

  it('says all that it says as lines', () => {
    expect(again(harEntryOf(one))).toEqual(one)
    const left = { isLeftOut: true } as const
    const clipped = { ...one, body: left, answer: { ...one.answer, body: left } }
    expect(again(harEntryOf(clipped))).toEqual(clipped)
  })

  it('is read as far as it goes, and what cannot be read is counted', () => {
    const entry = JSON.stringify(harEntryOf(one))
    const read = (text: string): unknown => {
      const { exchanges, unread } = readRecording(text)
      return [exchanges, unread]
    }
    expect(read(`${harStart}${entry},\n${entry}${harEnd}`)).toEqual([[one, one], 0])
    expect(read(`${harStart}${entry},\n${entry.slice(0, 100)}`)).toEqual([[one], 1])
    expect(read(`${harStart}${entry},\n{"request":{}}${harEnd}`)).toEqual([[one], 1])
    expect(read(`${harStart}${entry},\n{"a":1},\n{"cut`)).toEqual([[one], 2])
    // Its end was written, and what stands before it was cut by another program.
    expect(read(`${harStart}${entry},\n{"cut${harEnd}`)).toEqual([[one], 1])
  })

  it('of another tool is read, bytes in base64 and all', () => {
    const entry = harEntryOf(one) as { response: { content: object } }
    entry.response.content = { text: Buffer.from([0, 255]).toString('base64'), encoding: 'base64' }
    expect(again(entry)!.answer.body).toEqual({ base64: 'AP8=' })
    // A browser does not write down what it has not loaded.
    entry.response.content = { size: 7, mimeType: 'text/html' }
    expect(again(entry)!.answer.body).toEqual({ isLeftOut: true })
    entry.response.content = { text: '' }
    expect(again(entry)!.answer.body).toEqual({ text: '' })
    // A browser writes down the pseudo-headers of HTTP/2, which nobody can send.
    const asked = harEntryOf(one) as { request: { headers: object[] } }
    asked.request.headers.unshift({ name: ':path', value: '/x' })
    expect(again(asked)!.headers).toEqual(one.headers)
    // Not every tool writes down what was answered.
    entry.response.content = {}
    expect(again(entry)!.answer.body).toEqual({ isLeftOut: true })
  })

  it('is read with the mark that some tools put before the text, and so are lines', () => {
    const har = `\ufeff${harStart}${JSON.stringify(harEntryOf(one))}${harEnd}`
    const lines = `\ufeff${JSON.stringify(one)}\n`
    for (const text of [har, lines]) expect(readRecording(text)).toEqual({ exchanges: [one], unread: 0 })
  })

  it('of HTTP/2 is read without the fields that are no headers, as those of one client', () => {
    const entry = harEntryOf(one) as { _session?: string; request: { headers: object[] } }
    delete entry._session
    entry.request.headers.unshift({ name: ':method', value: 'POST' }, { name: ':authority', value: 'x' })
    expect(again(entry)).toEqual({ ...one, session: 'har' })
  })
})

describe('a line of a recording', () => {
  const one = {
    ...{ version: 1, at: '2030-01-01T00:00:00.000Z', ms: 1, session: 'a', method: 'GET', target: '/x?a=1' },
    headers: [['x-a', '1']],
    answer: { status: 200, headers: [] },
  }
  it.each<[string, object, boolean]>([
    ['has no body', {}, true],
    ['has a header of other letters', { headers: [['x-a', 'café']] }, true],
    ['has another method', { method: 'PROPFIND' }, true],
    ['has no method', { method: 'GET /' }, false],
    ['has a whole address', { target: 'http://x/x' }, false],
    ['has a target with a space', { target: '/x y' }, false],
    ['has a target with a line break', { target: '/x\n' }, false],
    ['has no session', { session: undefined }, false],
    ['has a name that is no header', { headers: [['x a', '1']] }, false],
    ['has a header with a line break', { headers: [['x-a', '1\r\nx-b: 2']] }, false],
    ['has a header with letters that none has', { headers: [['x-a', '\u0100']] }, false],
    ['has a header without a value', { headers: [['x-a']] }, false],
    ['has headers that are no list', { headers: { 'x-a': '1' } }, false],
    ['has a body that is no text', { body: { text: 1 } }, false],
    ['has a body that is nothing', { body: null }, false],
    ['has no answer', { answer: undefined }, false],
    ['has an answer without a status', { answer: { headers: [] } }, false],
    ['has an answer whose body is no text', { answer: { ...one.answer, body: { base64: 1 } } }, false],
  ])('that %s is read, or counted', (_what, more, isRead) => {
    const lines = [one, { ...one, ...more }].map((line) => JSON.stringify(line)).join('\n')
    const { exchanges, unread } = readRecording(`${lines}\n\n`)
    expect([exchanges.length, unread]).toEqual(isRead ? [2, 0] : [1, 1])
  })
})

const namesOfParts = [
  'mine[]',
  'mine[v]',
  'user[mine]',
  'user.mine',
  'mine.v',
  'user%5Bmine%5D',
  'user%5bmine%5d[]',
  'user%2Emine',
  'user%5Bmine%5D%zz',
  'user[password]',
]

describe.each(namesOfParts)('a field of a query or a form with the name %s', (name) => {
  const secrets = secretsOf(['mine'])
  it('has no value in a target', () => {
    expect(secrets.redactTarget(`/t?a=1&${name}=SECRET`)).toBe(`/t?a=1&${name}=[redacted]`)
  })
  it('has no value in a recorded form', () => {
    const body = Buffer.from(`${name}=SECRET&a=1`)
    const text = `${name}=[redacted]&a=1`
    expect(recordBody(body, 'application/x-www-form-urlencoded', secrets, String)).toEqual({ text })
    expect(recordBody(body, 'text/plain', secrets, String)).toEqual({ text })
  })
  it('has no value in a recorded Referer', () => {
    expect(recordHeaders([['Referer', `/t?${name}=SECRET`]], secrets)).toEqual([
      ['Referer', `/t?${name}=[redacted]`],
    ])
  })
})

describe('the differences of JSON', () => {
  const rules = {
    ignoredHeaders: new Set<string>(),
    secrets: secretsOf(['iban']),
    mask: String,
    maxBytes: 10_000,
    isRecorded: false,
  }
  const answer = (value: unknown) => ({ status: 200, headers: new Map(), body: JSON.stringify(value) })
  const both = { what: 'body', legacy: '[redacted]', now: '[redacted]' }

  it.each([
    ['$.iban', { iban: { v: 'S1' } }, { iban: { v: 'S2' } }],
    ['$.iban', { iban: { v: 'S1', w: ['S1'] } }, { iban: { v: 'S2', w: ['S2'] } }],
    ['$.iban', { iban: { S1: 1, v: 1 } }, { iban: { S2: 1, v: 2 } }],
    ['$.iban', { iban: { S1: 1 } }, { iban: 'S2' }],
    ['$.iban', { iban: { pin: { v: 'S1' } } }, { iban: { pin: { v: 'S2' } } }],
    ['$.x.iban', { x: { iban: ['S1', 'S1'] } }, { x: { iban: ['S2', 'S2'] } }],
    ['$.password', { password: { old: 'S1' } }, { password: { old: 'S2' } }],
    ['$.password', { password: { list: ['S1'] } }, { password: { list: ['S2', 'S2'] } }],
    ['$.token', { token: [{ value: 'S1' }] }, { token: [{ value: 'S2' }] }],
    ['$.user.iban', { 'user.iban': 'S1' }, { 'user.iban': 'S2' }],
  ])('show the place %s alone of %j', (name, legacy, now) => {
    const found = differencesOf(answer(legacy), answer(now), undefined, new Noise(), rules)
    expect(found).toEqual([{ ...both, name }])
  })

  it('show a secret that one of the answers does not have', () => {
    const found = differencesOf(answer({}), answer({ iban: { v: 'S' } }), undefined, new Noise(), rules)
    expect(found).toEqual([{ what: 'body', name: '$.iban', now: '[redacted]' }])
  })

  it.each([
    [{ eyJSECRET0123456: 1 }, { eyJSECRET0123456: 2 }],
    [{ 'https://ada:SECRET@host': { a: 1 } }, {}],
    [{ a: { 'Bearer SECRET0123456789': 1 } }, { a: [] }],
    [{ '/cb?token=SECRET': 1 }, { '/cb?token=SECRET2': 1 }],
  ])('show no secret that is a key: %j and %j', (legacy, now) => {
    const jwt = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value).replace('eyJSECRET0123456', 'eyJSECRET0123456.SECRET.SECRET'),
      ) as unknown
    const found = differencesOf(answer(jwt(legacy)), answer(jwt(now)), undefined, new Noise(), rules)
    expect(found).not.toEqual([])
    expect(JSON.stringify(found)).not.toContain('SECRET')
    expect(JSON.stringify(found)).toContain('[redacted]')
  })

  it('has none of a key that a recording has not', () => {
    const now = { 'Bearer SECRET0123456789': 1, tea: 1 }
    const recorded = { ...rules, isRecorded: true }
    const found = (legacy: unknown) =>
      differencesOf(answer(legacy), answer(now), undefined, new Noise(), recorded)
    expect(found({ 'Bearer [redacted]': 1, tea: 1 })).toEqual([])
    expect(found({ 'Bearer [redacted]': 1, tea: 2 })).toMatchObject([{ name: '$.tea' }])
  })

  it('are told of what looks like a value that was left out, unless a side was recorded', () => {
    const found = (isRecorded: boolean) =>
      differencesOf(answer({ a: '[redacted]' }), answer({ a: 'tea' }), undefined, new Noise(), {
        ...rules,
        isRecorded,
      })
    expect(found(false)).toMatchObject([{ name: '$.a' }])
    expect(found(true)).toEqual([])
  })

  const encodings = {
    'UTF-16LE': (text: string) => Buffer.from(text, 'utf16le'),
    'UTF-16BE': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  }
  describe.each(Object.entries(encodings))('in %s', (_name, encode) => {
    const of = (text: string, more = '') => ({
      status: 200,
      headers: new Map<string, string>(),
      body: encode(text).toString('latin1') + more,
    })
    const found = (one: ReturnType<typeof of>, other: ReturnType<typeof of>) =>
      differencesOf(one, other, undefined, new Noise(), rules)
    const [one, other] = ['{"iban":"SECRET","tea":"1"}', '{"iban":"SECRET2","tea":"2"}']

    it.each(['', '\ufeff'])('are told place by place, without secrets, after %j', (mark) => {
      expect(found(of(mark + one), of(mark + other))).toEqual([
        { ...both, name: '$.iban' },
        { what: 'body', name: '$.tea', legacy: '"1"', now: '"2"' },
      ])
    })

    it.each([
      [of(one), answer({ iban: 'SECRET2', tea: '2' })],
      [answer({ iban: 'SECRET2', tea: '2' }), of(`\ufeff${one}`)],
      [of(`${one}, cut`), of(`${other}, cut`, 'x')],
    ])('have no secret where one alone is so, or it is no JSON', (was, is) => {
      expect(found(was, is)).not.toEqual([])
      expect(JSON.stringify(found(was, is)).replaceAll(/\\u0000/g, '')).not.toContain('SECRET')
    })

    it('are others than the same in UTF-8', () => {
      const utf8 = { ...of(''), body: Buffer.from(one).toString('latin1') }
      expect([found(of(one), utf8), found(utf8, of(one))]).toEqual([[expect.anything()], [expect.anything()]])
    })

    it('tells bytes apart that only look so', () => {
      expect(found(of('a\ud800b'), of('a\ud801b'))).not.toEqual([])
      expect(found(of('ab', 'x'), of('ab', 'y'))).not.toEqual([])
    })
  })

  it('learn what is noise below a secret, and do not show its place', () => {
    const noise = new Noise()
    const compare = (was: string, again: string, now: string, kept: string) =>
      differencesOf(
        ...([was, now, again].map((S, at) => answer({ iban: { S, v: at === 1 ? kept : 'a' } })) as [
          ReturnType<typeof answer>,
          ReturnType<typeof answer>,
          ReturnType<typeof answer>,
        ]),
        noise,
        rules,
      )
    compare('1', '2', '3', 'a')
    expect(compare('4', '5', '6', 'a')).toEqual([])
    expect(noise.hidden.known()).toEqual(['$.iban.S'])
    expect(noise.places.known()).toEqual([])
    expect(compare('7', '7', '8', 'b')).toEqual([{ ...both, name: '$.iban' }])
  })
})

describe('what parity tells', () => {
  const of = (headers: Record<string, string>, body: string) => ({
    status: 200,
    headers: new Map(Object.entries(headers)),
    body,
  })
  const told = (headers: [string, string], body: [string, string] = ['', '']) => {
    const [one, other] = [0, 1].map((at) =>
      of({ 'x-a': headers[at]!, 'set-cookie': headers[at]!, 'x-auth': headers[at]! }, body[at]!),
    )
    return compareExactly(one!, other!, [one!], new Noise()).differences
  }

  it('has no value of a secret', () => {
    const long = 'x'.repeat(80)
    for (const changes of [
      told(['sid=SECRET1; Path=/\nb=SECRET2', 'sid=SECRET3; Path=/\nb=SECRET4']),
      told([`sid=${long}SECRET1`, `sid=${long}SECRET2`]),
      told(['a', 'a'], ['{"token":"SECRET1"}', '{"token":"SECRET2"}']),
      told(['a', 'a'], ['see https://ada:SECRET1@host', 'see https://ada:SECRET2@host']),
    ]) {
      expect(changes.length).toBeGreaterThan(0)
      const text = JSON.stringify(changes.filter(({ name }) => name !== 'x-a'))
      expect(text).not.toContain('SECRET')
    }
  })

  it('has the rest', () => {
    expect(told(['/a?x=1', '/b?x=2'], ['price 5', 'price 6'])).toMatchObject([
      { what: 'header', name: 'x-a', legacy: '/a?x=1', now: '/b?x=2' },
      { what: 'header', name: 'set-cookie', legacy: '/a?x=[redacted]' },
      { what: 'header', name: 'x-auth', legacy: '[redacted]', now: '[redacted]' },
      { what: 'body', legacy: 'price 5', now: 'price 6' },
    ])
  })
})

it.each([
  '4222222222222',
  '4111111111111111',
  '5555-5555-5555-4444',
  '2223003122003222',
  '3782 822463 10005',
  '30569309025904',
  '36227206271667',
  '38520000023237',
  '3566002020360505',
  '6011111111111117',
  '5018000000007',
  '6304 1234 5678 9012 347',
  '6304123456789012347',
])('the card %s is left out of a text', (card) => {
  const { redactText } = secretsOf([])
  expect(redactText(`pay ${card}, or ${card.slice(0, -1)}`)).toBe(`pay [redacted], or ${card.slice(0, -1)}`)
})

describe('an answer that shows what the request has sent', () => {
  const shown = (cookie: string, text: string) => maskOfRequest({ headers: { cookie } })(text)

  it.each(['Bearer', 'Basic', 'Token'])('is without its authorization: %s', (scheme) => {
    const mask = maskOfRequest({ headers: { authorization: `${scheme} b3Blbi1zZXNhbWU=` } })
    const shown = 'You have sent b3Blbi1zZXNhbWU=, or b3Blbi1zZXNhbWU%3D'
    expect(mask(shown)).toBe('You have sent [redacted], or [redacted]')
    expect(mask(`as ${scheme} b3Blbi1zZXNhbWU=`)).not.toContain('b3Bl')
  })

  it.each(['correct-horse', 'corr:ct', 'pässwörd'])('is without the password of Basic: %s', (password) => {
    const sent = Buffer.from(`ada:${password}`).toString('base64')
    const mask = maskOfRequest({ headers: { authorization: `basic ${sent}` } })
    expect(mask(JSON.stringify({ name: 'ada', given: password, sent }))).toBe(
      '{"name":"ada","given":"[redacted]","sent":"[redacted]"}',
    )
  })

  it('is without its authorization as JSON and as bytes', () => {
    const mask = maskOfRequest({ headers: { authorization: 'Token te"a\\p\u00e9t' } })
    const secret = 'te"a\\p\u00e9t'
    expect(mask(JSON.stringify({ sent: secret }))).toBe('{"sent":"[redacted]"}')
    expect(mask(`<p>${Buffer.from(secret).toString('latin1')}</p>`)).toBe('<p>[redacted]</p>')
  })

  it.each(['sesame', 'ésame', 'ÿsame', 'Āsame', '密sesame'])('is without its secret %s', (secret) => {
    expect(shown(`sid=${secret}`, `you are ${secret} or ${encodeURIComponent(secret)}`)).toBe(
      'you are [redacted] or [redacted]',
    )
  })

  it('is without its cookies', () => {
    expect(shown('sid=0123456789', 'you are 0123456789')).toBe('you are [redacted]')
    expect(shown('sid=abcd=ef', 'you are abcd=ef')).toBe('you are [redacted]')
  })
  it('is without any of a thousand cookies', () => {
    const cookies = Array.from({ length: 1000 }, (_, at) => `c${at}=value-of-${at}`)
    expect(shown(cookies.join('; '), 'tea value-of-199, value-of-1000')).toBe('tea [redacted], [redacted]0')
  })
  it('is left out where the cookies have more letters than any server takes', () => {
    const cookies = Array.from({ length: 20_000 }, (_, at) => `c${at}=value-of-${at}`)
    expect(shown(cookies.join('; '), 'tea value-of-199')).toBe('[redacted]')
  })
})

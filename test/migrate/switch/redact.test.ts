import { differencesOf, noNoise } from '../../../src/migrate/switch/compare.js'
import { recordBody, recordHeaders } from '../../../src/migrate/switch/recording.js'
import { maskOfRequest, redactTarget, secretsOf } from '../../../src/migrate/switch/redact.js'

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
    ['tokens are fine', 'tokens are fine'],
    ['password=[redacted]', 'password=[redacted]'],
  ])('%j', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  it.each([
    ['mine=abc&tea=1', 'mine=[redacted]&tea=1'],
    ['MINE: abc, CARD-NO: 12', 'MINE: [redacted] CARD-NO: [redacted]'],
    ['mines=abc, my-mine=1, token=x', 'mines=abc, my-mine=1, token=[redacted]'],
    ['a.b=1, axb=1', 'a.b=1, axb=1'],
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

  // Quadratic time takes minutes for these: the test ends by the time limit of Jest.
  it.each([
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
  ])('takes linear time for a text of %j again and again', (part) => {
    const text = part.repeat(2 ** 20 / part.length)
    expect(redactText(`${text}\n`)).toContain('\n')
    expect(redactOwn(`${text}\n`)).toContain('\n')
    expect(secretsOf([]).isSecret(`${text}\n`)).toBe(part.includes('token'))
  })
})

describe('the names of secrets', () => {
  it.each([
    'password',
    'X-CSRF-Token',
    'line\nbreak password',
    'PIN',
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
    expect(redactTarget(`/t?a=1&${name}=SECRET`, secrets.isSecret)).toBe(`/t?a=1&${name}=[redacted]`)
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
  const both = { what: 'body', legacy: '[redacted]', native: '[redacted]' }

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
  ])('show the place %s alone of %j', (name, legacy, native) => {
    const found = differencesOf(answer(legacy), answer(native), undefined, noNoise(), rules)
    expect(found).toEqual([{ ...both, name }])
  })

  it('show a secret that one of the answers does not have', () => {
    const found = differencesOf(answer({}), answer({ iban: { v: 'S' } }), undefined, noNoise(), rules)
    expect(found).toEqual([{ what: 'body', name: '$.iban', native: '[redacted]' }])
  })

  it('learn what is noise below a secret, and do not show its place', () => {
    const noise = noNoise()
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
    expect(noise.hidden).toEqual(new Set(['$.iban.S']))
    expect(noise.places).toEqual(new Set())
    expect(compare('7', '7', '8', 'b')).toEqual([{ ...both, name: '$.iban' }])
  })
})

describe('an answer that shows what the request has sent', () => {
  const shown = (cookie: string, text: string) => maskOfRequest({ headers: { cookie } })(text)

  it('is without its cookies', () => {
    expect(shown('sid=0123456789', 'you are 0123456789')).toBe('you are [redacted]')
  })
  it('is left out where the request has too many cookies to look for each', () => {
    const cookies = Array.from({ length: 200 }, (_, at) => `c${at}=value-of-${at}`)
    expect(shown(cookies.slice(150).join('; '), 'tea value-of-199')).toBe('tea [redacted]')
    expect(shown(cookies.join('; '), 'tea value-of-199')).toBe('[redacted]')
  })
})

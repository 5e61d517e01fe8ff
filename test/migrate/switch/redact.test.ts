import { maskOfRequest, secretsOf } from '../../../src/migrate/switch/redact.js'

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
  ])('takes linear time for a text of %j again and again', (part) => {
    const text = part.repeat(2 ** 20 / part.length)
    expect(redactText(`${text}\n`)).toContain('\n')
    expect(redactOwn(`${text}\n`)).toContain('\n')
    expect(secretsOf([]).isSecret(`${text}\n`)).toBe(part.includes('token'))
  })
})

describe('the names of secrets', () => {
  it.each(['password', 'X-CSRF-Token', 'line\nbreak password', 'PIN', 'mine'])('has %j', (name) => {
    expect(isSecret(name)).toBe(true)
  })
  it.each(['pins', 'tea', 'spin'])('does not have %j', (name) => {
    expect(isSecret(name)).toBe(false)
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

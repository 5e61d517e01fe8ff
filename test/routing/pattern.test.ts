import { isRouteControllersError } from '../../src/ground/errors.js'
import {
  createForeignPath,
  MAX_PATTERN_LENGTH,
  MAX_PATTERN_PARAMS,
  MAX_PATTERN_SEGMENTS,
  parseMethod,
  parsePattern,
} from '../../src/routing/pattern.js'
import { cases } from './cases.js'

function refusalOf(read: () => unknown): { code: string; message: string } {
  try {
    read()
  } catch (error) {
    if (isRouteControllersError(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('parsePattern', () => {
  it('reads static segments, params and a wildcard, in order', () => {
    expect(parsePattern('/shops/:shop/files/*path')).toEqual({
      source: '/shops/:shop/files/*path',
      segments: [
        { kind: 'static', text: 'shops' },
        { kind: 'param', name: 'shop' },
        { kind: 'static', text: 'files' },
        { kind: 'wildcard', name: 'path' },
      ],
      names: ['shop', 'path'],
    })
  })

  it.each(['*', '/*'])('calls the wildcard of %s *', (source) => {
    expect(parsePattern(source)).toEqual({
      source,
      segments: [{ kind: 'wildcard', name: '*' }],
      names: ['*'],
    })
  })

  it('leaves a path in the grammar of another router to its profile', () => {
    const path = { optional: true }
    const foreign = createForeignPath('/users{/:id}', path)
    expect(Object.isFrozen(foreign)).toBe(true)
    const pattern = parsePattern(foreign)
    expect(pattern).toEqual({ source: '/users{/:id}', segments: [], names: [], foreign: path })
    expect([pattern, pattern.segments, pattern.names].every(Object.isFrozen)).toBe(true)
  })

  it.each(cases.map(({ pattern }) => pattern))('keeps %s as it was written', (source) => {
    expect(parsePattern(source).source).toBe(source)
  })

  it('keeps empty segments and trailing slashes', () => {
    const empty = { kind: 'static', text: '' }
    expect(parsePattern('/').segments).toEqual([empty])
    expect(parsePattern('//').segments).toEqual([empty, empty])
    expect(parsePattern('/t/').segments).toEqual([{ kind: 'static', text: 't' }, empty])
  })

  it('accepts names as JavaScript has them', () => {
    expect(parsePattern('/:_a1/:B/:toString/*$'.replace('$', 'rest_')).names).toEqual([
      '_a1',
      'B',
      'toString',
      'rest_',
    ])
  })

  it('freezes what it gives', () => {
    for (const source of ['*', '/a/:b']) {
      const pattern = parsePattern(source)
      expect([pattern, pattern.segments, pattern.names].every(Object.isFrozen)).toBe(true)
    }
  })

  // Pattern, position of the mistake, what the advice must say.
  it.each<[string, number, string]>([
    ['', 0, "write '/'"],
    ['users', 0, "write '/users'"],
    [':id', 0, "write '/:id'"],
    ['*rest', 0, "write '/*rest'"],
    ['**', 0, "starts with '/'"],
    ['http://x/users', 0, "starts with '/'"],
    ['/users/:id?', 10, "two Controllers, '/users' and '/users/:id'"],
    ['/:id?', 4, "two Controllers, '/' and '/:id'"],
    ['/:lang?/docs', 6, "two Controllers, '/docs' and '/:lang/docs'"],
    ['/:id(\\d+)', 4, "write ':id' and check its value in the callback"],
    ['/*path(.*)', 6, "write '*path' and check its value in the callback"],
    ['/(a|b)', 1, 'check its value in the callback'],
    ['/a)', 2, 'check its value in the callback'],
    ['/users{/:id}', 6, 'a Controller for each form'],
    ['/a}', 2, 'a Controller for each form'],
    ['/:id{2}', 4, 'a Controller for each form'],
    ['/:rest+', 6, "write '*rest', last"],
    ['/:rest*', 6, "write '*rest', last"],
    ['/:rest+x', 6, "'*name', last"],
    ['/a+', 2, "'*name', last"],
    ['/*/', 1, 'stands last'],
    ['/*path/', 1, 'stands last'],
    ['/*/edit', 1, 'stands last'],
    ['/*path/edit', 1, 'stands last'],
    ['/*path?', 6, 'no optional parts'],
    ['/*path+', 6, "'*name', last"],
    ['/a*', 2, "'/*' or '/*name'"],
    ['/**', 2, "'*' or '*name'"],
    ['/:a-:b', 3, "a param is a whole segment; write ':a'"],
    ['/:id.json', 4, "a param is a whole segment; write ':id'"],
    ['/:id:', 4, "a param is a whole segment; write ':id'"],
    ['/:id?x', 4, 'no optional parts'],
    ['/v:major', 2, "a param is a whole segment; write '/:name'"],
    ['/:', 2, "a param has a name; write ':id'"],
    ['/:/a', 2, "a param has a name; write ':id'"],
    ['/:1st', 2, 'does not start with a digit'],
    ['/:-', 2, 'letters, digits and _'],
    ['/:é', 2, 'letters, digits and _'],
    ['/*1', 2, "'*' or '*name'"],
    ['/:a/x/:a', 7, "'a' is already the name"],
    ['/:a/*a', 5, "'a' is already the name"],
    ['/:__proto__', 2, 'not safe'],
    ['/*constructor', 2, 'not safe'],
    ['/:prototype', 2, 'not safe'],
    ['/search?q=1', 7, 'without a query'],
    ['/a#b', 2, "leave out what follows '#'"],
    ['/[id]', 1, "written ':name'"],
    ['/a]', 2, "written ':name'"],
    ['/a\\b', 2, "no escapes with '\\'"],
    ['/a b', 2, "write '%20'"],
    ['/é', 1, "write '%C3%A9'"],
    ['/a😀', 2, "write '%F0%9F%98%80'"],
    ['/\ud800', 1, "write '%EF%BF%BD'"],
    ['/"', 1, "write '%22'"],
    ['/|', 1, "write '%7C'"],
    ['/100%', 4, "write '%25'"],
    ['/%2', 1, "write '%25'"],
    ['/%zz', 1, "write '%25'"],
    ['/%2/0', 1, "write '%25'"],
    ['/a/.', 3, "'.' and '..'"],
    ['/../a', 1, "'.' and '..'"],
    ['/%2e', 1, "'.' and '..'"],
    ['/.%2E/a', 1, "'.' and '..'"],
  ])('refuses %j at position %i', (source, position, advice) => {
    const { code, message } = refusalOf(() => parsePattern(source))
    expect(code).toBe('ERR_PATTERN_INVALID')
    expect(message).toContain(`Invalid pattern '${source}' at position ${position}: `)
    expect(message).toContain(advice)
    expect(message.endsWith(`\n  ${source}\n  ${' '.repeat(position)}^`)).toBe(true)
  })

  it('accepts segments that merely look like those which clients resolve', () => {
    for (const source of ['/...', '/.a', '/a.', '/%2e%2e%2e', '/%2ea']) {
      expect(parsePattern(source).source).toBe(source)
    }
  })

  it('keeps the message on its lines whatever the pattern holds', () => {
    const { message } = refusalOf(() => parsePattern('/a\nb\u2028c'))
    expect(message).toContain("'/a\uFFFDb\uFFFDc' at position 2")
    expect(message).toContain("write '%0A'")
    expect(message.split('\n')).toHaveLength(3)
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'number'],
    [/a/, 'a RegExp'],
    [['/a'], 'an array'],
  ])('refuses %p, which is not a string', (value, shown) => {
    const { code, message } = refusalOf(() => parsePattern(value as unknown as string))
    expect(code).toBe('ERR_PATTERN_INVALID')
    expect(message).toContain(`not ${shown}`)
  })

  it('bounds the length, the segments and the params of a pattern', () => {
    const longest = '/' + 'a'.repeat(MAX_PATTERN_LENGTH - 1)
    expect(parsePattern(longest).source).toBe(longest)
    expect(refusalOf(() => parsePattern(longest + 'a')).message).toBe(
      `A pattern has at most ${MAX_PATTERN_LENGTH} characters, '${longest.slice(0, 40)}…' has ${MAX_PATTERN_LENGTH + 1}.`,
    )

    const deepest = '/a'.repeat(MAX_PATTERN_SEGMENTS)
    expect(parsePattern(deepest).segments).toHaveLength(MAX_PATTERN_SEGMENTS)
    expect(refusalOf(() => parsePattern(deepest + '/')).message).toContain(`${MAX_PATTERN_SEGMENTS} segments`)

    const fullest = Array.from({ length: MAX_PATTERN_PARAMS }, (_, i) => `/:p${i}`).join('')
    expect(parsePattern(fullest).names).toHaveLength(MAX_PATTERN_PARAMS)
    expect(refusalOf(() => parsePattern(fullest + '/*')).message).toContain(`${MAX_PATTERN_PARAMS} params`)
  })
})

describe('parseMethod', () => {
  it.each([
    ['GET', 'GET'],
    ['get', 'GET'],
    ['PropFind', 'PROPFIND'],
    ['M-SEARCH', 'M-SEARCH'],
    ["x!#$%&'+.^_`|~09", "X!#$%&'+.^_`|~09"],
    ['*', '*'],
  ])('reads %s as %s', (method, read) => {
    expect(parseMethod(method)).toBe(read)
  })

  it.each(['', ' ', 'GET ', 'GET,POST', 'G T', 'GET\n', 'É', 'ß', 'a/b', '(x)', '"x"'])(
    'refuses %j',
    (method) => {
      const { code, message } = refusalOf(() => parseMethod(method))
      expect(code).toBe('ERR_METHOD_INVALID')
      expect(message).toContain('HTTP token')
      expect(message).toContain(`not '${method.replace('\n', '\uFFFD')}'.`)
    },
  )

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [['GET'], 'object'],
  ])('refuses %p, which is not a string', (value, shown) => {
    expect(refusalOf(() => parseMethod(value as unknown as string)).message).toContain(`not ${shown}`)
  })
})

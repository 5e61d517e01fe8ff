import { Controller, RouteControllers } from 'routecontrollers'
import { express5, expressPath } from 'routecontrollers/express'
import { express4 } from './support/profiles.js'
import { describeRoutes, tell } from './support/routes.js'

const ok = () => 'ok'

function refusalOf(profile: 'express4' | 'express5', path: string | ReturnType<typeof expressPath>): unknown {
  try {
    new RouteControllers([new Controller('GET', path, ok)], {
      profile: profile === 'express4' ? express4() : express5(),
    })
    return 'accepted'
  } catch (error) {
    return error
  }
}

describe('a path of the other version is refused with its translation', () => {
  it.each([
    ['*', "'/{*splat}'"],
    ['/f/*', "'/f/{*splat}'"],
    ['/u/:id?', "'/u{/:id}'"],
    ['/u/:id?/edit', "'/u{/:id}/edit'"],
    ['/u/:id(\\d+)', 'expressPath(/^\\/u(?:\\/(?<id>\\d+))\\/?$/i)'],
    ['/(a|b)', 'expressPath(/^\\/(?:a|b)\\/?$/i)'],
    ['/ab?cd', 'expressPath(/^\\/ab?cd\\/?$/i)'],
    ['/ab+cd', 'expressPath(/^\\/ab+cd\\/?$/i)'],
    ['/a*', 'expressPath(/^\\/a(.*)\\/?$/i)'],
    ['/*/x/*', "'/{*splat}/x/{*splat2}'"],
  ])('express5: %s', (path, translation) => {
    expect(refusalOf('express5', expressPath(path))).toMatchObject({
      code: 'ERR_PATTERN_INVALID',
      message: expect.stringContaining(`write ${translation} instead`),
    })
  })

  it.each([
    ['/u{/:id}', "'/u/:id?'"],
    ['/f{/*rest}', undefined],
    ['/f/{*rest}', "'/f/*'"],
    ['/:"id"', "'/:id'"],
    ['/u{-:id}', undefined],
    ['/u{:id/}', undefined],
    ['/u{/:id}-x', undefined],
    ['/u{/:a}{/:b}', undefined],
  ])('express4: %s', (path, translation) => {
    const refusal = refusalOf('express4', expressPath(path))
    expect(refusal).toMatchObject({ code: 'ERR_PATTERN_INVALID' })
    const { message } = refusal as Error
    if (translation === undefined) expect(message).not.toContain('instead')
    else expect(message).toContain(`write ${translation} instead`)
  })

  it('has no translation for what is a path of neither', () => {
    for (const profile of ['express4', 'express5'] as const) {
      const refusal = refusalOf(profile, expressPath('/a{('))
      expect(refusal).toMatchObject({ code: 'ERR_PATTERN_INVALID' })
      expect((refusal as Error).message).not.toContain('instead')
    }
  })

  it('refuses a named wildcard of ours under express4, where it would be text behind a star', () => {
    expect(refusalOf('express4', '/files/*rest')).toMatchObject({
      message: expect.stringContaining("write '/files/*' instead"),
    })
    expect(refusalOf('express5', '/files/*rest')).toBe('accepted')
  })

  it('refuses paths of Express without a profile', () => {
    expect(() => new RouteControllers([new Controller('GET', expressPath('/a{/b}'), ok)])).toThrow(
      expect.objectContaining({ code: 'ERR_PATTERN_INVALID' }),
    )
  })

  it.each([[7], [[]], [null], [['/a', 7]]])('refuses %p for a path', (path) => {
    expect(() => expressPath(path as never)).toThrow(expect.objectContaining({ code: 'ERR_PATTERN_INVALID' }))
  })
})

const shared = [
  ['GET', ['/list', '/list/:id', /^\/l(\d+)$/], tell('list')],
  ['GET', /^\/re\/(.*)$/i, tell('re')],
  ['GET', '/flights/:from-:to', tell('flights')],
  ['GET', '/file.:ext', tell('file')],
] as const
describeRoutes('arrays, RegExps and several params in a segment', shared, [
  '/list',
  '/LIST/7/',
  '/l12',
  '/re/a%20b/c',
  '/RE/',
  '/flights/LAX-SFO',
  '/flights/LAX',
  '/file.txt',
  '/filextxt',
])
describeRoutes(
  'the grammar of version 4',
  [
    ['GET', '/ab?cd', tell('optional')],
    ['GET', '/x(yz)?/:id(\\d+)', tell('group')],
    ['GET', '/s/ab*cd', tell('star')],
    ['GET', '/m/?n', tell('optional slash')],
    ['GET', '/deep/:rest*', tell('deep')],
    ['GET', '/left|/right', tell('either')],
    ['GET', '*', tell('any')],
  ],
  [
    '/acd',
    '/abcd',
    '/x/7',
    '/xyz/7',
    '/xyz/a',
    '/s/abxyzcd',
    '/m/n',
    '/mn',
    '/deep/a/b',
    '/leftmost',
    '/x/right',
    '/%',
  ],
  { versions: [4] },
)
describeRoutes(
  'the grammar of version 5',
  [
    ['GET', '/a{/b}{/:c}', tell('groups')],
    ['GET', '/ab*cd', tell('named wildcard')],
    ['GET', '/:"with space"/x', tell('quoted')],
    ['GET', '/lit\\:eral', tell('escaped')],
    ['GET', '/{*any}', tell('any')],
  ],
  ['/a', '/a/b', '/a/b/c', '/a/x', '/abxyz', '/q/x', '/lit:eral', '/', '/b/c//d'],
  { versions: [5] },
)

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

const regularExpression = 'a regular expression'

describe('a path of the other version is refused with its translation', () => {
  it.each([
    ['*', "'/{*splat}'"],
    ['/f/*', "'/f/{*splat}'"],
    ['/u/:id?', "'/u{/:id}'"],
    ['/u/:id?/edit', "'/u{/:id}/edit'"],
    ['/u/:id(\\d+)', regularExpression],
    ['/(a|b)', regularExpression],
    ['/ab?cd', regularExpression],
    ['/ab+cd', regularExpression],
    ['/a*', regularExpression],
    ['/*/x/*', "'/{*splat}/x/{*splat2}'"],
  ])('express5: %s', (path, translation) => {
    expect(refusalOf('express5', expressPath(path))).toMatchObject({
      code: 'ERR_PATTERN_INVALID',
      message: expect.stringContaining(`write ${translation} instead`),
    })
  })

  it.each([
    ['/u{/:id}', "'/u/:id?'"],
    ['/f{/*rest}', regularExpression],
    ['/f/{*rest}', "'/f/*'"],
    ['/:"id"', "'/:id'"],
    ['/u{-:id}', regularExpression],
    ['/u{:id/}', regularExpression],
    ['/u{/:id}-x', regularExpression],
    ['/u{/:a}{/:b}', regularExpression],
  ])('express4: %s', (path, translation) => {
    const refusal = refusalOf('express4', expressPath(path))
    expect(refusal).toMatchObject({ code: 'ERR_PATTERN_INVALID' })
    expect((refusal as Error).message).toContain(`write ${translation} instead`)
  })

  it.each(['express4', 'express5'] as const)('%s: a list in lists is one list', async (version) => {
    const path = ['/a', ['/b', ['/c', ['/d']]]] as unknown as string[]
    const profile = version === 'express4' ? express4() : express5()
    const send = new RouteControllers([new Controller('GET', expressPath(path), ok)], {
      profile,
    }).getCallback()
    for (const target of ['/a', '/b', '/c', '/d'])
      expect((await send(new Request(`http://x${target}`))).status).toBe(200)
  })

  it('says what is wrong with a path in one sentence, without the address of a manual', () => {
    const { message } = refusalOf('express5', expressPath('/a/:')) as Error
    expect(message).toContain('Missing parameter name at index 4')
    expect(message).not.toMatch(/visit|git\.new/)
  })

  it('has none for what is a path of neither but a regular expression', () => {
    for (const profile of ['express4', 'express5'] as const) {
      expect(refusalOf(profile, expressPath('/a{('))).toMatchObject({
        code: 'ERR_PATTERN_INVALID',
        message: expect.stringContaining(`write ${regularExpression} instead`),
      })
    }
  })

  it.each([
    ['express4', express4],
    ['express5', express5],
  ] as const)(
    'reads a wildcard of ours in the grammar of %s, and gives it the rest as one text',
    async (_name, profile) => {
      const controllers = [
        new Controller('GET', '/files/*rest', (req, res) => res.json(req.params)),
        new Controller('GET', '/all/*', (req, res) => res.json(req.params)),
      ]
      const fetchHandler = new RouteControllers(controllers, { profile: profile() }).getCallback()
      const ask = async (path: string): Promise<unknown> => {
        const answer = await fetchHandler(new Request(`http://test${path}`))
        return answer.status === 200 ? answer.json() : answer.status
      }
      expect(await ask('/files/a/b%20c/d')).toEqual({ rest: 'a/b c/d' })
      expect(await ask('/files/')).toEqual({ rest: '' })
      expect(await ask('/all/a/b')).toEqual({ '*': 'a/b' })
      expect(await ask('/other')).toBe(404)
    },
  )

  it.each([
    ['none', undefined],
    ['express4', express4],
    ['express5', express5],
  ] as const)('gives wildcards of ours alike, by the profile %s', async (_name, profile) => {
    const ask = async (pattern: string, path: string): Promise<unknown> => {
      const list = [new Controller('GET', pattern, (req, res) => res.json(req.params))]
      const all = new RouteControllers(list, profile && { profile: profile() })
      return (await all.getCallback()(new Request(`http://test${path}`))).json()
    }
    expect(await ask('*', '/')).toEqual({ '*': '/' })
    expect(await ask('*', '/a')).toEqual({ '*': '/a' })
    expect(await ask('*', '/a/b%20c/')).toEqual({ '*': '/a/b c/' })
    expect(await ask('/*', '/a/b%20c')).toEqual({ '*': 'a/b c' })
    expect(await ask('/*', '/')).toEqual({ '*': '' })
    expect(await ask('/:rest/*', '/a/b/c')).toEqual({ rest: 'a', '*': 'b/c' })
    expect(await ask('/:rest/:a/*', '/a/b/c')).toEqual({ rest: 'a', a: 'b', '*': 'c' })
    expect(await ask('/a$b!c/:id', '/a$b!c/7')).toEqual({ id: '7' })
    expect(await ask('/:rest/*more', '/a/b/c')).toEqual({ rest: 'a', more: 'b/c' })
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
    ['GET', '/cups/small|/large', tell('a part of either')],
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
    '/any/large',
    '/cups/smaller',
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

import { isRouteControllersError } from '../../src/ground/errors.js'
import { decodeParams } from '../../src/routing/params.js'
import { createForeignPath, parsePattern } from '../../src/routing/pattern.js'
import { createRouteIndex, type Route, type RouteIndex } from '../../src/routing/route-index.js'
import { refusal } from '../support/refusal.js'
import { cases } from './cases.js'
import { stringWorkOf } from './string-work.js'

/** The routes of `'GET /users/:id'` and the like; the target is the text itself. */
function routesOf(texts: readonly string[]): Route<string>[] {
  return texts.map((text) => {
    const [method, source] = text.split(' ') as [string, string]
    return { method, pattern: parsePattern(source), target: text }
  })
}

const indexOf = (...texts: string[]): RouteIndex<string> => createRouteIndex(routesOf(texts))

/** What answers, whichever way round the routes are registered. */
function answer(texts: readonly string[], method: string, path: string): string | undefined {
  const [there, back] = [texts, [...texts].reverse()].map(
    (order) => indexOf(...order).match(method, path)?.route.target,
  )
  expect(back).toBe(there)
  return there
}

describe('createRouteIndex', () => {
  describe.each(cases)('$pattern', ({ pattern, paths }) => {
    it.each(Object.entries(paths))('%s', (path, params) => {
      const match = indexOf(`GET ${pattern}`).match('GET', path)
      expect(match && { ...decodeParams(match.route.pattern.names, match.values) }).toEqual(
        params ?? undefined,
      )
    })
  })

  it('gives the raw values in the order of the names', () => {
    expect(indexOf('GET /:a/x/:b/*').match('GET', '/%31/x/2/3/4')?.values).toEqual(['%31', '2', '3/4'])
    for (const names of [
      ['a'],
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd', 'e'],
    ]) {
      const index = indexOf(`GET /${names.map((name) => `:${name}`).join('/')}`)
      expect(index.match('GET', `/${names.join('/')}`)?.values).toEqual(names)
    }
  })

  it('finds nothing without routes', () => {
    expect(indexOf().match('GET', '/')).toBeUndefined()
    expect(indexOf().match('OPTIONS', '*')).toBeUndefined()
    expect(indexOf().methods).toEqual([])
  })

  it('says by which methods a path is answered', () => {
    const index = indexOf('POST /a', 'GET /a', 'PUT /:b', 'DELETE /c/d', '* /c/*')
    expect(index.methodsAt('/a')).toEqual(['GET', 'HEAD', 'POST', 'PUT'])
    expect(index.methodsAt('/b')).toEqual(['PUT'])
    expect(index.methodsAt('/c/x')).toEqual(['DELETE', 'GET', 'HEAD', 'POST', 'PUT'])
    expect(index.methodsAt('/x/y')).toEqual([])
  })

  it('gives the route that was registered, itself', () => {
    const routes = routesOf(['GET /a', 'GET /:b'])
    const index = createRouteIndex(routes)
    expect(index.match('GET', '/a')?.route).toBe(routes[0])
    expect(index.match('GET', '/b')?.route).toBe(routes[1])
  })

  describe('the most specific pattern wins, whatever the order of registration', () => {
    const shop = [
      'GET /',
      'GET /a',
      'GET /:x',
      'GET /a/b',
      'GET /a/:y',
      'GET /:x/b',
      'GET /:x/:y',
      'GET /a/*',
      'GET *',
    ]
    it.each([
      ['/', 'GET /'],
      ['/a', 'GET /a'],
      ['/c', 'GET /:x'],
      ['/a/b', 'GET /a/b'],
      ['/a/c', 'GET /a/:y'],
      ['/c/b', 'GET /:x/b'],
      ['/c/d', 'GET /:x/:y'],
      ['/a/', 'GET /a/*'],
      ['/a/b/', 'GET /a/*'],
      ['/a/b/c', 'GET /a/*'],
      ['/c/', 'GET *'],
      ['//', 'GET *'],
      ['//b', 'GET *'],
    ])('%s is answered by %s', (path, expected) => {
      expect(answer(shop, 'GET', path)).toBe(expected)
    })

    it('goes back from a static segment that leads nowhere, and from a param that does', () => {
      const routes = ['GET /a/b/c', 'GET /a/:y/d', 'GET /:x/b/e', 'GET /:x/:y/*', 'GET /a/b/:z/f']
      expect(answer(routes, 'GET', '/a/b/c')).toBe('GET /a/b/c')
      expect(answer(routes, 'GET', '/a/b/d')).toBe('GET /a/:y/d')
      expect(answer(routes, 'GET', '/a/b/e')).toBe('GET /:x/b/e')
      expect(answer(routes, 'GET', '/a/b/x/g')).toBe('GET /:x/:y/*')
      expect(answer(routes, 'GET', '/a/b')).toBeUndefined()
      expect(indexOf(...routes).match('GET', '/a/b/x/g')?.values).toEqual(['a', 'b', 'x/g'])
    })

    it('chooses among static segments, with and without a beginning in common', () => {
      const routes = [
        'GET /a/:x',
        'GET /b/:x',
        'GET /bb/:x',
        'GET /b/c/d/:x',
        'GET /b/c/e/:x',
        'GET /b/c/e/f/*',
      ]
      expect(answer(routes, 'GET', '/a/1')).toBe('GET /a/:x')
      expect(answer(routes, 'GET', '/b/1')).toBe('GET /b/:x')
      expect(answer(routes, 'GET', '/bb/1')).toBe('GET /bb/:x')
      expect(answer(routes, 'GET', '/b/c/d/1')).toBe('GET /b/c/d/:x')
      expect(answer(routes, 'GET', '/b/c/e/1')).toBe('GET /b/c/e/:x')
      expect(answer(routes, 'GET', '/b/c/e/f/1/2')).toBe('GET /b/c/e/f/*')
      for (const path of ['/c/1', '/ab/1', '/b/c/f/1', '/b/d/d/1', '/bbb/1', '/b/c/', '/a', '/']) {
        expect(answer(routes, 'GET', path)).toBeUndefined()
      }
    })

    it('passes what static segments begin with together only where a path has all of it', () => {
      const routes = ['GET /api/v1/users/:x', 'GET /api/v1/pets/:x']
      expect(answer(routes, 'GET', '/api/v1/users/7')).toBe('GET /api/v1/users/:x')
      expect(answer(routes, 'GET', '/api/v1/pets/7')).toBe('GET /api/v1/pets/:x')
      expect(indexOf(...routes).match('GET', '/api/v1/pets/7')?.values).toEqual(['7'])
      for (const path of [
        '/api/v2/pets/7',
        '/api/pets/7',
        '/pets/7',
        '/api/v1',
        '/api/v1/',
        '/api/v1/pet/7',
      ]) {
        expect(answer(routes, 'GET', path)).toBeUndefined()
      }
    })

    it('tries a wildcard last, after the params beside it', () => {
      const routes = ['GET /a/*', 'GET /a/:y/c', 'GET /:x/b']
      expect(answer(routes, 'GET', '/a/b')).toBe('GET /a/*')
      expect(answer(routes, 'GET', '/a/b/c')).toBe('GET /a/:y/c')
      expect(answer(routes, 'GET', '/a/b/d')).toBe('GET /a/*')
    })
  })

  describe('methods', () => {
    it('prefers the exact method to * at the same pattern', () => {
      const routes = ['* /a', 'GET /a', '* /:x', 'GET /:x']
      expect(answer(routes, 'GET', '/a')).toBe('GET /a')
      expect(answer(routes, 'PUT', '/a')).toBe('* /a')
      expect(answer(routes, 'GET', '/b')).toBe('GET /:x')
      expect(answer(routes, 'PUT', '/b')).toBe('* /:x')
    })

    it('prefers the more specific pattern to the exact method', () => {
      expect(answer(['* /a', 'GET /:x'], 'GET', '/a')).toBe('* /a')
      expect(answer(['* /a/:x', 'GET /:y/b'], 'GET', '/a/b')).toBe('* /a/:x')
    })

    it('does not let a pattern without the method hide a less specific one that has it', () => {
      const routes = ['POST /a/b', 'PUT /a/:y', 'PATCH /:x/b', 'GET /:x/:y', 'DELETE *']
      expect(answer(routes, 'POST', '/a/b')).toBe('POST /a/b')
      expect(answer(routes, 'PUT', '/a/b')).toBe('PUT /a/:y')
      expect(answer(routes, 'PATCH', '/a/b')).toBe('PATCH /:x/b')
      expect(answer(routes, 'GET', '/a/b')).toBe('GET /:x/:y')
      expect(answer(routes, 'DELETE', '/a/b')).toBe('DELETE *')
      expect(answer(routes, 'OPTIONS', '/a/b')).toBeUndefined()
    })

    it('answers HEAD by HEAD, else GET, else *, at the same pattern', () => {
      const all = ['* /a', 'POST /a', 'GET /a', 'HEAD /a']
      expect(answer(all, 'HEAD', '/a')).toBe('HEAD /a')
      expect(answer(all.slice(0, 3), 'HEAD', '/a')).toBe('GET /a')
      expect(answer(all.slice(0, 2), 'HEAD', '/a')).toBe('* /a')
      expect(answer(all.slice(1, 2), 'HEAD', '/a')).toBeUndefined()
      expect(answer(['GET /a', 'HEAD /:x'], 'HEAD', '/a')).toBe('GET /a')
      expect(answer(['HEAD /a'], 'GET', '/a')).toBeUndefined()
    })

    it('compares methods as they are', () => {
      expect(answer(['GET /a', 'GET /:x'], 'get', '/a')).toBeUndefined()
    })

    it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
      'takes %j for no method of ours',
      (method) => {
        const index = indexOf('GET /a', 'POST /:x', 'GET *')
        for (const path of ['/a', '/b', '*', `/${method}`]) expect(index.match(method, path)).toBeUndefined()
      },
    )

    it('keeps methods that no prototype may shadow', () => {
      const routes = ['CONSTRUCTOR /a', '__PROTO__ /a', 'toString /a']
      for (const text of routes) expect(answer(routes, text.split(' ')[0] as string, '/a')).toBe(text)
    })

    it('lists the methods that are taken, sorted, without *, HEAD with GET', () => {
      expect(indexOf('PUT /a', '* /a', 'GET /a', 'PUT /b').methods).toEqual(['GET', 'HEAD', 'PUT'])
    })
  })

  describe('the asterisk-form of a target', () => {
    it('is matched by * alone', () => {
      expect(answer(['OPTIONS *', 'GET *'], 'OPTIONS', '*')).toBe('OPTIONS *')
      expect(answer(['* *'], 'OPTIONS', '*')).toBe('* *')
      expect(answer(['GET *'], 'OPTIONS', '*')).toBeUndefined()
      expect(answer(['* /*', '* /:x', 'OPTIONS /*'], 'OPTIONS', '*')).toBeUndefined()
      expect(answer(['* *', 'OPTIONS /*'], 'OPTIONS', '*')).toBe('* *')
    })

    it('leaves the patterns * and /* beside one another for different methods', () => {
      const index = indexOf('GET *', 'POST /*')
      expect(index.match('GET', '/a')?.values).toEqual(['/a'])
      expect(index.match('POST', '/a')?.values).toEqual(['a'])
    })
  })

  describe('conflicts', () => {
    it.each([
      ['GET /users/:id', 'GET /users/:name'],
      ['GET /users', 'GET /users'],
      ['* /:a/:b/c', '* /:b/:a/c'],
      ['PUT /files/*', 'PUT /files/*path'],
      ['GET *', 'GET /*'],
      ['GET /*all', 'GET *'],
    ])('%s and %s are refused, both named', (first, second) => {
      const routes = routesOf([first, 'POST /other', second])
      let thrown: unknown
      try {
        createRouteIndex(routes)
      } catch (error) {
        thrown = error
      }
      expect(isRouteControllersError(thrown)).toBe(true)
      expect(thrown).toMatchObject({
        code: 'ERR_ROUTE_CONFLICT',
        message: expect.stringMatching(/keep one/),
      })
      expect((thrown as Error).message).toContain(`'${first}' and '${second}'`)
    })

    it('leaves alone what differs in method, case, slash or kind', () => {
      const routes = [
        'GET /a',
        '* /a',
        'POST /a',
        'GET /A',
        'GET /a/',
        'GET /:a',
        'GET /*',
        'GET /%61',
        'HEAD /a',
      ]
      expect(() => indexOf(...routes)).not.toThrow()
    })
  })

  it('refuses a path in the grammar of another router, and says who reads it', () => {
    const pattern = parsePattern(createForeignPath('/users{/:id}', {}))
    expect(() => createRouteIndex([{ method: 'GET', pattern, target: 'x' }])).toThrow(
      refusal('ERR_PATTERN_INVALID', "'/users{/:id}'", "profile: 'express5'"),
    )
  })

  describe('works little:', () => {
    const costOf = (path: string, ...sources: string[]): number => {
      const index = indexOf(...sources.map((source) => `GET ${source}`))
      return stringWorkOf(() => index.match('GET', path)).cost
    }

    it('one look for a pattern that is static throughout, however deep', () => {
      const cost = (source: string) => costOf(source, source, '/a/:x')
      expect(cost('/a/b/c/d/e/f')).toBe(cost('/a'))
    })

    it('one comparison for segments at which nothing is to be chosen, however many', () => {
      const cost = (source: string) => costOf(`${source}/1`, `${source}/:x`)
      expect(cost('/a/b/c/d')).toBe(cost('/abcdefg'))
    })
  })

  it('is frozen', () => {
    const index = indexOf('GET /a')
    expect(Object.isFrozen(index)).toBe(true)
    expect(Object.isFrozen(index.methods)).toBe(true)
  })

  it('does not mind that its list of routes changes later', () => {
    const routes = routesOf(['GET /a', 'GET /:x'])
    const index = createRouteIndex(routes)
    routes.length = 0
    expect(index.match('GET', '/a')?.route.target).toBe('GET /a')
    expect(index.match('GET', '/b')?.route.target).toBe('GET /:x')
  })

  it('keeps matches apart from one another', () => {
    const index = indexOf('GET /:x')
    const first = index.match('GET', '/1')
    const second = index.match('GET', '/2')
    expect([first?.values, second?.values]).toEqual([['1'], ['2']])
  })
})

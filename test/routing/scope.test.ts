import { matchScope, parseScope } from '../../src/routing/scope.js'

describe('matchScope', () => {
  it.each<[scope: string, path: string, taken: number]>([
    ['/', '/', 0],
    ['/', '/anything', 0],
    ['/', '', 0],
    ['/admin', '/admin', 6],
    ['/admin', '/admin/', 6],
    ['/admin', '/admin/x/y', 6],
    ['/admin', '/admin-public', -1],
    ['/admin', '/admi', -1],
    ['/admin', '/ADMIN', -1],
    ['/admin', '//admin', -1],
    ['/admin', '/x/admin', -1],
    ['/admin', 'admin', -1],
    ['/admin', 'xadmin', -1],
    ['/admin', '*', -1],
    ['/admin', '', -1],
    ['/admin/', '/admin', 6],
    ['/admin/', '/admin/x', 6],
    ['/a/b', '/a/b/c', 4],
    ['/a/b', '/a', -1],
    ['/a/b', '/a/', -1],
    ['/a/b', '/a//b', -1],
    ['/:id', '/7', 2],
    ['/:id', '/7/x', 2],
    ['/:id', '/', -1],
    ['/:id', '//x', -1],
    ['/a/:id/b', '/a/77/b/c', 7],
    ['/a/:id/b', '/a//b', -1],
    ['/a/:id', '/a', -1],
    ['/:id', '*x', -1],
  ])('%s takes so much of %s: %d', (scope, path, taken) => {
    expect(matchScope(parseScope(scope), path)).toBe(taken)
  })
})

describe('parseScope', () => {
  it('keeps what was written', () => {
    expect(parseScope('/admin/')).toEqual({
      source: '/admin/',
      segments: [{ kind: 'static', text: 'admin' }],
    })
  })

  it.each([
    ['/admin/*', 'write "/admin" instead of "/admin/*"'],
    ['/admin/*rest', 'write "/admin" instead of "/admin/*rest"'],
    ['/*', 'write "/" instead of "/*"'],
    ['*', 'write "/" instead of "*"'],
    ['admin', "starts with '/'"],
  ])('refuses %s and says what to write', (path, advice) => {
    expect(() => parseScope(path)).toThrow(
      expect.objectContaining({ code: 'ERR_PATTERN_INVALID', message: expect.stringContaining(advice) }),
    )
  })
})

import { isPlainPath, joinPaths, mayMeet, passesMount } from '../../../packages/cli/src/move/group-paths.js'

it.each(['/', '/a', '/a/:id', '/.well-known/x.y', '/a-b/~c'])(
  '%s is a path of plain segments and names',
  (path) => {
    expect(isPlainPath(path)).toBe(true)
  },
)

it.each(['', 'a', '/a/', '/a//b', '/*', '/{:a/}b', '/:id.json', '/a?', '/../a', '/a b', undefined])(
  '%s is none',
  (path) => {
    expect(isPlainPath(path)).toBe(false)
  },
)

it.each([
  ['/a/b', '/', 'all'],
  ['/a/b', '/a', 'all'],
  ['/a/:id', '/:x/:y', 'all'],
  ['/a', '/a/b', 'none'],
  ['/a/b', '/c', 'none'],
  ['/:id', '/admin', 'some'],
  ['/Admin', '/admin', 'some'],
  ['/a/b', '/{*rest}', 'some'],
  ['/a', undefined, 'some'],
] as const)('Of the requests of %s, those that pass what is mounted at %s are: %s', (path, mount, which) => {
  expect(passesMount(path, mount)).toBe(which)
})

it.each([
  ['/a/:id', '/a/b', true],
  ['/A/b', '/a/B', true],
  ['/a/b', '/a', false],
  ['/a', '/b', false],
  ['/:x/c', '/a/b', false],
  ['*', '/a/b/c', true],
  ['/a', '/a/*', true],
  ['/^\\/a/', '/b', true],
  ['/a, /b', '/b', true],
] as const)('%s and %s may meet: %s', (one, other, meet) => {
  expect([mayMeet(one, other), mayMeet(other, one)]).toEqual([meet, meet])
})

it('joins what is known', () => {
  expect([
    joinPaths('/a', '/b'),
    joinPaths('/a', '/'),
    joinPaths('', '/'),
    joinPaths('/a', undefined),
  ]).toEqual(['/a/b', '/a', '', undefined])
})

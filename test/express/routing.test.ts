import { describeRoutes, tell } from './support/routes.js'

const users = [
  ['GET', '/Users/:id', tell('user')],
  ['GET', '/t/', tell('slash')],
  ['GET', '/str', tell('static')],
  ['GET', '/two//', tell('two slashes')],
  ['GET', '/a b', tell('space')],
  ['GET', '/', tell('root')],
] as const

describeRoutes('case and trailing slashes', users, [
  '/users/7',
  '/USERS/7/',
  '/users/',
  '/users/7//',
  '/str',
  '/STR/',
  '/str//',
  '//str',
  '/t',
  '/t/',
  '/t//',
  '/two',
  '/two/',
  '/two//',
  '/two///',
  '/',
  '//',
])
describeRoutes(
  'with strict and case sensitive routing',
  users,
  ['/users/7', '/Users/7', '/Users/7/', '/t', '/t/', '/str/'],
  {
    settings: { 'strict routing': true, 'case sensitive routing': true },
  },
)
describeRoutes('literals are matched as they are sent', users, [
  '/%73tr',
  '/a%20b',
  '/str?x=/users/7',
  '/str%2F',
])
describeRoutes('dots stay where they are', users, ['/./str', '/x/../str', '/users/..', '/users/%2e%2e'], {
  web: false,
})
describeRoutes('a target in absolute form', users, ['http://elsewhere/users/7?a=1'], { web: false })
describeRoutes(
  'the order of registration',
  [
    ['GET', '/a/:x', tell('first')],
    ['GET', '/a/b', tell('second')],
    ['POST', '/a/b', tell('posted')],
    ['all', '/a/:y', tell('all')],
  ],
  ['/a/b', 'POST /a/b', 'PUT /a/b', 'DELETE /a', 'BREW /a/b'],
  // A web Request cannot have the method.
  { web: false },
)
describeRoutes(
  'a wrong method is 404',
  [['GET', '/a', tell('a')]],
  ['POST /a', 'PUT /a/b', 'DELETE /a?x=<b>'],
)

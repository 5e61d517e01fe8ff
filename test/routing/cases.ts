/** What each pattern makes of some paths: the decoded params, or null where it does not match. */
export const cases: readonly {
  pattern: string
  paths: Readonly<Record<string, Readonly<Record<string, string>> | null>>
}[] = [
  {
    pattern: '/',
    paths: { '/': {}, '//': null, '/a': null, '': null, '*': null },
  },
  {
    pattern: '/test',
    paths: {
      '/test': {},
      '/test/': null,
      '/TEST': null,
      '/tes': null,
      '/tests': null,
      '//test': null,
      '/./test': null,
      '/x/../test': null,
      '/%74est': null,
      '/test;v=1': null,
      '\\test': null,
      '/test\\': null,
      test: null,
    },
  },
  {
    pattern: '/test/',
    paths: { '/test/': {}, '/test': null, '/test//': null, '/test/x': null },
  },
  {
    pattern: '/a//b',
    paths: { '/a//b': {}, '/a/b': null, '/a///b': null, '/a/x/b': null },
  },
  {
    pattern: '//',
    paths: { '//': {}, '/': null, '///': null },
  },
  {
    pattern: '/caf%C3%A9/%20',
    paths: { '/caf%C3%A9/%20': {}, '/caf%c3%a9/%20': null, '/café/ ': null },
  },
  {
    pattern: "/-._~!$&',;=@/v1.0",
    paths: { "/-._~!$&',;=@/v1.0": {} },
  },
  {
    pattern: '/users/:userId',
    paths: {
      '/users/7': { userId: '7' },
      '/users/a%20b': { userId: 'a b' },
      '/users/a%2Fb': { userId: 'a/b' },
      '/users/%2525': { userId: '%25' },
      '/users/a+b': { userId: 'a+b' },
      '/users/..': { userId: '..' },
      '/users/;': { userId: ';' },
      '/users/caf%C3%A9': { userId: 'café' },
      '/users/:userId': { userId: ':userId' },
      '/users/*': { userId: '*' },
      '/users/': null,
      '/users': null,
      '/users//': null,
      '/users/7/': null,
      '/users//7': null,
      '/Users/7': null,
      '/users%2F7': null,
    },
  },
  {
    pattern: '/:id',
    paths: {
      '/constructor': { id: 'constructor' },
      '/__proto__': { id: '__proto__' },
      '/': null,
      '/a/': null,
    },
  },
  {
    pattern: '/:id/',
    paths: { '/a/': { id: 'a' }, '/a': null, '//': null },
  },
  {
    pattern: '/:a/:b/:c',
    paths: { '/1/2/3': { a: '1', b: '2', c: '3' }, '/1//3': null, '/1/2': null, '/1/2/3/4': null },
  },
  {
    pattern: '/shops/:shop/orders/:order/lines',
    paths: {
      '/shops/s/orders/o/lines': { shop: 's', order: 'o' },
      '/shops/s/orders/o/line': null,
      '/shops/s/order/o/lines': null,
      '/shops//orders/o/lines': null,
    },
  },
  {
    pattern: '/files/*',
    paths: {
      '/files/': { '*': '' },
      '/files/a': { '*': 'a' },
      '/files/a/b.txt': { '*': 'a/b.txt' },
      '/files//': { '*': '/' },
      '/files/a//b/': { '*': 'a//b/' },
      '/files/%2e%2e/x': { '*': '../x' },
      '/files': null,
      '/filesystem': null,
    },
  },
  {
    pattern: '/files/*path',
    paths: { '/files/': { path: '' }, '/files/a/b': { path: 'a/b' }, '/files': null },
  },
  {
    pattern: '/:user/files/*path',
    paths: { '/u/files/a/b': { user: 'u', path: 'a/b' }, '//files/a': null, '/u/files': null },
  },
  {
    pattern: '/*',
    paths: { '/': { '*': '' }, '/a/b': { '*': 'a/b' }, '//': { '*': '/' }, '*': null, a: null, '': null },
  },
  {
    // Alone it stands for the whole path, its slash included, so that the asterisk-form has its place too.
    pattern: '*',
    paths: { '/': { '*': '/' }, '/a/b': { '*': '/a/b' }, '*': { '*': '*' }, a: null, '': null, '**': null },
  },
]

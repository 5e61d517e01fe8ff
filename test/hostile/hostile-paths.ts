/** From 0 to just below 1; a seed decides. */
type Random = () => number

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

const segments = [
  'admin',
  'Admin',
  'ADMIN',
  '%61dmin',
  'adm%69n',
  'admin%2f',
  'admin%2Fsecret',
  'admin%00',
  'admin;x=1',
  'admin.',
  'admin..',
  'admin.json',
  'admin+',
  'admin~',
  'admin%20',
  'admin%09',
  'admin\\secret',
  'admin-public',
  'administrator',
  'xadmin',
  'secret',
  'SECRET',
  'secre%74',
  'private',
  'a',
  'A',
  'b',
  'c',
  '%61',
  '%62',
  'api',
  'API',
  '%61pi',
  'v1',
  'go?to=',
  '.',
  '..',
  '...',
  '%2e',
  '%2e%2e',
  '.%2E',
  '%2e.',
  '..;',
  '',
  '*',
  ':id',
  ':tenant',
  '%',
  '%zz',
  '%c0%af',
  '%E0%A4%A',
  '%25',
  '%2561dmin',
  '7',
  '__proto__',
  'constructor',
  'x'.repeat(300),
] as const

const joints = [
  '/',
  '/',
  '/',
  '/',
  '/',
  '/',
  '//',
  '///',
  '/./',
  '/../',
  '\\',
  '/\\',
  '%2f',
  '%5c',
  ';/',
  '?',
  '#',
  '/?',
  '/#',
] as const

/** What may stand before the path in a request line. */
const beginnings = [
  'http://test',
  'http://test:80',
  'HTTP://TEST',
  'https://test',
  'http://user@test',
  'http://te\\st',
  'http://test\\',
  'http://[::1]',
  'http://',
  'http:/',
  'http:',
  'x://test',
  '//test',
  '//admin',
  '/\\test',
  '*',
  'admin',
  '.',
  '?',
  '\\',
] as const

const known = [
  '/admin',
  '/admin/',
  '/admin/secret',
  '/admin/secret/7',
  '/admin/7',
  '/admin/x/y',
  '/admin-public',
  '/a/b',
  '/a/b/c',
  '/t/private',
  '/t/private/x/y',
  '/x',
  '/x/secret',
] as const

/** The bytes that Node's parser lets through in a target: tabs, form feeds and what is not ASCII are 400 before us. */
const singles = Array.from({ length: 0x7f - 0x21 }, (_, code) => String.fromCharCode(0x21 + code))

/** A target that somebody might send to be taken for another one, or for none that is guarded. */
export function hostileTarget(random: Random, mount: string): string {
  let path: string
  if (random() < 0.5) {
    path = pick(random, known)
    for (let edits = Math.floor(random() * 3); edits > 0; edits--) path = edit(random, path)
  } else {
    path = ''
    for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
      path += (random() < 0.75 ? '/' : pick(random, joints)) + pick(random, segments)
    }
  }
  if (mount !== '' && random() < 0.95) path = (random() < 0.9 ? mount : edit(random, mount)) + path
  if (random() < 0.06) path = pick(random, ['/v1', '/go?to=', '/v1/v1', '/V1']) + path
  if (random() < 0.1) path = pick(random, beginnings) + path
  if (random() < 0.1)
    path += pick(random, ['?', '?x=1', '/?', '?/../admin', '#', '#/admin', '/', '//', '/.', '/..', ';'])
  return path === '' ? '/' : path
}

function edit(random: Random, path: string): string {
  const at = Math.floor(random() * (path.length + 1))
  const choice = random()
  if (choice < 0.25) return path.slice(0, at) + pick(random, singles) + path.slice(at)
  if (choice < 0.4) return path.slice(0, at) + pick(random, joints) + path.slice(at)
  if (choice < 0.55) return path.slice(0, at) + encode(path[at]) + path.slice(at + 1)
  if (choice < 0.7) return path.slice(0, at) + flipCase(path[at]) + path.slice(at + 1)
  if (choice < 0.85) return path.slice(0, at) + path.slice(at + 1)
  return `${path}/${pick(random, segments)}`
}

function encode(character = ''): string {
  return character === '' ? '' : `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function flipCase(character = ''): string {
  return character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
}

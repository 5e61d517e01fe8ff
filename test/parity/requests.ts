import type { ExpressPath } from 'routecontrollers/express'
import type { Random } from './random.js'

export interface SentRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const values = [
  '7',
  '42',
  'x',
  'B',
  'a%20b',
  'a+b',
  '%2F',
  '%',
  '%E9',
  '%25',
  '..',
  '.',
  'a.json',
  'x-y',
  'é',
  '',
  '%61',
  '~',
  "'",
  '1/2',
  'b/c',
]
const queries = [
  '',
  '',
  '',
  '?',
  '?a=1',
  '?a=1&a=2',
  '?a[b]=1',
  '?a[]=1',
  '?%E9',
  '?a=%',
  '?a',
  '?__proto__[x]=1',
  '?a=/b//c',
  '?a=b+c',
]
const bodies: readonly (readonly [string, string])[] = [
  ['application/json', '{"a":1}'],
  ['application/json', '{"a":'],
  ['application/json', '"text"'],
  ['application/x-www-form-urlencoded', 'a=1&b=2'],
  ['text/plain', 'text'],
]

/** Where requests may lead: the paths of routes, and those of hooks. */
interface Targets {
  readonly routes: readonly { readonly path: ExpressPath }[]
  readonly hooks: readonly { readonly path: string | undefined }[]
}

/** Makes a request that has a good chance to meet a route of the table, and one to miss it narrowly. */
export function makeRequest(random: Random, { routes, hooks }: Targets): SentRequest {
  const mount = random.pick(hooks)?.path
  const path = mount !== undefined && random.chance(0.2) ? mount : random.pick(routes).path
  const method = random.pick([
    'GET',
    'GET',
    'GET',
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'OPTIONS',
    'DELETE',
    'PATCH',
  ])
  const headers: (readonly [string, string])[] = []
  if (random.chance(0.1))
    headers.push(['If-None-Match', random.pick(['*', 'W/"2-vyGp6PvFo4RvsFtPoIWeCReyIC8"', '"x"'])])
  if (random.chance(0.05)) headers.push(['If-Modified-Since', 'Wed, 21 Oct 2099 07:28:00 GMT'])
  if (random.chance(0.05)) headers.push(['Cache-Control', 'no-cache'])
  if (random.chance(0.2))
    headers.push(['Accept', random.pick(['application/json', 'text/html', '*/*', 'image/png'])])
  if (random.chance(0.05)) headers.push(['X-Forwarded-For', '203.0.113.7'], ['X-Forwarded-Proto', 'https'])
  if (random.chance(0.05)) headers.push(['X-Requested-With', 'XMLHttpRequest'])
  let body = ''
  if ((method === 'POST' || method === 'PUT') && random.chance(0.6)) {
    const [type, text] = random.pick(bodies)
    headers.push(['Content-Type', type], ['Content-Length', String(Buffer.byteLength(text))])
    body = text
  }
  return { method, target: mutate(random, pathFor(random, path)) + random.pick(queries), headers, body }
}

function pathFor(random: Random, path: ExpressPath): string {
  if (Array.isArray(path)) return pathFor(random, random.pick(path as readonly ExpressPath[]))
  if (path instanceof RegExp)
    return random.pick(['/re12', '/re12/x', '/RE7/', '/a/b', '/b/7/', '/tx', '/ta/', '/x/a'])
  const filled = (path as string)
    .replace(/\\(.)/g, '$1')
    .replace(/[{}]/g, '')
    .replace(/[:*](?:"[^"]*"|\w+)(?:\([^)]*\))?[?+*]?|\*/g, () => random.pick(values))
    .replace(/[?+|()]/g, () => random.pick(['', '', 'b', '/']))
  return filled.startsWith('/') ? filled : `/${filled}`
}

function mutate(random: Random, path: string): string {
  let mutated = path.replaceAll(' ', () => random.pick(['%20', '+']))
  while (random.chance(0.35)) {
    const at = 1 + random.below(mutated.length)
    const before = mutated.slice(0, at)
    const after = mutated.slice(at)
    mutated = random.pick([
      () => `${mutated}/`,
      () => `${before}/${after}`,
      () => mutated.toUpperCase(),
      () => mutated.toLowerCase(),
      () => (after === '' ? mutated : `${before}%${after.charCodeAt(0).toString(16)}${after.slice(1)}`),
      () => `${before}.${after}`,
      () => mutated.replace('/', random.pick(['//', '/./', '/../', '/x/'])),
      () => `${mutated}/${random.pick(values)}`,
      () => mutated.slice(0, at),
    ])()
  }
  return mutated.startsWith('/') ? mutated : `/${mutated}`
}

import type { ExpressPath } from 'routecontrollers/express'
import type { Random } from './random.js'

export type Version = 4 | 5

/** What a handler does when it is called. */
export type Act =
  | 'json'
  | 'send'
  | 'buffer'
  | 'end'
  | 'sendStatus'
  | 'redirect'
  | 'cookie'
  | 'body'
  | 'null'
  | 'next'
  | 'next after a header'
  | 'next route'
  | 'next router'
  | 'next error'
  | 'next twice'
  | 'next later'
  | 'throw'
  | 'throw a status'
  | 'throw a string'
  | 'reject'
  | 'handle error'
  | 'pass error'
  | 'forgive error'
  | 'rewrite'

interface Route {
  readonly method: string
  readonly path: ExpressPath
  readonly acts: readonly Act[]
}

interface Hook {
  readonly path: string | undefined
  readonly act: Act
}

export interface Table {
  readonly version: Version
  readonly settings: Record<string, unknown>
  readonly strict: boolean
  readonly caseSensitive: boolean
  readonly parsesJson: boolean
  readonly hooks: readonly Hook[]
  readonly routes: readonly Route[]
  readonly errorHooks: readonly Hook[]
  readonly params: readonly string[]
}

const shared: readonly ExpressPath[] = [
  '/',
  '/a',
  '/A/b',
  '/a/:id',
  '/a/:id/b',
  '/:id',
  '/:x/:y',
  '/:x-:y',
  '/a/b/c',
  '/t/',
  '/t/:id/',
  '/x.y',
  '/a b',
  '/a%20b',
  '/%61',
  '/a//b',
  '/é',
  '/:id.json',
  '/a/v:major.:minor',
  '/a$b',
  "/it's",
  '',
  'a',
  /^\/re(\d+)$/,
  /^\/re(?<digits>\d+)\/(\w+)?$/i,
  /a/,
  /^\/(?:a|b)\/([^/]+)\/?$/,
  ['/a', '/b/:id'],
  ['/t', '/T/:x', /^\/t(\w)$/],
]

const grammar: Record<Version, readonly ExpressPath[]> = {
  4: [
    '*',
    '/*',
    '/a/*',
    '/a/*/b',
    '/a/:id?',
    '/:id(\\d+)',
    '/a/:id(\\d+)?/b',
    '/ab?cd',
    '/ab+cd',
    '/ab*cd',
    '/a(bc)?d',
    '/a/:rest*',
    '/a/:rest+',
    '/:x.:ext?',
    '/x/?y',
    '/a|/b',
    '/(a|b)',
    '/b/(.*)',
    ['/b/*', '/a/:id?'],
  ],
  5: [
    '/*all',
    '/{*all}',
    '/a/*rest',
    '/a/*rest/b',
    '/a{/:id}',
    '/a{/:x}/b',
    '{/:x}',
    '/b{.:ext}',
    '/ab*cd',
    '/:"a b"',
    '/a\\:b',
    '/a{/b}{/c}',
    ['/b/*rest', '/a{/:id}'],
  ],
}

const methods = ['GET', 'GET', 'GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', '*'] as const
const answers = [
  'json',
  'json',
  'json',
  'json',
  'send',
  'buffer',
  'end',
  'sendStatus',
  'redirect',
  'cookie',
  'body',
  'null',
] as const
const passes = [
  'next',
  'next after a header',
  'next route',
  'next router',
  'next error',
  'next later',
] as const
const failures = ['throw', 'throw a status', 'throw a string', 'reject'] as const
const errorActs = ['handle error', 'pass error', 'forgive error'] as const
const mounts: Record<Version, readonly string[]> = {
  4: ['/', '/a', '/A', '/a/', '/a/:id', '/t', '/*', '/ab?', '/:id?'],
  5: ['/', '/a', '/A', '/a/', '/a/:id', '/t', '/*all', '/{:id}', '/a{/b}'],
}

/** Makes a table of routes, with the hooks before and behind them. */
export function makeTable(random: Random, version: Version): Table {
  const path = (): ExpressPath => random.pick(random.chance(0.4) ? grammar[version] : shared)
  // Express 4 leaves a request hanging whose handler rejects: an explained difference.
  const failure = (): Act => random.pick(version === 4 ? failures.slice(0, 3) : failures)
  const act = (): Act => {
    const kind = random.next()
    if (kind < 0.62) return random.pick(answers)
    if (kind < 0.85) return random.pick(passes)
    return kind < 0.95 ? failure() : random.pick(errorActs)
  }
  const hookPath = (): string | undefined => (random.chance(0.5) ? random.pick(mounts[version]) : undefined)
  return {
    version,
    settings: {
      env: random.pick(['production', 'development']),
      ...(random.chance(0.1) && { 'json spaces': 2 }),
      ...(random.chance(0.1) && { 'json escape': true }),
      ...(random.chance(0.2) && { etag: random.pick([false, 'strong']) }),
      ...(random.chance(0.2) && { 'query parser': random.pick(['simple', 'extended', false]) }),
      ...(random.chance(0.1) && { 'x-powered-by': false }),
      ...(random.chance(0.1) && { 'trust proxy': true }),
    },
    strict: random.chance(0.2),
    caseSensitive: random.chance(0.2),
    parsesJson: random.chance(0.3),
    hooks: random.chance(0.5)
      ? random.some(1, 3, () => ({
          path: hookPath(),
          act: random.pick([
            'next',
            'next',
            'next',
            'next after a header',
            'next later',
            'next error',
            'throw a status',
            'json',
            'rewrite',
          ] as const),
        }))
      : [],
    routes: random.some(1, 8, () => ({
      method: random.pick(methods),
      path: path(),
      acts: random.some(1, 3, act),
    })),
    errorHooks: random.chance(0.4) ? [{ path: undefined, act: random.pick(errorActs) }] : [],
    params: random.chance(0.2) ? [random.pick(['id', 'x', '0', 'rest'])] : [],
  }
}

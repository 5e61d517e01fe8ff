import type { IncomingMessage, ServerResponse } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import type { Router } from '../../src/express/model/router.js'
import { View } from '../../src/express/model/view.js'
import { times } from '../support/counts.js'

type Signal = 'route' | 'router' | Error | undefined
type Next = (signal?: Signal) => void

const texts = [
  'a',
  'b',
  'A',
  'a.b',
  'a-b',
  '%61',
  'k',
  '\u212a',
  "a'b",
  'a b',
  'ab',
  '',
  ':x',
  ':y',
  'a:x',
  ':x.:y',
]
const special: Record<4 | 5, string[]> = {
  4: ['*', ':x?', ':x*', ':x+', ':x(\\d+)', 'a?', 'ab+', '?b', '(a|b)', 'a|b', 'a*', '+', '[ab]', '{2}'],
  5: ['*rest', '{a}', '{:x}', 'a{b}', '{*rest}', ':"x y"', '\\:a', 'a\\.b'],
}

const pathOf = (version: 4 | 5): fc.Arbitrary<string | RegExp | (string | RegExp)[]> => {
  const one = fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .array(fc.constantFrom(...texts, ...texts, ...special[version]), { maxLength: 3 })
        .map((segments) => `/${segments.join('/')}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<string | RegExp>(/^\/a/, /b$/i, '/*'.slice(0, version === 4 ? 2 : 1)),
    },
  )
  return fc.oneof(
    { weight: 5, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
  )
}

const url = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      'B',
      'a.b',
      '7',
      '%61',
      '%',
      'k',
      '\u212a',
      'a b',
      'ab',
      'abb',
      'aa',
      '',
      '?q=/b',
      '.b',
    ),
    {
      maxLength: 5,
    },
  )
  .map((segments) => `/${segments.join('/')}`)

interface Part {
  kind: 'use' | 'route' | 'router' | 'param' | 'errors'
  path: string | RegExp | (string | RegExp)[] | undefined
  deed: { signal: Signal; url: string | undefined; method: string | undefined }
  parts: Part[]
  options: { strict: boolean; caseSensitive: boolean; mergeParams: boolean }
}

function partsOf(version: 4 | 5, depth: number): fc.Arbitrary<Part[]> {
  const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(arbitrary, { nil: undefined, freq: 1 })
  const part = fc.record({
    kind: fc.constantFrom<Part['kind']>(
      'use',
      'use',
      'route',
      'route',
      'param',
      'errors',
      ...(depth > 0 ? ['router' as const] : []),
    ),
    path: fc.option(pathOf(version), { nil: undefined, freq: 5 }),
    deed: fc.record({
      signal: fc.constantFrom<Signal>(
        ...Array<undefined>(9).fill(undefined),
        'route',
        'router',
        new Error('failed'),
      ),
      url: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: url }),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: rarely(fc.constant('POST')) },
      ),
    }),
    parts: depth > 0 ? partsOf(version, depth - 1) : fc.constant<Part[]>([]),
    options: fc.record({ strict: fc.boolean(), caseSensitive: fc.boolean(), mergeParams: fc.boolean() }),
  })
  return fc.array(part, { maxLength: 6 })
}

/** Fills a router with parts; each function notes what it is called with. False for a path that Express refuses. */
function fill(router: any, parts: readonly Part[], express: any, seen: string[]): void {
  for (const [at, { kind, path, deed, parts: inner, options }] of parts.entries()) {
    const act = (what: string, req: any, next: Next): void => {
      seen.push(`${what}${at} ${req.method} ${req.url} ${req.baseUrl} ${JSON.stringify(req.params)}`)
      if (deed.url !== undefined) req.url = deed.url
      if (deed.method !== undefined) req.method = deed.method
      next(deed.signal)
    }
    const handle = (req: any, _res: unknown, next: Next): void => act(kind, req, next)
    const handleError = (_error: unknown, req: any, _res: unknown, next: Next): void => act(kind, req, next)
    const mount = path === undefined ? [] : [path]
    try {
      if (kind === 'use') router.use(...mount, handle)
      else if (kind === 'errors') router.use(...mount, handleError)
      else if (kind === 'route') router.get(path ?? '/', handle)
      else if (kind === 'param') router.param('x', handle)
      else {
        const child = express.Router(options)
        fill(child, inner, express, seen)
        router.use(...mount, child)
      }
    } catch {
      // Express refuses some of these paths.
    }
  }
}

describe.each([
  [4, express4],
  [5, express5],
] as const)('a router of Express %i', (version, express: any) => {
  const run = (runner: Pick<Router, 'handle'>, target: string, seen: string[]): string[] => {
    seen.length = 0
    const req = { url: target, originalUrl: target, method: 'GET' } as unknown as IncomingMessage
    const res = { setHeader() {}, end() {}, send() {} } as unknown as ServerResponse
    // Express takes null, which it has of a router that was left, for nothing.
    runner.handle(req, res, (signal) => {
      const told: unknown = signal ?? undefined
      seen.push(`done ${String(told)} ${req.url}`)
    })
    return [...seen]
  }

  it('calls the same functions with the same things on the layers that a path can meet as on all of them', () => {
    fc.assert(
      fc.property(partsOf(version, 2), fc.array(url, { minLength: 5, maxLength: 10 }), (parts, urls) => {
        const seen: string[] = []
        const router = express.Router()
        fill(router, parts, express, seen)
        const view = new View(router as Router)
        for (const target of urls) {
          const expected = run(router as Router, target, seen)
          const chosen = run({ handle: (req, res, done) => view.run(req, res, done) }, target, seen)
          expect({ target, chosen }).toEqual({ target, chosen: expected })
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? times(150, 10_000)) },
    )
  }, 300_000)
})

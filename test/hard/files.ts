// Every reader of a file that others may have written or cut: a lock, a recording, stored states, a source map. Each input is what such a
// file holds, with changes. None may throw but to say what is wrong with the file, take long, or leave something on a prototype.
import { createLock, inspect } from '@routecontrollers/cli'
import express, { type Handler } from 'express'
import { isRouteControllersError } from '../../src/ground/errors.js'
import { parseLock } from '../../packages/cli/src/check/read-lock.js'
import { Sources } from '../../packages/cli/src/syntax/sources.js'
import { readRecording } from '../../packages/compare/src/recording.js'
import { readStates } from '../../packages/switch/src/states/stored-states.js'
import { below, createRandom, pick, type Random } from './random.js'
import { grouped, judge, type Row } from './row.js'

const slowMs = 50

function lock(): unknown {
  const app = express()
  const auth: Handler = (_req, _res, next) => next()
  app.use('/users', auth)
  app.get('/users/:id', auth, (_req, res) => void res.end())
  app.get('/', (_req, res) => void res.end())
  return createLock(inspect(app))
}

const exchange = {
  method: 'POST',
  target: '/users?a=1',
  session: 's1',
  at: '2026-01-01T00:00:00.000Z',
  headers: [['content-type', 'application/json']],
  body: { text: '{"a":1}' },
  answer: { status: 200, headers: [['x-a', '1']], body: { base64: 'eyJhIjoxfQ==' } },
}
const har = {
  log: {
    version: '1.2',
    creator: { name: 'x', version: '1' },
    entries: [
      {
        startedDateTime: '2026-01-01T00:00:00.000Z',
        time: 3,
        request: { method: 'GET', url: 'http://h/a', headers: [{ name: 'a', value: 'b' }] },
        response: { status: 200, headers: [], content: { text: 'x', encoding: 'base64' } },
      },
    ],
  },
}
const states = {
  states: { 'GET /users': 'canary 5%', '/api': 'shadow', '*': 'legacy' },
  history: [{ id: 'a', at: '2026-01-01T00:00:00.000Z', route: '*', to: 'native', by: 'Ada', reason: 'r' }],
}
const map = {
  version: 3,
  sources: ['app.ts', '../src/b.ts'],
  sourcesContent: ['const a = 1', null],
  sourceRoot: '/src',
  names: ['a'],
  mappings: 'AAAA,SAASA,KAAKC;AACA,IAAI;;AAEJ',
}

interface Reader {
  readonly samples: readonly unknown[]
  readonly read: (text: string) => unknown
  /** True for an error that says what is wrong with the file. */
  readonly isOwn: (error: Error) => boolean
}

const never = (): boolean => false
const readers: Readonly<Record<string, Reader>> = {
  lock: { samples: [lock()], read: (text) => parseLock(text), isOwn: isRouteControllersError },
  recording: {
    samples: [exchange, har],
    read: (text) => readRecording(`${text}\n${text}`),
    isOwn: isRouteControllersError,
  },
  states: {
    samples: [states],
    read: (text) => readStates(JSON.parse(text)),
    // The keeper of a store takes each of them for a store that cannot be read, and tells its text.
    isOwn: ({ name }) => name === 'Error' || name === 'SyntaxError',
  },
  'source map': {
    samples: [map],
    read(text) {
      const url = `data:application/json;base64,${Buffer.from(text).toString('base64')}`
      const sources = new Sources('/src', new Map([['/src/app.js', url]]))
      for (const line of [0, 1, 3]) sources.origin({ file: '/src/app.js', line, column: line * 7 })
    },
    isOwn: never,
  },
}

const odd: readonly unknown[] = [
  null,
  '',
  [],
  {},
  -1,
  1e308,
  '\0',
  '__proto__',
  'x'.repeat(5000),
  'http://[',
  'file://%zz',
  '%E0%A4',
  'AAAA;'.repeat(500),
  'gggggggggggggg',
  { __proto__: null, constructor: { prototype: { polluted: 1 } } },
  JSON.parse('{"__proto__":{"polluted":1}}'),
  [[[[[[]]]]]],
]

/** The same value with another one somewhere in it. */
function changed(random: Random, value: unknown): unknown {
  const isTree = typeof value === 'object' && value !== null
  if (!isTree || random() < 0.15) return pick(random, odd)
  const keys = Object.keys(value)
  const key = pick(random, [...keys, ...(random() < 0.1 ? ['__proto__', 'toString'] : [])])
  if (key === undefined) return pick(random, odd)
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value }
  const inner = Object.hasOwn(value, key)
    ? changed(random, (value as Record<string, unknown>)[key])
    : pick(random, odd)
  Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true })
  return copy
}

const cuts = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\n',
  '\0',
  '\ufeff',
  '1e999',
  '"__proto__":',
  '\ud800',
]

/** A text of such a file, which may be no JSON any more. */
function textOf(random: Random, samples: readonly unknown[]): string {
  let value = pick(random, samples)
  for (let left = below(random, 4); left > 0; left--) value = changed(random, value)
  let text = JSON.stringify(value) ?? 'undefined'
  if (random() < 0.3) {
    const at = below(random, text.length)
    text = text.slice(0, at) + pick(random, ['', ...cuts]) + text.slice(at + below(random, 3))
  }
  return random() < 0.05 ? text.slice(0, below(random, text.length)) : text
}

export const row: Row = {
  asked:
    '100 000 inputs for each reader of files (locks, recordings, stored states, source maps): no error but one that says what is wrong with the file, none over 50 ms',
  async run({ seed, count, tell }) {
    const findings: string[] = []
    const told: string[] = []
    for (const [name, { samples, read, isOwn }] of Object.entries(readers)) {
      const random = createRandom(seed)
      let [refused, slowest] = [0, 0]
      for (let left = count(100_000); left > 0; left--) {
        const text = textOf(random, samples)
        const began = performance.now()
        try {
          read(text)
        } catch (error) {
          refused++
          if (!isOwn(error as Error)) findings.push(`${name}: ${String(error)}: ${text.slice(0, 300)}`)
        }
        let ms = performance.now() - began
        // A collection of garbage takes the time of whoever runs; what is slow in itself is slow again.
        for (let again = 0; again < 4 && ms > slowMs; again++) ms = Math.min(ms, timeOf(read, text))
        if (ms > slowMs) findings.push(`${name}: takes ${ms.toFixed(0)} ms: ${text.slice(0, 300)}`)
        slowest = Math.max(slowest, ms)
      }
      if ('polluted' in {}) findings.push(`${name}: a prototype has changed`)
      if (refused > 0.99 * count(100_000)) findings.push(`${name}: ${refused} inputs were refused`)
      told.push(`${name} ${slowest.toFixed(1)} ms`)
      tell(
        `${name}: ${grouped(count(100_000))}, ${grouped(refused)} refused, slowest ${slowest.toFixed(1)} ms`,
      )
    }
    return judge(
      `${told.length} × ${grouped(count(100_000))}: ${findings.length} faults; slowest: ${told.join(', ')}`,
      findings,
    )
  },
}

function timeOf(read: Reader['read'], text: string): number {
  const began = performance.now()
  try {
    read(text)
  } catch {
    // It is told already.
  }
  return performance.now() - began
}

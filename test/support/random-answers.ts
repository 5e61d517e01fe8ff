// Pairs of answers as a visitor could make an app give them: hostile keys, dates, depths, codings, numbers and bytes.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { compareSteps, neverCompared } from '../../packages/compare/src/compare-answers.js'
import { Noise } from '../../packages/compare/src/noise.js'
import { maskOfRequest, secretsOf } from '../../packages/compare/src/redact.js'
import { below, pick, type Random } from '../hard/random.js'

type Answer = Parameters<typeof compareSteps>[0]

const keys = [
  'a',
  'id',
  'price',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'toJSON',
  'then',
  'length',
  'prototype',
  'password',
  'pin',
  '',
  '0',
  '\ud800',
  'x'.repeat(300),
  '$.a[*]',
]
const texts = [
  'Mon, 99 Xyz 2026 99:99:99 GMT',
  'Mon, 23 Nov 2026 04:00:00 GMT',
  '2026-99-99T99:99:99Z',
  String(Date.now()),
  new Date().toISOString(),
  '9'.repeat(400),
  'token=abc',
  '"password":"',
  '[redacted]',
  '{"otp":"1"}',
  '4111 1111 1111 1111',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x',
  'https://user:pass@host/?next=%2Fcb%3Ftoken%3Dx',
  '<input name="csrf" value="x">',
  '%',
  '%zz%2525252525',
  '\ufeff',
  '\0',
  '',
]
const numbers = [
  '0',
  '-0',
  '1e400',
  '-1e400',
  '9007199254740993',
  '9007199254740992',
  '1.0',
  '1',
  '1e-400',
  '5e-324',
]
const types = [
  'application/json',
  'Application/JSON; charset=UTF-8',
  'text/html',
  'text/plain;;;',
  '',
  ';',
  'constructor',
]
const codings = ['gzip', 'br', 'deflate', 'constructor', '__proto__', 'gzip, br', 'zstd', 'GZIP', '']
const names = [
  'etag',
  'x-a',
  'constructor',
  '__proto__',
  'set-cookie',
  'location',
  'authorization',
  'content-length',
]

function jsonText(random: Random, depth: number): string {
  const kind = random()
  if (depth <= 0 || kind < 0.3)
    return pick(random, [...numbers, 'true', 'null', JSON.stringify(pick(random, texts))])
  const members = Array.from({ length: below(random, 4) }, () => jsonText(random, depth - 1))
  if (kind < 0.55) return `[${members.join(',')}]`
  return `{${members.map((one) => `${JSON.stringify(pick(random, keys))}:${one}`).join(',')}}`
}

function bodyOf(random: Random): Buffer {
  const kind = random()
  if (kind < 0.5) return Buffer.from(`{"root":${jsonText(random, 5)}}`)
  if (kind < 0.52) return Buffer.from('['.repeat(5000) + ']'.repeat(5000))
  if (kind < 0.54) return Buffer.from(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`)
  if (kind < 0.56) return Buffer.from(`[${'0,'.repeat(20_000)}0]`)
  if (kind < 0.6) return Buffer.from(pick(random, texts).repeat(below(random, 2000)))
  if (kind < 0.7) return Buffer.from(Array.from({ length: below(random, 50) }, () => below(random, 256)))
  return Buffer.from(
    Array.from({ length: below(random, 12) }, () => pick(random, texts)).join(
      pick(random, [' ', '\n', '', '&']),
    ),
  )
}

const pack = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const

function packed(random: Random, body: Buffer, coding: string): Buffer {
  const lower = coding.toLowerCase()
  const chance = random()
  if (chance < 0.1 || !Object.hasOwn(pack, lower)) return body
  const whole = pack[lower as keyof typeof pack](body)
  // Cut, or spoilt.
  if (chance < 0.2) return whole.subarray(0, below(random, whole.length))
  if (chance < 0.3) whole[below(random, whole.length)]! ^= 255
  return whole
}

function answerOf(random: Random, body: Buffer): Answer {
  const coding = random() < 0.2 ? pick(random, codings) : ''
  const headers = new Map<string, string>([['content-type', pick(random, types)]])
  if (coding !== '') headers.set('content-encoding', coding)
  for (let at = below(random, 4); at > 0; at--) {
    const value = pick(random, texts)
    headers.set(pick(random, names), random() < 0.05 ? `a=${value}\n`.repeat(200) : value)
  }
  const status = random() < 0.9 ? 200 : pick(random, [0, 204, 404, 599])
  return {
    status,
    headers,
    body: packed(random, body, coding).toString('latin1'),
    ...(status === 0 && { failure: 'the connection was closed' }),
  }
}

/** What was found in so many comparisons. */
export interface RandomComparisons {
  readonly findings: readonly string[]
  readonly compared: number
  readonly different: number
  readonly tooLarge: number
  /** How long a step has taken at the most, in time of the processor: what else the machine does is not counted. */
  readonly longestStepMs: number
}

/** Compares so many pairs. Each finding names the number of its input. */
export function compareRandomAnswers(random: Random, count: number): RandomComparisons {
  const findings: string[] = []
  const counts = { compared: 0, different: 0, tooLarge: 0 }
  let noise = new Noise()
  let longestStepMs = 0
  const secrets = secretsOf(['iban'])
  for (let at = 0; at < count; at++) {
    if (at % 100 === 0) noise = new Noise()
    const first = bodyOf(random)
    const same = random() < 0.2
    const legacy = answerOf(random, first)
    const now = same ? { ...legacy, headers: new Map(legacy.headers) } : answerOf(random, bodyOf(random))
    const again = random() < 0.5 ? undefined : random() < 0.5 ? legacy : answerOf(random, bodyOf(random))
    const cookie = Array.from({ length: below(random, 5) }, () => `c=${pick(random, texts)}`).join('; ')
    const rules = {
      ignoredHeaders: new Set(neverCompared),
      secrets,
      mask: maskOfRequest({ headers: { cookie, authorization: pick(random, texts) } }),
      maxBytes: pick(random, [100, 256 * 1024]),
      isRecorded: random() < 0.2,
    }
    try {
      const steps = compareSteps(legacy, now, again, noise, rules)
      const next = (): ReturnType<typeof steps.next> => {
        const [began, used] = [performance.now(), process.cpuUsage()]
        const step = steps.next()
        const { user, system } = process.cpuUsage(used)
        longestStepMs = Math.max(longestStepMs, Math.min(performance.now() - began, (user + system) / 1000))
        return step
      }
      let step = next()
      while (step.done !== true) step = next()
      const result = step.value
      if (result === 'size') counts.tooLarge++
      else {
        counts.compared++
        const { differences } = result
        if (differences.length > 0) counts.different++
        if (same && differences.length > 0)
          findings.push(`${at}: equal answers differ: ${JSON.stringify(differences)}`)
        const isLong = differences.some(
          ({ name = '', legacy: was = '', now: is = '' }) =>
            [was, is].some((text) => text.length > 400) || name.length > 60 * 60,
        )
        if (differences.length > 10 || isLong) findings.push(`${at}: what is kept of it is not bounded`)
      }
    } catch (error) {
      findings.push(`${at}: ${(error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? String(error)}`)
    }
    if (Object.hasOwn(Object.prototype, 'polluted') || Object.keys(Object.prototype).length > 0)
      findings.push(`${at}: Object.prototype has got a member`)
  }
  return { findings, ...counts, longestStepMs }
}

/** A JSON body with one value changed, and the same answer besides: that must be found, whatever else is in it. */
export function plantedDifference(random: Random): { legacy: Answer; now: Answer } {
  const around = jsonText(random, 4)
  const key = JSON.stringify(
    pick(
      random,
      keys.filter((name) => name !== 'toJSON'),
    ),
  )
  const headers = new Map([['content-type', 'application/json']])
  const depth = below(random, 80)
  const [open, close] = [`{${key}:`.repeat(depth), '}'.repeat(depth)]
  const wrap = (value: string): Answer => {
    const body = Buffer.from(`{"one":${around},"two":${open}${value}${close}}`)
    return { status: 200, headers, body: body.toString('latin1') }
  }
  return { legacy: wrap('"tea"'), now: wrap('"milk"') }
}

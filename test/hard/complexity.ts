// What grows with the size of a request grows no faster: an input of twice the size takes about twice the time.
import type { IncomingMessage } from 'node:http'
import { Body } from '../../src/body/body.js'
import { parseContentType } from '../../src/body/content-type.js'
import { defaultBodyLimit, defaultLimits } from '../../src/body/limits.js'
import { parseJson } from '../../src/body/json.js'
import { parseFormData } from '../../src/body/multipart.js'
import { parseFields, parseForm } from '../../src/body/urlencoded.js'
import { errorAnswer } from '../../src/answer/error-answer.js'
import { RouteControllersError } from '../../src/ground/errors.js'
import { clientAddress, clientHost, clientScheme, compileTrust } from '../../src/request/forwarded.js'
import { announcesBody, checkHead, parseTarget } from '../../src/node/target.js'
import { ResponseBuilder } from '../../src/answer/response.js'
import { decodeParams } from '../../src/routing/params.js'
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SEGMENTS, parsePattern } from '../../src/routing/pattern.js'
import { createRouteIndex } from '../../src/routing/route-index.js'
import { matchScope, parseScope } from '../../src/routing/scope.js'
import { encodeEvents } from '../../src/answer/sse.js'
import type { Row } from './row.js'

const most = 2.5
/** Of eight times the size: what grows with its square takes 64 times as long, what is linear and leaves the caches less. */
const mostOfEightfold = 40

/** Something whose cost depends on a size: prepares an input of that size, and gives what is to be measured. */
interface Growth {
  /** The greatest size that a request may have, in characters, bytes or items. */
  limit: number
  prepare: (size: number) => () => unknown
  /** What the platform alone does with the same input: where it grows faster than its input, we may grow as fast as it. */
  prepareNative?: (size: number) => () => unknown
}

const head = 16_384
const body = defaultBodyLimit

/** One text again and again, up to a size. */
function fill(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length)).slice(0, size)
}

const trust = compileTrust(['127.0.0.0/8', '10.0.0.0/8'])
const error = new RouteControllersError('ERR_NOT_FOUND', 'Not Found', { status: 404 })
const client = { signal: new AbortController().signal }
const encoder = new TextEncoder()

function fromProxy(header: string, value: string): IncomingMessage {
  return {
    socket: { remoteAddress: '127.0.0.1' },
    headers: { [header]: value },
  } as unknown as IncomingMessage
}

function ofHeader(pattern: string, read: (value: string) => unknown): Growth {
  return {
    limit: head,
    prepare(size) {
      const value = fill(pattern, size)
      return () => read(value)
    },
  }
}

/** What refuses its input has read it all the same. */
function tolerant(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined
  }
}

function ofQuery(pattern: string, fields = Infinity): Growth {
  const query = ofHeader(pattern, (text) => parseFields(text, fields))
  return { ...query, prepareNative: ofHeader(pattern, (text) => nativeFields(text, fields)).prepare }
}

function nativeFields(text: string, most = Infinity): object {
  const fields = Object.create(null) as Record<string, string>
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > most) break
    fields[name] = value
  }
  return fields
}

function ofForm(pattern: string): Growth {
  const form = ofBody(pattern, (text) => parseForm(text, Infinity))
  return { ...form, prepareNative: ofBody(pattern, nativeFields).prepare }
}

function ofJson(pattern: string, before: string, after = ''): Growth {
  const json = ofBody(pattern, (text) => parseJson(before + text + after))
  return { ...json, prepareNative: ofBody(pattern, (text) => JSON.parse(before + text + after)).prepare }
}

function ofBody(pattern: string, read: (text: string) => unknown): Growth {
  return {
    limit: body,
    prepare(size) {
      const text = fill(pattern, size)
      return () => tolerant(() => read(text))
    },
  }
}

function ofMultipart(pattern: string, type = 'multipart/form-data; boundary=b'): Growth {
  return {
    limit: body,
    prepare(size) {
      const bytes = encoder.encode(`${fill(pattern, size)}\r\n--b--\r\n`)
      return () => parseFormData(bytes, type).catch(() => {})
    },
  }
}

const sections = (count: number, section: string): string => `/${Array(count).fill(section).join('/')}`

// Patterns among which a path has as many choices as it can have.
const maze = createRouteIndex(
  [
    '/a/a/a/a/b',
    '/a/:b/a/:c/b',
    '/:a/a/:b/a/b',
    '/:a/:b/:c/:d/b',
    '/a/a/*r',
    '/:a/a/*r',
    '/a/:a/:b/*r',
    '/:a/:b/:c/:d/c',
  ].map((source) => ({ method: 'GET', pattern: parsePattern(source), target: source })),
)

function ofPath(pattern: string): Growth {
  return ofHeader(pattern, (text) => {
    tolerant(() => {
      const match = maze.match('GET', parseTarget(`/${text}`).path)
      if (match !== undefined) decodeParams(match.route.pattern.names, match.values)
    })
  })
}

const growths: Record<string, Growth> = {
  'X-Forwarded-For, all trusted': ofHeader('10.0.0.1,', (value) =>
    clientAddress(fromProxy('x-forwarded-for', value), trust),
  ),
  'X-Forwarded-For, commas': ofHeader(',', (value) =>
    clientAddress(fromProxy('x-forwarded-for', value), trust),
  ),
  'X-Forwarded-For, spaces': ofHeader(' ', (value) =>
    clientAddress(fromProxy('x-forwarded-for', value), trust),
  ),
  'X-Forwarded-For, colons': ofHeader(':', (value) =>
    clientAddress(fromProxy('x-forwarded-for', value), trust),
  ),
  'X-Forwarded-Host': ofHeader('a, ', (value) => clientHost(fromProxy('x-forwarded-host', value), trust)),
  'X-Forwarded-Proto': ofHeader(' , ', (value) => clientScheme(fromProxy('x-forwarded-proto', value), trust)),
  'Accept, ranges': ofHeader('a/b;q=0.1, ', (value) => errorAnswer(error, value)),
  'Accept, commas': ofHeader(',', (value) => errorAnswer(error, value)),
  'Accept, spaces': ofHeader(' ', (value) => errorAnswer(error, value)),
  'Accept, semicolons': ofHeader(';', (value) => errorAnswer(error, value)),
  'Content-Type, parameters': ofHeader('a/b; c=d; e="f\\""', parseContentType),
  'Content-Type, spaces': ofHeader(' ', (value) => parseContentType(`a/b;${value}`)),
  'Content-Type, quotes': ofHeader('\\"', (value) => parseContentType(`a/b;c="${value}`)),
  'Content-Type, semicolons': ofHeader(';', (value) => parseContentType(`a/b${value}`)),
  Host: ofHeader('a.', (value) =>
    tolerant(() => checkHead({ rawHeaders: ['Host', value], httpVersionMajor: 1 } as IncomingMessage, 1e6)),
  ),
  'header fields': {
    limit: 4_000,
    prepare(size) {
      const incoming = {
        rawHeaders: Array<string>(2 * size).fill('a'),
        httpVersionMajor: 1,
      } as IncomingMessage
      return () => {
        checkHead(incoming, 1e6)
        announcesBody(incoming)
      }
    },
  },
  'query, short fields': ofQuery('a&'),
  'query, one name': ofQuery('a=1&'),
  'query, escapes': ofQuery('%41%zz+'),
  'query, ampersands': ofQuery('&'),
  'query, equals signs': ofQuery('='),
  'query, the default limit': ofQuery('a=1&', defaultLimits.maxQueryFields),
  'target, slashes': ofPath('/'),
  'target, segments': ofPath('a/'),
  'target, segments that nearly match': ofPath('a/a/a/a/x/'),
  'target, escapes': ofPath('%41'),
  'target, malformed escapes': ofPath('%E0%A4'),
  'target, a long host': ofHeader('a.', (text) => tolerant(() => parseTarget(`http://${text}/`))),
  'target, a bracket': ofHeader(':', (text) => tolerant(() => parseTarget(`http://[${text}]/`))),
  'hook path': ofHeader('a/', (text) => matchScope(longScope, `/${text}`)),
  'form, short fields': ofForm('a&'),
  'form, one name': ofForm('a=1&'),
  'form, names of their own': {
    limit: 100_000,
    prepare(size) {
      const text = manyNames(size)
      return () => parseForm(text, Infinity)
    },
    prepareNative(size) {
      const text = manyNames(size)
      return () => nativeFields(text)
    },
  },
  'form, the default limit': ofBody('a&', (text) => parseForm(text)),
  'form, escapes': ofForm('%41%zz+'),
  'JSON, numbers': ofJson('1,', '[', '1]'),
  'JSON, opened': ofJson('[', ''),
  'JSON, objects': ofJson('{"a":1},', '[', '1]'),
  'JSON, backslashes': ofJson('\\\\', '["', '"]'),
  'JSON, escaped quotes': ofJson('\\"', '["', '"]'),
  'JSON, quotes': ofJson('"', '['),
  'JSON, strings that end nowhere': ofJson('"\\\\\\', '['),
  'JSON, spaces': ofJson(' ', '['),
  'JSON, __proto__ that is none': ofJson('"__proto__",', '[', '1]'),
  'JSON, __proto__ and spaces': ofJson('"__proto__"    ', '[', '1]'),
  'JSON, escaped __proto__': ofJson('\\u005f', '["', '"]'),
  'JSON, constructors': ofJson('{"constructor":1},', '[', '1]'),
  'multipart, empty parts': ofMultipart('--b\r\n\r\n\r\n'),
  'multipart, fields': ofMultipart('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'),
  'multipart, boundaries that are none': ofMultipart('\r\n--'),
  'multipart, dashes': ofMultipart('-'),
  'multipart, line ends': ofMultipart('\r\n'),
  'multipart, one long field': {
    limit: body,
    prepare(size) {
      const bytes = encoder.encode(
        `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${fill('\r\n--', size)}\r\n--b--\r\n`,
      )
      return () => parseFormData(bytes, 'multipart/form-data; boundary=b').catch(() => {})
    },
  },
  'multipart, one long header': {
    limit: body,
    prepare(size) {
      const bytes = encoder.encode(
        `--b\r\nContent-Disposition: form-data; name="${fill('a%22', size)}"\r\n\r\nx\r\n--b--\r\n`,
      )
      return () => parseFormData(bytes, 'multipart/form-data; boundary=b').catch(() => {})
    },
  },
  text: ofBody('é', (text) =>
    new Body(
      { header: () => 'text/plain', decoded: undefined, readBytes: async () => encoder.encode(text) },
      body,
    ).parse(encoder.encode(text)),
  ),
  'pattern, characters': {
    limit: MAX_PATTERN_LENGTH,
    prepare: (size) => () => parsePattern(`/${fill('a', size - 1)}`),
  },
  'pattern, segments': {
    limit: MAX_PATTERN_SEGMENTS,
    prepare: (size) => () => parsePattern(sections(size, 'a')),
  },
  'patterns of an index, static': {
    limit: 8_000,
    prepare: (size) => () =>
      createRouteIndex(Array.from({ length: size }, (_, at) => route(`/route/number/${at}`))),
  },
  'patterns of an index, with params': {
    limit: 8_000,
    prepare: (size) => () =>
      createRouteIndex(Array.from({ length: size }, (_, at) => route(`/route/${at}/:id/x`))),
  },
  'cookie to send': ofHeader('a;é', (text) => new ResponseBuilder(client).cookie('a', text)),
  redirect: ofHeader('aé', (text) => new ResponseBuilder(client).redirect(text)),
  'event, lines': {
    limit: body,
    prepare(size) {
      const text = fill('a\r\n\r', size)
      return () => {
        const events = encodeEvents(
          (async function* () {
            yield text
          })(),
          client,
        )
        return events[Symbol.asyncIterator]().next()
      }
    },
  },
}

function manyNames(count: number): string {
  return Array.from({ length: count }, (_, at) => `n${at}=1`).join('&')
}

const longScope = parseScope(sections(MAX_PATTERN_SEGMENTS, 'a'))

function route(source: string): { method: string; pattern: ReturnType<typeof parsePattern>; target: string } {
  return { method: 'GET', pattern: parsePattern(source), target: source }
}

export const row: Row = {
  asked: 'time(2n) / time(n) ≤ 2.5 up to the limits: header lists, query, body, pattern',
  async run({ count, tell }) {
    const findings: string[] = []
    const rounds = Math.max(3, count(7))
    let worst = { ratio: 0, name: '' }
    let isSquare = false
    let [platforms, repeated] = [0, 0]
    for (const [name, growth] of Object.entries(growths)) {
      let whole = 1
      for (const size of [growth.limit / 8, growth.limit / 4, growth.limit / 2].map(Math.floor)) {
        const { ratio, native, attempts } = await double(growth, size, rounds)
        if (attempts > 1) repeated++
        // Where the platform's own part more than doubles, ours may as well.
        const own = (2 * ratio) / native
        whole *= ratio
        if (own > worst.ratio) worst = { ratio: own, name }
        const finding = `${name}: ${2 * size} takes ${ratio.toFixed(2)} times as long as ${size}`
        if (native > 2) {
          platforms++
          tell(`${finding}, the platform alone ${native.toFixed(2)} times`)
        }
        if (own > most) findings.push(finding)
      }
      if (whole > mostOfEightfold) {
        isSquare = true
        findings.push(`${name}: eight times the size takes ${whole.toFixed(0)} times as long`)
      }
    }
    tell(`worst: ${worst.name}`)
    return {
      measured: `${Object.keys(growths).length} inputs, 3 doublings each: at most ${worst.ratio.toFixed(2)} (${worst.name}); ${repeated} measured more than once, ${platforms} against the platform alone`,
      verdict: isSquare ? 'failed' : findings.length > 0 ? 'short' : 'ok',
      findings,
    }
  },
}

/**
 * How many times as long twice the size takes, at best of so many attempts; `native` is 2, or more where it is the platform
 * that takes longer.
 */
async function double(
  { prepare, prepareNative }: Growth,
  size: number,
  rounds: number,
): Promise<{ ratio: number; native: number; attempts: number }> {
  let [ratio, native, attempts] = [Infinity, Infinity, 0]
  // Another load on the machine makes one measurement larger; what grows too fast does so every time.
  while (attempts < 6 && ratio > most) {
    attempts++
    ratio = Math.min(ratio, await compare(prepare(size), prepare(2 * size), rounds))
    if (ratio <= most || prepareNative === undefined) continue
    native = Math.min(native, await compare(prepareNative(size), prepareNative(2 * size), rounds))
  }
  return { ratio, native: ratio > most && native !== Infinity ? Math.max(2, native) : 2, attempts }
}

/** How many times as long one takes as another: the shortest of some rounds of each, by turns. */
async function compare(small: () => unknown, large: () => unknown, rounds: number): Promise<number> {
  const times = await calibrate(small)
  let [one, two] = [Infinity, Infinity]
  for (let round = 0; round < rounds; round++) {
    one = Math.min(one, await measure(small, times))
    two = Math.min(two, await measure(large, times))
  }
  return two / one
}

/** How often it has to run to be measured at all. */
async function calibrate(work: () => unknown): Promise<number> {
  await measure(work, 3)
  let times = 1
  while (times < 1_000_000 && (await measure(work, times)) < 1.5) times *= 2
  return times
}

async function measure(work: () => unknown, times: number): Promise<number> {
  const began = performance.now()
  for (let left = times; left > 0; left--) {
    const result = work()
    if (result instanceof Promise) await result
  }
  return performance.now() - began
}

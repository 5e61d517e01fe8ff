// Every parser of what clients send, with a million inputs each: an answer or an error of the client, soon, and no trace.
import type { IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { Body } from '../../src/body/body.js'
import { parseContentType } from '../../src/body/content-type.js'
import { parseJson } from '../../src/body/json.js'
import { parseFormData } from '../../src/body/multipart.js'
import { parseFields, parseForm } from '../../src/body/urlencoded.js'
import { isRouteControllersError } from '../../src/ground/errors.js'
import { clientAddress, clientHost, clientScheme, compileTrust } from '../../src/request/forwarded.js'
import { isHost, parseTarget } from '../../src/node/target.js'
import { ResponseBuilder } from '../../src/answer/response.js'
import { decodeParams } from '../../src/routing/params.js'
import { parsePattern } from '../../src/routing/pattern.js'
import { createRouteIndex } from '../../src/routing/route-index.js'
import { grouped, judge, type Row, type Run } from './row.js'

const slowMs = 50

interface Parser<T> {
  inputs: fc.Arbitrary<T>
  /** Throws what the parser throws, and a plain Error where what it gives is wrong. */
  parse: (input: T) => unknown
}

/** Texts out of what means something to a parser, now and then long. */
function texts(...words: string[]): fc.Arbitrary<string> {
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.nat(255).map((code) => String.fromCharCode(code)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype', '\0', '\ufeff', '😀', '\ud800'),
    },
  )
  const short = fc.array(word, { maxLength: 12 }).map((parts) => parts.join(''))
  const long = fc.tuple(short, fc.integer({ min: 1, max: 400 })).map(([part, times]) => part.repeat(times))
  return fc.oneof({ weight: 60, arbitrary: short }, { weight: 1, arbitrary: long })
}

const encoder = new TextEncoder()
const toBytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

const index = createRouteIndex(
  ['/', '/a', '/a/:id', '/a/:id/b', '/:x/:y/:z', '/a/*rest', '/a/%41', '/*'].map((source) => ({
    method: 'GET',
    pattern: parsePattern(source),
    target: source,
  })),
)

const trust = compileTrust(['loopback', '10.0.0.0/8', 'fc00::/7'])
const peer = { remoteAddress: '127.0.0.1' }

function expectPlain(fields: object): void {
  if (Object.getPrototypeOf(fields) !== null) throw new Error('it has a prototype')
}

function parser<T>(inputs: fc.Arbitrary<T>, parse: (input: T) => unknown): Parser<unknown> {
  return { inputs, parse: parse as (input: unknown) => unknown }
}

const part = fc
  .tuple(
    texts('a', 'b', 'é', '%22', '\\"'),
    fc.constantFrom('', '', '; filename="f"', "; filename*=utf-8''f", '; filename=""', '; name="b"'),
    fc.constantFrom('', '', 'Content-Type: text/plain\r\n', 'Content-Type: ;\r\n', 'X: y\r\n', 'broken\r\n'),
    texts('x', 'y', '\r\n', '--', '--b', '\r\n--'),
  )
  .map(
    ([name, file, type, value]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n${value}\r\n`,
  )

const jsonPart = fc.constantFrom(
  '1',
  '-1.5e3',
  '"a"',
  '"\\u00e9"',
  '"\\\\\\""',
  'null',
  'true',
  '{}',
  '[]',
  '{"a":1,"a":2}',
  '{"__proto__":1}',
  '{"\\u005f_proto__":1}',
  '{"constructor":{"prototype":1}}',
  '{"constructor":1}',
  '[[[[1]]]]',
)

const parsers: Record<string, Parser<unknown>> = {
  target: parser(
    fc.tuple(
      fc.constantFrom('/', '/', '/', '/a/', '', 'http://', 'http://h'),
      texts(
        '/',
        '/',
        'a',
        'a',
        'id',
        'b',
        '%41',
        '%2f',
        '%zz',
        '%E0%A4',
        '..',
        '?',
        '\\',
        'h',
        ':',
        '@',
        '*',
        '[',
      ),
      fc.constantFrom('', '', '', '#', '?a'),
    ),
    ([start, middle, end]) => {
      const text = start + middle + end
      isHost(text)
      const { path } = parseTarget(text)
      const match = index.match('GET', path)
      if (match !== undefined) decodeParams(match.route.pattern.names, match.values)
    },
  ),
  query: parser(
    texts('&', '&', '=', '=', '+', 'a', 'b', '%41', '%', '%zz', '%C3%A9', '[', ']', ';'),
    (text) => {
      expectPlain(parseFields(text))
    },
  ),
  urlencoded: parser(
    texts('&', '&', '=', '=', '+', 'a', 'b', '%41', '%', '%zz', '%C3%A9', '[]', ';', '\r\n'),
    (text) => {
      expectPlain(parseForm(text, 100))
    },
  ),
  multipart: parser(
    fc.tuple(
      fc.array(part, { maxLength: 4 }).map((parts) => `${parts.join('')}--b--\r\n`),
      fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(200) }),
      texts('--b', '\r\n', '"', ';', '--'),
      fc.oneof(
        { weight: 9, arbitrary: fc.constant('multipart/form-data; boundary=b') },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'multipart/form-data; boundary="b"',
            'multipart/form-data',
            'multipart/form-data; boundary=',
            'multipart/form-data; boundary=b; boundary=c',
          ),
        },
      ),
    ),
    ([text, at, inserted, type]) => {
      const changed = at < 0 ? text : text.slice(0, at) + inserted + text.slice(at)
      return parseFormData(toBytes(changed), type)
    },
  ),
  'cookie to send': parser(
    fc.tuple(
      fc.oneof(fc.constantFrom('a', 'sid', '__Host-a'), texts('a', '=', ';', ' ', '\r\n', ',', '"')),
      texts('a', '=', ';', ' ', '\r\n', ',', '"', 'é'),
      fc.record(
        {
          path: fc.oneof(fc.constantFrom('/', '/a'), texts('/', 'a', ';', '\r\n')),
          domain: fc.oneof(fc.constantFrom('a.b', '.b'), texts('a', '.', ';', '\r')),
          maxAgeSeconds: fc.oneof(fc.integer(), fc.double()),
          expires: fc.date(),
          sameSite: fc.constantFrom('lax', 'strict', 'none', 'x' as never),
        },
        { requiredKeys: [] },
      ),
    ),
    ([name, value, options]) => {
      const builder = new ResponseBuilder({ signal: new AbortController().signal })
      builder.cookie(name, value, options)
      const [, line] = builder.headerList
      if (/[\r\n\0]/.test(line!)) throw new Error(`it sends ${JSON.stringify(line)}`)
    },
  ),
  forwarded: parser(
    fc.tuple(
      texts(
        ',',
        ', ',
        '1.2.3.4',
        '10.0.0.1',
        '::1',
        '::ffff:1.2.3.4',
        '[::1]:80',
        'fc00::1%eth0',
        'unknown',
        '"',
        '.',
        '0',
      ),
      texts(',', 'http', 'https', 'HTTPS', ' ', 'x'),
      texts(',', 'host', ':80', '@', ' '),
    ),
    ([address, scheme, host]) => {
      const incoming = {
        socket: peer,
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': scheme, 'x-forwarded-host': host },
      } as unknown as IncomingMessage
      clientAddress(incoming, trust)
      clientHost(incoming, trust)
      if (!/^https?$/.test(clientScheme(incoming, trust))) throw new Error('it is no scheme')
    },
  ),
  'content type': parser(
    texts('a', '/', ';', '=', '"', '\\', ' ', 'application/json', 'charset', 'text/', 'utf-8', '+json', ','),
    parseContentType,
  ),
  JSON: parser(
    fc
      .tuple(
        fc.oneof(
          fc
            .array(
              fc.oneof(
                { weight: 20, arbitrary: jsonPart },
                { weight: 1, arbitrary: fc.constantFrom('[', '{', '}', ']') },
              ),
              { maxLength: 8 },
            )
            .map((parts) => parts.join()),
          texts(
            '{',
            '}',
            '[',
            ']',
            '"',
            '"a"',
            ':',
            ',',
            '1',
            '1e9',
            '-',
            'null',
            '\\',
            '\\u005f\\u005fproto\\u005f\\u005f',
          ),
        ),
        fc.constantFrom(['[', ']'], ['{"a":[', ']}'], ['', ''], ['{', '}'], ['[', '']),
      )
      .map(([middle, [start, end]]) => start + middle + end),
    (text) => {
      const value = parseJson(text, 50) as object
      if (Object.hasOwn(value, '__proto__')) throw new Error('it has __proto__')
    },
  ),
  'whole body': parser(
    fc.record({
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        texts('{', '}', '"a"', ':', '1', 'a=1', '&').map(toBytes),
      ),
      type: fc.oneof(
        fc.constantFrom(
          'application/json',
          'application/json; charset=utf-16le',
          'text/plain; charset=klingon',
          'text/plain; charset=iso-8859-1',
          'application/x-www-form-urlencoded',
          undefined,
        ),
        texts('a', '/', ';', 'charset=', '"'),
      ),
      coding: fc.constantFrom(undefined, undefined, undefined, 'gzip', 'identity', 'br', 'x'),
      form: fc.constantFrom('json', 'text', 'bytes'),
    }),
    async ({ bytes, type, coding, form }) => {
      const headers: Record<string, string | undefined> = { 'content-type': type, 'content-encoding': coding }
      const source = {
        header: (name: string) => headers[name],
        decoded: undefined,
        readBytes: async () => bytes,
      }
      const body = new Body(source, 1000)
      await body[form as 'json']()
      body.parse(bytes)
    },
  ),
}

export const row: Row = {
  asked: '1 000 000 inputs for each parser: only 4xx errors of ours, none over 50 ms, prototypes clean',
  async run(run) {
    const findings: string[] = []
    const told: string[] = []
    let slowOnce = 0
    const clean = prototypes()
    for (const [name, one] of Object.entries(parsers)) {
      const began = performance.now()
      const { slowest, refused, once } = await fuzz(name, one, run, findings)
      slowOnce += once
      if (prototypes() !== clean) findings.push(`${name}: a prototype has changed: ${prototypes()}`)
      // Else the run proves nothing of what it takes.
      if (refused > 0.99 * run.count(1_000_000)) findings.push(`${name}: ${refused} inputs were refused`)
      told.push(`${name} ${slowest.toFixed(1)} ms`)
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      run.tell(
        `${name}: ${grouped(run.count(1_000_000))} in ${seconds} s, ${grouped(refused)} refused, slowest ${slowest.toFixed(1)} ms`,
      )
    }
    return judge(
      `${told.length} × ${grouped(run.count(1_000_000))}: ${findings.length} faults, ${slowOnce} calls over ${slowMs} ms once and not again; slowest: ${told.join(', ')}`,
      findings,
    )
  },
}

async function fuzz(
  name: string,
  { inputs, parse }: Parser<unknown>,
  { seed, count }: Run,
  findings: string[],
): Promise<{ slowest: number; refused: number; once: number }> {
  let [slowest, refused, once] = [0, 0, 0]
  const attempt = async (input: unknown): Promise<{ ms: number; error?: unknown }> => {
    const began = performance.now()
    try {
      const result = parse(input)
      // What is sync is measured as it is, without the turn of an await.
      if (result instanceof Promise) await result
      return { ms: performance.now() - began }
    } catch (error) {
      return { ms: performance.now() - began, error }
    }
  }
  // A value of its own for each run, as `fc.sample` would, but without a list of a million.
  const values = fc.stream(
    fc.sample(fc.infiniteStream(inputs, { noHistory: true }), { numRuns: 1, seed })[0]!,
  )
  let left = count(1_000_000)
  for (const input of values) {
    if (left-- === 0) break
    let { ms, error } = await attempt(input)
    // A collection of garbage, or another process, takes the time of whoever runs; what is slow in itself is slow again.
    const first = ms
    for (let again = 0; again < 4 && ms > Math.max(slowest, 1); again++) {
      const repeated = await attempt(input)
      error ??= repeated.error
      ms = Math.min(ms, repeated.ms)
    }
    if (first > slowMs && ms <= slowMs) once++
    if (ms > slowest) slowest = ms
    if (error !== undefined) refused++
    const fault =
      ms > slowMs ? `takes ${ms.toFixed(0)} ms` : error === undefined ? undefined : faultOf(error, name)
    if (fault !== undefined)
      findings.push(`${name}, seed ${seed}: ${fault}: ${JSON.stringify(input)?.slice(0, 500)}`)
  }
  return { slowest, refused, once }
}

/** Undefined for an error that tells a client what it has done wrong. */
function faultOf(error: unknown, name: string): string | undefined {
  if (!isRouteControllersError(error)) return `throws ${inspect(error)}`
  // What is wrong about a cookie that is sent is the application's fault.
  if (name === 'cookie to send')
    return error.code === 'ERR_COOKIE_INVALID' ? undefined : `throws ${error.code}`
  const { code, status = 500 } = error
  return status >= 400 && status < 500 ? undefined : `throws ${code} with ${status}`
}

/** The names on the prototypes that everything inherits from. */
function prototypes(): string {
  return [Object, Array, String, Number, Function, Promise, Map]
    .map(({ prototype }) =>
      Reflect.ownKeys(prototype as object)
        .map(String)
        .join(),
    )
    .join(' ')
}

import { below, pick, type Random } from './random.js'

/** What parsers stumble over, as it goes on the wire. */
const tokens = [
  '\r\n',
  '\r',
  '\n',
  '\0',
  '\t',
  ' ',
  ':',
  ';',
  ',',
  '"',
  '\\',
  '%',
  '%00',
  '%2f',
  '%2e%2e',
  '%zz',
  '%E0%A4',
  '..',
  '//',
  '/',
  '?',
  '#',
  '@',
  '*',
  '[',
  ']',
  '{',
  '}',
  '\x7f',
  '\x80',
  '\xff',
  '\xc3\xa9',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  '0x10',
  'HTTP/1.1',
  'HTTP/0.9',
  'http://',
  'http://user:pw@t/',
  '\r\nTransfer-Encoding: chunked',
  '\r\nTransfer-Encoding: gzip, chunked',
  '\r\nContent-Length: 5',
  '\r\nContent-Length: 0',
  '\r\nContent-Encoding: gzip',
  '\r\nContent-Type: application/json',
  '\r\nContent-Type: application/x-www-form-urlencoded',
  '\r\nContent-Type: multipart/form-data; boundary=b',
  '\r\nHost: evil',
  '\r\nExpect: 100-continue',
  '\r\nConnection: upgrade\r\nUpgrade: h2c',
  '\r\nConnection: close',
  '\r\nX-Forwarded-For: 1.2.3.4, ::ffff:1.2.3.4',
  '\r\nAccept: application/json',
  '\r\n\r\n',
  '0\r\n\r\n',
  '__proto__',
  'constructor[prototype]',
] as const

type Mutation = (random: Random, raw: string, corpus: readonly string[]) => string

function splice(raw: string, at: number, removed: number, added: string): string {
  return raw.slice(0, at) + added + raw.slice(at + removed)
}

const anyByte = (random: Random): string => String.fromCharCode(below(random, 256))

const mutations: readonly Mutation[] = [
  (random, raw) => splice(raw, below(random, raw.length), 1, anyByte(random)),
  (random, raw) => splice(raw, below(random, raw.length + 1), 0, anyByte(random)),
  (random, raw) => splice(raw, below(random, raw.length), 1 + below(random, 4), ''),
  // One bit.
  (random, raw) => {
    const at = below(random, raw.length)
    return splice(raw, at, 1, String.fromCharCode(raw.charCodeAt(at) ^ (1 << below(random, 8))))
  },
  (random, raw) => splice(raw, below(random, raw.length + 1), 0, pick(random, tokens)),
  (random, raw) => splice(raw, below(random, raw.length), 1 + below(random, 8), pick(random, tokens)),
  // A piece of it again, at most so often that it stays within what a head may have.
  (random, raw) => {
    const at = below(random, raw.length)
    const piece = raw.slice(at, at + 1 + below(random, 40))
    return splice(raw, at, 0, piece.repeat(1 + below(random, 50)))
  },
  // Its lines in another order, or one of them twice.
  (random, raw) => {
    const lines = raw.split('\r\n')
    const line = pick(random, lines)
    lines.splice(below(random, lines.length), below(random, 2), line)
    return lines.join('\r\n')
  },
  // A number that is another one.
  (random, raw) =>
    raw.replace(/\d+/g, (digits) =>
      random() < 0.3
        ? pick(random, ['0', '1', '-1', `${digits}0`, '4294967296', '1e3', `+${digits}`])
        : digits,
    ),
  (random, raw) => raw.slice(0, 1 + below(random, raw.length)),
  // Half of it, and half of another.
  (random, raw, corpus) => {
    const other = pick(random, corpus)
    return raw.slice(0, below(random, raw.length + 1)) + other.slice(below(random, other.length))
  },
  // Two on one connection.
  (random, raw, corpus) => raw.replace(/\r\nConnection: close/i, '') + pick(random, corpus),
  (random, raw) => {
    const at = below(random, raw.length)
    const end = at + below(random, 30)
    const piece = raw.slice(at, end)
    return splice(raw, at, end - at, random() < 0.5 ? piece.toUpperCase() : piece.toLowerCase())
  },
]

/** One of the corpus, changed in one to six places; half of them in one. */
export function mutate(random: Random, corpus: readonly string[]): string {
  let raw = pick(random, corpus)
  for (let count = random() < 0.5 ? 1 : 1 + below(random, 6); count > 0 && raw.length > 0; count--) {
    raw = pick(random, mutations)(random, raw, corpus)
  }
  return raw.slice(0, 40_000)
}

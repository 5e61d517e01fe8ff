import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Ask, Expected, Promised } from './promises.js'

/** One answer as it came. */
interface Received {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  cookies: string[]
  body: Buffer
  /** True where the connection was closed before the end of the body. */
  cut: boolean
}

/** How long a runtime may take for one answer. */
const patienceMs = 60_000
const tries = 50
const late = 'none in time'

/** Asks for one promise; gives what differs from it, or undefined where it holds. */
export async function differenceOf(promised: Promised, port: number): Promise<string | undefined> {
  const { asks, expected } = promised
  if (typeof asks === 'string') return compare(await sendBytes(port, asks), expected)
  let difference: string | undefined
  let cookies = ''
  for (const ask of asks) {
    const sent = promised.keepsCookies && cookies !== '' ? withHeader(ask, 'Cookie', cookies) : ask
    for (let count = 0; count < (ask.eventually ? tries : 1); count++) {
      if (count > 0) await new Promise((resolve) => setTimeout(resolve, 40))
      const received = await sendBytes(port, bytesOf(sent), ask)
      const set = typeof received === 'string' ? [] : received.cookies
      cookies = set.map((one) => one.split(';', 1)[0]).join('; ')
      difference = compare(received, expected)
      if (difference === undefined) break
    }
  }
  return difference
}

const withHeader = (ask: Ask, name: string, value: string): Ask => ({
  ...ask,
  headers: { ...ask.headers, [name]: value },
})

/** A request as it is sent. */
function bytesOf({ method = 'GET', target, headers = {}, body, chunked }: Ask): Buffer {
  const fields: Record<string, string> = { Host: 'tea.example', Connection: 'close', ...headers }
  const bytes = Buffer.from(body ?? '')
  if (chunked) fields['Transfer-Encoding'] = 'chunked'
  else if (body !== undefined || method === 'POST') fields['Content-Length'] = String(bytes.length)
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'),
    chunked ? inChunks(bytes) : bytes,
  ])
}

function inChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 7) {
    const part = bytes.subarray(at, at + 7)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** Sends bytes; gives the last answer when the server closes, or when it is complete. A text says why there is none. */
function sendBytes(port: number, bytes: string | Buffer, ask?: Ask): Promise<Received | string> {
  const isHead = ask?.method === 'HEAD'
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect(port, '127.0.0.1')
    let isLate = false
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isLate ? late : (lastAnswer(received, isHead, true) ?? 'the connection has ended'))
    }
    const timer = setTimeout(() => {
      isLate = true
      finish()
    }, patienceMs)
    socket.on('connect', () => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (ask?.leaveAfter !== undefined && received.includes(ask.leaveAfter)) return finish()
      // Servers close at `Connection: close`. Where one of them does not, a whole answer is enough.
      if (ask !== undefined && lastAnswer(received, isHead, false)?.cut === false) finish()
    })
    socket.on('close', finish)
    socket.on('error', finish)
  })
}

function lastAnswer(bytes: Buffer, isHead: boolean, isClosed: boolean): Received | undefined {
  let rest = bytes
  let last: Received | undefined
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return last
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
    const headers: Record<string, string> = {}
    const cookies: string[] = []
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      if (name === 'set-cookie') cookies.push(value)
      else headers[name] = name in headers ? `${headers[name]}, ${value}` : value
    }
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304
    const { body, cut, used } = hasBody ? bodyOf(headers, rest.subarray(end + 4), isClosed) : noBody
    const isCoded = headers['content-encoding'] === 'gzip' && !cut && hasBody
    // An interim answer comes before the one that is meant.
    if (status >= 200) last = { status, headers, cookies, body: isCoded ? gunzipSync(body) : body, cut }
    rest = rest.subarray(end + 4 + used)
  }
}

const noBody: Read = { body: Buffer.alloc(0), cut: false, used: 0 }

interface Read {
  body: Buffer
  cut: boolean
  used: number
}

function bodyOf(headers: Record<string, string>, rest: Buffer, isClosed: boolean): Read {
  const length = headers['content-length']
  if (headers['transfer-encoding']?.toLowerCase() === 'chunked') return chunksOf(rest)
  // To the end of the connection.
  if (length === undefined) return { body: rest, cut: !isClosed, used: rest.length }
  const body = rest.subarray(0, Number(length))
  return { body, cut: body.length < Number(length), used: body.length }
}

function chunksOf(rest: Buffer): Read {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = rest.indexOf('\r\n', at)
    const size = line < 0 ? NaN : Number.parseInt(rest.subarray(at, line).toString(), 16)
    const end = line + 2 + size
    if (Number.isNaN(size) || rest.length < end + 2)
      return { body: Buffer.concat(parts), cut: true, used: rest.length }
    parts.push(rest.subarray(line + 2, end))
    at = end + 2
    if (size === 0) return { body: Buffer.concat(parts), cut: false, used: at }
  }
}

/** What differs from what was expected, in a few words. */
function compare(received: Received | string, expected: Expected): string | undefined {
  if (typeof received === 'string')
    return expected.cut && received !== late ? undefined : `no answer: ${received}`
  const { status, headers, cookies, cut } = received
  const body = received.body.toString()
  if (status !== expected.status) return `status ${status}: ${short(body)}`
  if (expected.cut) return cut ? undefined : `a whole answer: ${short(body)}`
  if (cut) return `an answer that is cut: ${short(body)}`
  if (expected.body !== undefined && !fits(body, expected.body)) return `body ${short(body)}`
  if (expected.json !== undefined && !isSameJson(body, expected.json)) return `body ${short(body)}`
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found = headers[name] ?? null
    if (value === null ? found !== null : found === null || !fits(found, value))
      return `${name}: ${found ?? 'none'}`
  }
  const wanted = expected.cookies
  if (wanted === undefined) return undefined
  const same = cookies.length === wanted.length && wanted.every((one, at) => fits(cookies[at]!, one))
  return same ? undefined : `cookies ${cookies.join(' and ')}`
}

const fits = (found: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? found === wanted : wanted.test(found)

function isSameJson(found: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(found)) === JSON.stringify(wanted)
  } catch {
    return false
  }
}

const short = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

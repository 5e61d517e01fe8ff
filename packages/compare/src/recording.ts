// Recorded traffic: what a line holds, as JSON Lines and as HAR 1.2.
import { type BodyKind, kindOf } from '../../../src/body/body-types.js'
import type { Mask } from './mask.js'
import { leftOut, type Secrets } from './redact.js'

/** A body as it is written down. */
export interface RecordedBody {
  /** Where it is text in UTF-8. */
  readonly text?: string
  /** Bytes of a HAR that another tool has written. */
  readonly base64?: string
  /** True where it was too large, or is no text, in which secrets could be found. */
  readonly isLeftOut?: boolean
}

/** One request with its answer: a line of a recording. */
export interface RecordedExchange {
  readonly version: 1
  /** ISO 8601: when the request came. */
  readonly at: string
  readonly ms: number
  /** The same for requests of one client, as far as its cookies, its authorization or its address tell. */
  readonly session: string
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: RecordedBody
  readonly answer: {
    readonly status: number
    readonly headers: readonly (readonly [name: string, value: string])[]
    readonly body?: RecordedBody
  }
}

/** A body without secrets. */
export function recordBody(
  bytes: Buffer,
  contentType: string,
  secrets: Secrets,
  mask: Mask,
): RecordedBody | undefined {
  if (bytes.length === 0) return undefined
  const text = mask(bytes.toString())
  // Media types have no case. RFC 9110 8.3.1
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase()
  if (isNoText.test(text) || type.startsWith('multipart/') || hasParts.test(text)) return { isLeftOut: true }
  const redact = redactions[kindOf(type)]
  return redact === undefined ? { isLeftOut: true } : { text: redact(text, secrets) }
}

type Redact = (text: string, secrets: Secrets) => string

/** Whatever its type says, text that is JSON is read as such. */
const redactJson: Redact = (text, secrets) => {
  try {
    return JSON.stringify(secrets.redactJson(JSON.parse(text)))
  } catch {
    return secrets.redactText(text)
  }
}

/** How the secrets of each kind of body are found; undefined where they cannot be. */
const redactions: Readonly<Record<BodyKind, Redact | undefined>> = {
  json: redactJson,
  form: (text, secrets) => secrets.redactForm(text),
  multipart: undefined,
  text: redactJson,
  other: redactJson,
}

/** Packed, a file, or of an encoding of its own, as UTF-16. */
const isNoText = /[\uFFFD\0]/
/** Files and fields, whatever their type says. */
const hasParts = /(?:^|\n)--[^\r\n]{1,200}\r?\n(?:[\w-]{1,100}:[^\r\n]{0,1000}\r?\n){0,9}content-/i

/** Headers without the values of secrets, nor what `mask` finds in them; of Set-Cookie the name of the cookie stays. */
export function recordHeaders(
  headers: Iterable<readonly [string, string]>,
  { isSecret, redactString }: Secrets,
  mask: Mask = (text) => text,
): [string, string][] {
  return [...headers].map(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'set-cookie') {
      const at = value.split(';', 1)[0]!.indexOf('=')
      return [name, at < 0 ? leftOut : `${value.slice(0, at)}=${leftOut}`]
    }
    // A host with its port looks like a name with its value.
    if (lower === 'host') return [name, value]
    // A Referer or a Location has the query of another page.
    return [name, isSecret(name) ? leftOut : redactString(mask(value))]
  })
}

export function bytesOf(body: RecordedBody | undefined): Buffer | undefined {
  if (body?.text !== undefined) return Buffer.from(body.text)
  return body?.base64 === undefined ? undefined : Buffer.from(body.base64, 'base64')
}

/** One entry of HAR 1.2, which other tools read. */
export function harEntryOf(one: RecordedExchange): object {
  const { at, ms, method, target, headers, body, answer, session } = one
  const pairs = (list: RecordedExchange['headers']): object[] =>
    list.map(([name, value]) => ({ name, value }))
  const find = (list: RecordedExchange['headers'], wanted: string): string =>
    list.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
  const url = urlOf(target, find(headers, 'host'))
  return {
    startedDateTime: at,
    time: ms,
    _session: session,
    request: {
      method,
      url: url.href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: bytesOf(body)?.length ?? 0,
      ...(body && {
        postData: {
          mimeType: find(headers, 'content-type'),
          text: body.text ?? '',
          ...(body.isLeftOut && { _isLeftOut: true }),
        },
      }),
    },
    response: {
      status: answer.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(answer.headers),
      content: {
        size: bytesOf(answer.body)?.length ?? 0,
        mimeType: find(answer.headers, 'content-type'),
        ...(answer.body?.text !== undefined && { text: answer.body.text }),
        ...(answer.body?.isLeftOut && { _isLeftOut: true }),
      },
      redirectURL: find(answer.headers, 'location'),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
  }
}

/** A client sends any text as its host. */
function urlOf(target: string, host: string): URL {
  const path = target.startsWith('/') ? target : `/${target}`
  const base = `http://${host}`
  return new URL(`${host !== '' && URL.canParse(base) ? new URL(base).origin : 'http://localhost'}${path}`)
}

export const harStart =
  '{"log":{"version":"1.2","creator":{"name":"routecontrollers","version":"1"},"entries":[\n'
export const harEnd = '\n]}}\n'

/** Reads a recording in either format. What cannot be read is counted: the last line of a file may be cut. Throws where nothing can. */
export function readRecording(written: string): { exchanges: RecordedExchange[]; unread: number } {
  // Some tools put a mark before the text, which readers of HAR 1.2 leave out.
  const text = written.startsWith('\ufeff') ? written.slice(1) : written
  if (/^\s*\{\s*"log"/.test(text)) return readHar(text)
  const exchanges: RecordedExchange[] = []
  let unread = 0
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const one = parsed(line)
    if (isExchange(one)) exchanges.push(one)
    else unread++
  }
  return { exchanges, unread }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** False also for what no request can be made of: a file may come from elsewhere. */
function isExchange(value: unknown): value is RecordedExchange {
  const one = (value ?? {}) as Partial<Record<keyof RecordedExchange, unknown>>
  const { method, target, session, headers, body } = one
  const answer = (one.answer ?? {}) as Partial<Record<keyof RecordedExchange['answer'], unknown>>
  return (
    typeof method === 'string' &&
    token.test(method) &&
    typeof target === 'string' &&
    /^\/[\u0021-\u007e\u0080-\u00ff]*$/.test(target) &&
    typeof session === 'string' &&
    arePairs(headers) &&
    headers.every(([name, text]) => token.test(name) && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text)) &&
    isBody(body) &&
    typeof answer.status === 'number' &&
    arePairs(answer.headers) &&
    isBody(answer.body)
  )
}

// What Node's http sends, and throws for anything else. RFC 9110 5.6.2
const token = /^[\w!#$%&'*+.^`|~-]+$/

function arePairs(value: unknown): value is (readonly [string, string])[] {
  const isPair = (one: unknown): boolean => Array.isArray(one) && one.length === 2 && one.every(isText)
  return Array.isArray(value) && value.every(isPair)
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isBody(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const { text, base64 } = value as RecordedBody
  return [text, base64].every((one) => one === undefined || isText(one))
}

interface HarEntry {
  readonly startedDateTime: string
  readonly time: number
  readonly _session?: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly { name: string; value: string }[]
    readonly postData?: { readonly text?: string; readonly _isLeftOut?: boolean }
  }
  readonly response: {
    readonly status: number
    readonly headers: readonly { name: string; value: string }[]
    readonly content?: { readonly text?: string; readonly encoding?: string; readonly _isLeftOut?: boolean }
  }
}

function readHar(text: string): { exchanges: RecordedExchange[]; unread: number } {
  const whole = parsed(text)
  const cut = whole === undefined ? cutEntriesOf(text) : undefined
  const entries = cut?.entries ?? (whole as { log?: { entries?: unknown } } | undefined)?.log?.entries
  if (!Array.isArray(entries)) return { exchanges: [], unread: 1 }
  const exchanges = (entries as HarEntry[]).flatMap((entry): RecordedExchange[] => {
    try {
      const one = exchangeOf(entry)
      return isExchange(one) ? [one] : []
    } catch {
      return []
    }
  })
  return { exchanges, unread: entries.length - exchanges.length + (cut?.unread ?? 0) }
}

/** A HAR of the recorder that was cut, closed behind its last whole entry; undefined for another file. */
export function wholeHarOf(text: string): string | undefined {
  if (!text.startsWith(harStart)) return undefined
  const { entries } = cutEntriesOf(text)
  return harStart + entries.map((entry) => JSON.stringify(entry)).join(',\n') + harEnd
}

/** The entries of a HAR that was not closed, because its process has ended: each stands in a line. */
function cutEntriesOf(text: string): { entries: unknown[]; unread: number } {
  const [, ...lines] = text.trimEnd().split('\n')
  const read = lines.filter((line) => line !== ']}}').map((line) => parsed(line.replace(/,\s*$/, '')))
  const entries = read.filter((one) => typeof one === 'object' && one !== null)
  return { entries, unread: read.length - entries.length }
}

function exchangeOf({ startedDateTime, time, _session, request, response }: HarEntry): RecordedExchange {
  const { pathname, search } = new URL(request.url)
  const body = bodyOf(request.postData?.text, undefined, request.postData?._isLeftOut)
  const { content } = response
  // A browser does not write down what it has not loaded.
  const answerBody = bodyOf(
    content?.text,
    content?.encoding,
    content?._isLeftOut ?? content?.text === undefined,
  )
  return {
    version: 1,
    at: startedDateTime,
    ms: time,
    session: _session ?? 'har',
    method: request.method,
    target: pathname + search,
    headers: request.headers.flatMap(({ name, value }) =>
      name.startsWith(':') ? [] : [[name, value] as const],
    ),
    ...(body && { body }),
    answer: {
      status: response.status,
      headers: response.headers.map(({ name, value }) => [name, value] as const),
      ...(answerBody && { body: answerBody }),
    },
  }
}

function bodyOf(text: string | undefined, encoding?: string, isLeftOut?: boolean): RecordedBody | undefined {
  if (isLeftOut === true) return { isLeftOut: true }
  if (text === undefined) return undefined
  return encoding === 'base64' ? { base64: text } : { text }
}

// Asks one side, and compares what both have answered: byte by byte, but for what legacy itself answers in another way the second time.
import http from 'node:http'
import https from 'node:https'
import type { Mask } from './mask.js'
import type { ParityRequest } from './request.js'
import type { AnswerChange, AnswerHead } from './request.js'
import { leftOut, secretsOf } from './redact.js'

/** Where a side answers. */
export interface Place {
  readonly url: URL
  /** What the app is told it is called; both sides of one machine are called the same. */
  readonly host: string | undefined
  /** Its folder, which an error page may show; `''` where it is not known. */
  readonly folder: string
  /** How long it may take. */
  readonly answerLimitMs: number
  /** Takes what was given by `--header` out of a text. */
  readonly mask: Mask
}

/** A whole answer, or why there was none. */
export interface Answer {
  readonly status: number
  readonly failure?: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Its bytes. */
  readonly body: string
}

const maxBodyBytes = 1024 * 1024

/** Why there is no answer where the process may have ended. */
export const closed = 'the connection was closed'

// Made of the body.
const following = ['etag', 'content-length']

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/** Makes a request, as it is, and takes the answer as it is: no redirect is followed, nothing is decoded. */
export async function ask(place: Place, request: ParityRequest, signal: AbortSignal): Promise<Answer> {
  const answer = await askOnce(place, request, signal)
  // A connection that was kept may be closed at the very moment at which it is used again.
  return answer === undefined ? ((await askOnce(place, request, signal)) ?? none(closed)) : answer
}

const none = (failure: string): Answer => ({ status: 0, failure, headers: new Map(), body: '' })

function askOnce(
  place: Place,
  { method, target, headers, body }: ParityRequest,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { url, host, answerLimitMs } = place
  return new Promise((resolve) => {
    const { request: send } = url.protocol === 'https:' ? https : http
    const options = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      method,
      path: url.pathname.replace(/\/$/, '') + target,
      headers: {
        ...headers,
        ...(host !== undefined && { host }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      agent: agents[url.protocol as keyof typeof agents],
      signal,
      // A server of this machine has a certificate that nobody knows.
      ...(host !== undefined && { rejectUnauthorized: false }),
    }
    const req = send(options, (res) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const finish = (): void => {
        clearTimeout(timer)
        const names = new Map<string, string>()
        for (let at = 0; at < res.rawHeaders.length; at += 2) {
          const name = res.rawHeaders[at]!.toLowerCase()
          const value = withoutPlace(place.mask(res.rawHeaders[at + 1]!), place)
          names.set(name, names.has(name) ? `${names.get(name)}\n${value}` : value)
        }
        const sent = place.mask(Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('latin1'))
        const text = withoutFrames(withoutPlace(sent, place))
        if (text !== sent) for (const name of following) if (names.has(name)) names.set(name, '')
        resolve({ status: res.statusCode!, headers: names, body: text })
      }
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if ((bytes += chunk.length) >= maxBodyBytes) res.destroy()
      })
      res.on('close', finish)
      res.on('error', () => {})
    })
    const timer = setTimeout(() => {
      resolve(none(`no answer within ${answerLimitMs} ms`))
      req.destroy()
    }, answerLimitMs)
    req.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      resolve(
        req.reusedSocket && code === 'ECONNRESET'
          ? undefined
          : none(code?.startsWith('HPE') === true ? message : closed),
      )
    })
    req.end(body)
  })
}

/** Both sides are at the same place, as far as their answers tell. */
function withoutPlace(text: string, { url: { host, port }, folder }: Place): string {
  const named = text.replaceAll(host, 'localhost').replaceAll(`localhost:${port || 80}`, 'localhost')
  return folder === '' ? named : named.replaceAll(folder, '.')
}

/**
 * A text without the calls of a stack trace, as the development page of Express shows them, or JSON with a `stack`: the same error has
 * other callers once its route has moved. A line that only begins like a call is compared.
 */
function withoutFrames(text: string): string {
  return text.replace(frames, ' (stack)')
}

const lineEnd = '<br>|</pre>|\\\\n|\\n|"|$'
// A call ends with its place, as in `at brew (/app/tea.js:1:2)`, or with what V8 says where there is none.
const place = '(?::\\d+:\\d+|<anonymous>|&lt;anonymous&gt;|native|index \\d+)\\)?'
const frames = new RegExp(
  `(?:(?:<br>|\\\\n|\\n)(?: |&nbsp;)+at (?:(?!${lineEnd}).)*?${place}(?=${lineEnd}))+`,
  'g',
)

/** What it shows at first sight. */
export function headOf({ status, failure, headers }: Answer): AnswerHead {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return {
    status,
    type: type
      .trim()
      .replace(/^.*[/+]/, '')
      .replace(/^plain$/, 'text'),
    ...(failure !== undefined && { failure }),
  }
}

/** True where the answers are the same even if nothing counts as noise. */
export function isSame(legacy: Answer, now: Answer): boolean {
  return changesOf(legacy, legacy, now, new Set(), new Set()).length === 0
}

/**
 * In which ways an answer differs from that of legacy. What legacy has answered `again`, a second time and started a second time, tells
 * what is noise; `noise` gets its names.
 * `known` are headers that were noise in other answers of the route.
 */
export function changesOf(
  legacy: Answer,
  again: Answer | readonly Answer[],
  now: Answer,
  noise: Set<string>,
  known: Set<string>,
): AnswerChange[] {
  const changes: AnswerChange[] = []
  if (legacy.status !== now.status || legacy.failure !== now.failure) {
    changes.push({ what: 'status', legacy: shownStatus(legacy), now: shownStatus(now) })
  }
  // Where even its status is another one, its second answer tells nothing about the first.
  const others = [again].flat().filter(({ status }) => status === legacy.status)
  const own = new Set<string>()
  const body =
    changes.length > 0
      ? undefined
      : compareTexts(
          legacy.body,
          others.map((one) => one.body),
          now.body,
          'body',
          own,
        )
  if (own.size > 0) for (const name of following) known.add(name)
  for (const name of new Set([...legacy.headers.keys(), ...now.headers.keys()])) {
    const [was, is] = [legacy.headers.get(name), now.headers.get(name)]
    if (is === undefined) changes.push({ what: 'missing header', name, legacy: clip(was!) })
    else if (was === undefined) changes.push({ what: 'new header', name, now: clip(is) })
    else if (changes[0]?.what !== 'status' && was !== is) {
      const found = new Set<string>()
      const second = others.map(({ headers }) => headers.get(name) ?? was)
      const change = compareTexts(was, second, is, name, found)
      if (found.size > 0) known.add(name)
      // How long a connection is kept is the server's, and not the app's.
      if (change !== undefined && !known.has(name) && name !== 'keep-alive')
        changes.push({ what: 'header', name, ...change })
      else own.add(name)
    }
  }
  for (const name of own) noise.add(name)
  if (body !== undefined) changes.push({ what: 'body', ...body })
  return changes.map(withoutSecrets)
}

const { isSecret, redactText } = secretsOf([])
const cookieValue =
  /(?<![\w-])(?!(?:path|expires|max-age|domain|samesite|priority)=)([\w!#$%&'*+.^`|~-]+=)[^;\s]*/gi

/** A change as it is shown: a report may go to others. */
function withoutSecrets({ what, name, legacy, now }: AnswerChange): AnswerChange {
  const shown = (text: string): string => {
    if (what === 'status') return text
    // A part of it has no name any more.
    if (name === 'set-cookie')
      return text.startsWith('"') ? leftOut : text.replace(cookieValue, `$1${leftOut}`)
    return name !== undefined && isSecret(name) ? leftOut : redactText(text)
  }
  return {
    what,
    ...(name !== undefined && { name }),
    ...(legacy !== undefined && { legacy: shown(legacy) }),
    ...(now !== undefined && { now: shown(now) }),
  }
}

function shownStatus({ status, failure }: Answer): string {
  return failure ?? String(status)
}

const clip = (text: string): string => {
  const shown = Buffer.from(text, 'latin1').toString().replace(/\s+/g, ' ').trim()
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown
}

/** What is shown of two texts that differ. */
function clipped(legacy: string, now: string): { legacy: string; now: string } {
  const [one, other] = [clip(legacy), clip(now)]
  if (one !== other) return { legacy: one, now: other }
  // They differ in their spaces, or further on.
  let at = 0
  while (at < legacy.length && legacy[at] === now[at]) at++
  const from = Math.max(0, at - 10)
  return { legacy: quoted(legacy, from), now: quoted(now, from) }
}

function quoted(text: string, from: number): string {
  return JSON.stringify(Buffer.from(text.slice(from, from + 50), 'latin1').toString())
}

/** The first place at which a text differs, outside of the words that differ between two of legacy. */
function compareTexts(
  legacy: string,
  again: readonly string[],
  now: string,
  name: string,
  noise: Set<string>,
): { legacy: string; now: string } | undefined {
  if (legacy === now) return undefined
  const [one, three] = [wordsOf(legacy), wordsOf(now)]
  const others = again.map(wordsOf)
  if (others.some(({ length }) => length !== one.length)) {
    noise.add(`${name} (all of it)`)
    return undefined
  }
  let label = ''
  for (let at = 0; at < one.length; at++) {
    const [word, other] = [one[at]!, three[at] ?? '']
    if (others.some((two) => two[at] !== word) || (word !== other && isNow(word) && isNow(other)))
      noise.add(`${name} ${label}`.trim())
    else if (word !== other) {
      const from = Math.max(0, at - 4)
      return clipped(one.slice(from).join(''), three.slice(from).join(''))
    } else if (name === 'body' && /^[a-z_]\w*$/i.test(word)) label = word
  }
  return one.length === three.length ? undefined : clipped(legacy, now)
}

/** Words with what stands between them; a time is one word. */
function wordsOf(text: string): string[] {
  return text
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, (date) => {
      // It may be no date at all.
      const time = Date.parse(date)
      return Number.isNaN(time) ? date : new Date(time).toISOString()
    })
    .split(/([\w+/.:%-]+=*)/)
}

/** True for a time of this hour: two requests are not made at the same moment. */
export function isNow(word: string): boolean {
  const number = /^\d{10}$/.test(word) ? 1000 * Number(word) : Number(word)
  const time = Number.isNaN(number) ? (/^\d{4}-\d\d-\d\dT/.test(word) ? Date.parse(word) : NaN) : number
  return Math.abs(time - Date.now()) < 3_600_000
}

// Asks one side, and takes its answer as it is, without what only tells where that side stands.
import http from 'node:http'
import https from 'node:https'
import type { Mask } from './mask.js'
import type { ParityRequest } from './request.js'
import { type ReceivedAnswer, following, reachedHeader } from './received-answer.js'

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

/** Of a longer body only the beginning is read: it may have no end. */
export const mostBodyBytes = 4 * 1024 * 1024

/** Why there is no answer where the process may have ended. */
export const closed = 'the connection was closed'
/** Why an answer has no end, where it has begun. */
export const brokenOff = 'the answer broke off'

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/** Makes a request, as it is, and takes the answer as it is: no redirect is followed, nothing is decoded. */
export async function ask(
  place: Place,
  request: ParityRequest,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  const answer = await askOnce(place, request, signal)
  // A connection that was kept may be closed at the very moment at which it is used again.
  return answer === undefined ? ((await askOnce(place, request, signal)) ?? none(closed)) : answer
}

const none = (failure: string): ReceivedAnswer => ({ status: 0, failure, headers: new Map(), body: '' })

function askOnce(
  place: Place,
  { method, target, headers, body }: ParityRequest,
  signal: AbortSignal,
): Promise<ReceivedAnswer | undefined> {
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
      // A server of this machine has a certificate of no known authority.
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
        const sent = place.mask(Buffer.concat(chunks).subarray(0, mostBodyBytes).toString('latin1'))
        const text = withoutFrames(withoutPlace(sent, place))
        if (text !== sent) for (const name of following) if (names.has(name)) names.set(name, '')
        const isReached = names.delete(reachedHeader)
        const isCut = bytes > mostBodyBytes
        resolve({
          status: res.statusCode!,
          ...(!res.complete && !isCut && { failure: brokenOff }),
          headers: names,
          body: text,
          isCut,
          isReached,
        })
      }
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if ((bytes += chunk.length) > mostBodyBytes) res.destroy()
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
function withoutPlace(text: string, { url: { host, port, protocol }, folder }: Place): string {
  const named = withoutHost(
    withoutHost(text, host),
    `localhost:${port || (protocol === 'https:' ? 443 : 80)}`,
  )
  return folder === '' ? named : named.replaceAll(folder, '.')
}

/** With one more digit it has another port. */
function withoutHost(text: string, host: string): string {
  return text.split(host).reduce((all, part) => all + (/^\d/.test(part) ? host : 'localhost') + part)
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

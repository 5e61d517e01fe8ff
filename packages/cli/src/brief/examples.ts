// Recorded requests of a route, without secrets: of each status one, and few headers.
import { recordBody, recordHeaders, type RecordedExchange, bytesOf } from '../../../compare/src/recording.js'
import { leftOut, secretsOf } from '../../../compare/src/redact.js'
import type { BriefExample } from '../documents/brief.js'

const most = 4
const longestBody = 1200
// What a client sends of its own, and what follows from the connection.
const unsaid =
  /^(?:host|connection|keep-alive|date|etag|content-length|transfer-encoding|user-agent|accept-(?:encoding|language)|cache-control|pragma|priority|dnt|referer|origin|upgrade-insecure-requests|sec-.*|x-powered-by|vary)$/i

// A recording may come from elsewhere, as a HAR of a browser, which has all of them.
const secrets = secretsOf([])

/** One of each status first. */
export function examplesOf(exchanges: readonly RecordedExchange[]): BriefExample[] {
  const statuses = new Set<number>()
  const firsts = exchanges.filter(({ answer: { status } }) => !statuses.has(status) && statuses.add(status))
  const others = exchanges.filter((one) => !firsts.includes(one))
  return [...firsts, ...others].slice(0, most).map(exampleOf)
}

function exampleOf({ method, target, headers, body, answer }: RecordedExchange): BriefExample {
  return {
    method,
    target: secrets.redactTarget(target),
    headers: shownHeaders(headers),
    body: shownBody(body, headers),
    answer: {
      status: answer.status,
      headers: shownHeaders(answer.headers),
      body: shownBody(answer.body, answer.headers),
    },
  }
}

function shownHeaders(headers: RecordedExchange['headers']): Record<string, string> {
  const shown = headers.filter(([name]) => !unsaid.test(name))
  return Object.fromEntries(recordHeaders(shown, secrets).map(([name, value]) => [name.toLowerCase(), value]))
}

function shownBody(body: RecordedExchange['body'], headers: RecordedExchange['headers']): string | undefined {
  if (body?.isLeftOut === true) return leftOut
  const bytes = bytesOf(body)
  if (bytes === undefined || bytes.length === 0) return undefined
  const [, type = ''] = headers.find(([name]) => name.toLowerCase() === 'content-type') ?? []
  const { text = leftOut } = recordBody(bytes, type, secrets, (one) => one) ?? {}
  return text.length > longestBody ? `${text.slice(0, longestBody)}… (${text.length} characters)` : text
}

import { hasStatus, isRouteControllersError, statusOf } from '../ground/errors.js'
import { type HeaderValue, setHeader } from './headers.js'
import { LightResponse } from './light-response.js'

/** The reasons of the statuses that errors have: RFC 9110 15, and RFC 4918 11 for 423, 424 and 507. */
const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
}

/**
 * Makes the answer to an error from the members that http-errors defines: `status`, `headers`, and the message where `expose` is
 * true. Below 500 `expose` is true by default.
 *
 * It is text, or `application/problem+json` (RFC 9457) for a client that accepts JSON.
 */
export function errorAnswer(error: unknown, accept: string | undefined, message?: string): LightResponse {
  const status = statusOf(error)
  const title = reasons[status] ?? 'Error'
  const detail = message ?? messageOf(error, status)
  const headers = headersOf(error)
  const errors = isRouteControllersError(error) ? error.errors : undefined
  if (errors !== undefined || acceptsJson(accept)) {
    const problem = {
      type: 'about:blank',
      title,
      status,
      ...(detail && detail !== title && { detail }),
      ...(errors && { errors }),
    }
    headers.push('Content-Type', 'application/problem+json')
    return new LightResponse(status, headers, JSON.stringify(problem))
  }
  headers.push('Content-Type', 'text/plain; charset=utf-8')
  return new LightResponse(status, headers, detail || title)
}

function messageOf(error: unknown, status: number): string | undefined {
  try {
    const { message, expose } = (error ?? {}) as { message?: unknown; expose?: unknown }
    const isShown = expose === undefined ? status < 500 : expose === true
    return typeof message === 'string' && isShown ? message : undefined
  } catch {
    // A getter may throw in its turn.
    return undefined
  }
}

/** The headers of an error with a status, in a list. Headers of the body and headers that cannot be sent are left out. */
function headersOf(error: unknown): string[] {
  const list: string[] = []
  if (!hasStatus(error)) return list
  try {
    const { headers } = error as { headers?: unknown }
    if (typeof headers !== 'object' || headers === null) return list
    for (const [name, value] of Object.entries(headers)) {
      if (/^content-(?:type|length|encoding|range)$/i.test(name)) continue
      try {
        setHeader(list, name, value as HeaderValue)
      } catch {
        // An answer without it is better than none.
      }
    }
  } catch {
    // A getter may throw here too.
  }
  return list
}

// The client must name JSON: browsers and curl send `*/*` for every request.
function acceptsJson(accept: string | undefined): boolean {
  return (
    accept !== undefined &&
    /application\/(?:[\w.-]+\+)?json\b(?!\s*;\s*q=0(?:\.0*)?(?:[,;\s]|$))/i.test(accept)
  )
}

import { isRouteControllersError, statusOf } from './errors.js'
import { LightResponse } from './light-response.js'

/** RFC 9110 15: the reasons of the statuses that errors have. */
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
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported',
}

/**
 * The answer to an error: its status, and for 4xx its message; any other has no detail.
 *
 * As text, or as `application/problem+json` (RFC 9457) for a client that accepts JSON.
 */
export function errorAnswer(error: unknown, accept: string | undefined, message?: string): LightResponse {
  // Any other 5xx is a bare 500: a 502 would reveal what stands behind.
  const thrown = statusOf(error)
  const status = thrown < 500 || isRouteControllersError(error) ? thrown : 500
  const title = reasons[status] ?? 'Error'
  const detail = message ?? (status < 500 ? messageOf(error) : undefined)
  const errors = isRouteControllersError(error) ? error.errors : undefined
  if (errors !== undefined || acceptsJson(accept)) {
    const problem = {
      type: 'about:blank',
      title,
      status,
      ...(detail && detail !== title && { detail }),
      ...(errors && { errors }),
    }
    return new LightResponse(status, ['Content-Type', 'application/problem+json'], JSON.stringify(problem))
  }
  return new LightResponse(status, ['Content-Type', 'text/plain; charset=utf-8'], detail || title)
}

function messageOf(error: unknown): string | undefined {
  try {
    const { message, expose } = error as { message?: unknown; expose?: unknown }
    return typeof message === 'string' && expose !== false ? message : undefined
  } catch {
    // A getter may throw in its turn.
    return undefined
  }
}

// Asked for by name: what browsers and curl send (`*/*`) is not a wish for JSON.
function acceptsJson(accept: string | undefined): boolean {
  return (
    accept !== undefined &&
    /application\/(?:[\w.-]+\+)?json\b(?!\s*;\s*q=0(?:\.0*)?(?:[,;\s]|$))/i.test(accept)
  )
}

// What a side has answered.
import type { AnswerHead } from './request.js'

/** A whole answer, or why there was none. */
export interface ReceivedAnswer {
  /** 0 where there was none. */
  readonly status: number
  /** Also of one that broke off: that has a status. */
  readonly failure?: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Its bytes. */
  readonly body: string
  /** True where only the beginning of the body was read. */
  readonly isCut?: boolean
  /** True where a native callback of its route was asked, or the handler in its place. */
  readonly isReached?: boolean
}

/** Tells so. It is no part of the answer. */
export const reachedHeader = 'x-routecontrollers-reached'

/**
 * True for an answer that tells of nothing: no body, or an empty value of JSON. A redirect tells where to, and what has written may well
 * answer 204.
 */
export function isEmptyAnswer(method: string, { status, body }: ReceivedAnswer): boolean {
  const isMeant = /^(?:HEAD|OPTIONS)$/.test(method) || status >= 300 || (status === 204 && method !== 'GET')
  return !isMeant && /^(?:\{\s*\}|\[\s*\]|null|""|)$/.test(body.trim())
}

/** Headers that are made of the body. */
export const following: readonly string[] = ['etag', 'content-length']

/** What it shows at first sight. */
export function headOf({ status, failure, headers }: ReceivedAnswer): AnswerHead {
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

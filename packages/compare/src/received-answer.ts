// What a side has answered.
import type { AnswerHead } from './request.js'

/** A whole answer, or why there was none. */
export interface ReceivedAnswer {
  readonly status: number
  readonly failure?: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Its bytes. */
  readonly body: string
  /** True where only the beginning of the body was read. */
  readonly isCut?: boolean
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

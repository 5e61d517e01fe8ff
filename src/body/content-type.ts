import { safeParse } from 'fast-content-type-parse'
import { type BodyKind, kindOf } from './body-types.js'

/** What a body is, as every decision in this package sees it. */
export interface ContentType {
  /** Type and subtype in lower case, without parameters; empty when there is none or it is malformed. */
  readonly essence: string
  readonly charset: string
  readonly kind: BodyKind
}

const none: ContentType = Object.freeze({ essence: '', charset: 'utf-8', kind: 'other' })

/**
 * Reads a Content-Type header.
 *
 * One parser decides everywhere, what is parsed and what a controller may ask for: two that disagree are a
 * bypass (CVE-2025-32442, CVE-2026-25223, CVE-2026-33806).
 */
export function parseContentType(header: string | undefined): ContentType {
  if (header === undefined) return none
  if (header === 'application/json') return json
  const { type, parameters } = safeParse(header)
  if (type === '') return none
  const charset = (parameters['charset'] ?? 'utf-8').toLowerCase()
  return { essence: type, charset, kind: kindOf(type) }
}

const json: ContentType = Object.freeze({ essence: 'application/json', charset: 'utf-8', kind: 'json' })

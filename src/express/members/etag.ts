import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'

/** Makes the ETag of a body: the setting `etag fn`. */
export type EtagFunction = (body: string | Buffer, encoding?: BufferEncoding) => string | undefined

/** The setting `etag: 'strong'`: the length of a body and its SHA-1, as the package `etag` writes them. */
export const strongEtag: EtagFunction = (body, encoding = 'utf8') => {
  const bytes = typeof body === 'string' && encoding !== 'utf8' ? Buffer.from(body, encoding) : body
  const length = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length
  // Without the padding.
  return `"${length.toString(16)}-${hash('sha1', bytes, 'base64').slice(0, 27)}"`
}

/** The setting `etag: 'weak'`, which is the default. */
export const weakEtag: EtagFunction = (body, encoding) => `W/${strongEtag(body, encoding)}`

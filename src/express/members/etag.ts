import { Buffer } from 'node:buffer'
import etag from 'etag'

/** Makes the ETag of a body: the setting `etag fn`. */
export type EtagFunction = (body: string | Buffer, encoding?: BufferEncoding) => string | undefined

/** The setting `etag: 'strong'`. */
export const strongEtag: EtagFunction = (body, encoding) => etag(bytesOf(body, encoding))

/** The setting `etag: 'weak'`, which is the default. */
export const weakEtag: EtagFunction = (body, encoding) => etag(bytesOf(body, encoding), { weak: true })

function bytesOf(body: string | Buffer, encoding: BufferEncoding | undefined): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body, encoding)
}

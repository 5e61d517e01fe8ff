import { RouteControllersError } from '../ground/errors.js'
import { type BodyParser, runParser } from './body-parsers.js'
import { bodyTypes } from './body-types.js'
import { type ContentType, parseContentType } from './content-type.js'
import { decompress, isCompressed } from './decompress.js'
import { checkDeclaredLength, defaultRules, type ReadRules } from './limits.js'
import { parseFormData } from './multipart.js'

/** Where a body comes from: a Node stream or a web Request. */
export interface BodySource {
  header(name: string): string | undefined
  /**
   * What a reader upstream has left where it has undone the Content-Encoding: `'bytes'`, or `'text'`, where the
   * charset is undone as well and `readBytes` gives UTF-8.
   */
  readonly decoded: 'bytes' | 'text' | undefined
  /** All bytes; rejects with 413 at the first one over `limit`. */
  readBytes(limit: number): Promise<Uint8Array>
}

/** The body of one request. It is read once, within its limit, and can then be read in every form and more than once. */
export class Body {
  readonly #source: BodySource
  readonly #limit: number
  readonly #rules: ReadRules
  #bytes: Promise<Uint8Array> | undefined
  #type: ContentType | undefined
  /** What the parser of this package has made of it: `req.json()` gives the same object as `req.body`. */
  #parsed: unknown

  constructor(source: BodySource, limit: number, rules: ReadRules = defaultRules) {
    this.#source = source
    this.#limit = limit
    this.#rules = rules
  }

  get type(): ContentType {
    return (this.#type ??= parseContentType(this.#source.header('content-type')))
  }

  /** Refuses a declared excess before anything is read. */
  checkHead(): void {
    checkDeclaredLength(this.#source.header('content-length'), this.#limit)
  }

  bytes(): Promise<Uint8Array> {
    return (this.#bytes ??= this.#read())
  }

  /** The bytes that were asked for before, if they were. */
  get begun(): Promise<Uint8Array> | undefined {
    return this.#bytes
  }

  #read(): Promise<Uint8Array> {
    let coding: string | undefined
    try {
      this.checkHead()
      // Read first: if this throws once the bytes are under way, no code waits for them, and their rejection ends the process.
      if (this.#rules.decompress) {
        // Where nothing undoes it, no reader may take it for the bytes.
        this.checkCoding()
        coding = this.#coding()
      }
    } catch (error) {
      return Promise.reject(error)
    }
    const bytes = this.#source.readBytes(this.#limit)
    return coding !== undefined
      ? bytes.then((compressed) => decompress(compressed, coding, this.#limit))
      : bytes
  }

  /** False for a type without a parser: such a body stays a stream. */
  get isParsed(): boolean {
    return this.#parser !== undefined || bodyTypes[this.type.kind].parse !== undefined
  }

  /** That of the program for this type. */
  get #parser(): BodyParser | undefined {
    return this.#rules.parsers?.get(this.type.essence)
  }

  /** The value for `req.body`, or a promise of it where a parser of the program gives one; undefined where there is not one byte. */
  parse(bytes: Uint8Array): unknown {
    if (bytes.byteLength === 0) return undefined
    const parser = this.#parser
    if (parser === undefined) return this.#parseByKind(bytes)
    return runParser(parser, { bytes, type: this.type.essence, text: () => this.#toText(bytes) })
  }

  async json(): Promise<unknown> {
    this.#expect('json', 'application/json')
    this.checkCoding()
    return this.#parseByKind(await this.bytes())
  }

  #parseByKind(bytes: Uint8Array): unknown {
    const { kind, charset } = this.type
    const { charsets, parse } = bodyTypes[kind]
    if (charsets === 'utf' && !charset.startsWith('utf')) throw unsupportedCharset(charset)
    return (this.#parsed ??= parse?.(this.#toText(bytes), this.#rules.limits))
  }

  async text(): Promise<string> {
    this.checkCoding()
    return this.#toText(await this.bytes())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    // Not slice(), which for a Buffer copies nothing.
    return new Uint8Array(await this.bytes()).buffer
  }

  async formData(): Promise<FormData> {
    if (this.type.kind !== 'form') this.#expect('multipart', 'multipart/form-data')
    this.checkCoding()
    const bytes = (await this.bytes()) as Uint8Array<ArrayBuffer>
    return parseFormData(bytes, this.#source.header('content-type')!, this.#rules.limits)
  }

  #toText(bytes: Uint8Array): string {
    return decode(bytes, this.#source.decoded === 'text' ? 'utf-8' : this.type.charset)
  }

  #expect(kind: ContentType['kind'], wanted: string): void {
    if (this.type.kind !== kind) throw this.refusal(wanted)
  }

  /** The error of a body of another type than the one that is wanted. */
  refusal(wanted: string): RouteControllersError {
    return unsupported(
      `The body has to be ${wanted}, not ${this.type.essence || 'of no or a malformed Content-Type'}`,
    )
  }

  /**
   * Refuses a body that is still compressed when it is to be parsed. 224 bytes can become gigabytes, so decompression is off by
   * default.
   */
  checkCoding(): void {
    const coding = this.#coding()
    if (coding === undefined || (this.#rules.decompress && isCompressed(coding))) return
    throw unsupported(`The body has the Content-Encoding ${coding}, which is not read here`)
  }

  /** The Content-Encoding in lower case that no reader has undone. */
  #coding(): string | undefined {
    if (this.#source.decoded !== undefined) return undefined
    const coding = this.#source.header('content-encoding')?.toLowerCase()
    // Some clients send the field with an empty value. It names no coding, and the parsers of Express take it so.
    return coding === 'identity' || coding === '' ? undefined : coding
  }
}

/** The error of a body that breaks off. */
export function aborted(cause: unknown): RouteControllersError {
  return new RouteControllersError('ERR_BODY_ABORTED', 'The client went away before the end of the body', {
    cause,
  })
}

/** The error of a body that was read, or locked, before its Request came. */
export function consumed(): RouteControllersError {
  return new RouteControllersError('ERR_BODY_CONSUMED', 'The body of this Request has been read before')
}

function unsupported(message: string): RouteControllersError {
  return new RouteControllersError('ERR_BODY_TYPE', message)
}

function unsupportedCharset(charset: string): RouteControllersError {
  return unsupported(`The body has the charset ${charset}, which is not read here`)
}

// Made when it is first needed: there is none in Jest's jsdom, where bodies are rare.
let utf8: InstanceType<typeof TextDecoder> | undefined

function decode(bytes: Uint8Array, charset: string): string {
  let decoder = (utf8 ??= new TextDecoder('utf-8', { fatal: true }))
  if (charset !== 'utf-8' && charset !== 'utf8') {
    try {
      decoder = new TextDecoder(charset, { fatal: true })
    } catch {
      throw unsupportedCharset(charset)
    }
  }
  try {
    // Node's own decoding is several times as fast, but replaces what is malformed: its mark tells to look closely.
    if (decoder === utf8 && typeof Buffer !== 'undefined' && Buffer.isBuffer(bytes)) {
      const text = bytes.toString()
      if (!text.includes('\ufffd') && text.charCodeAt(0) !== 0xfeff) return text
    }
    return decoder.decode(bytes)
  } catch (cause) {
    throw new RouteControllersError('ERR_BODY_MALFORMED', `The body is not valid ${charset}`, { cause })
  }
}

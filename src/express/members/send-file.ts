import { basename, isAbsolute, resolve } from 'node:path'
import send4 from 'express4-send'
import onFinished from 'on-finished'
import send5, { type SendOptions, type SendStream } from 'send'
import type { ExpressVersion } from '../application.js'
import type { ExpressRequest, ExpressResponse, SendFileOptions } from '../handler.js'
import type { ResponseMethods } from './response.js'
import { contentDisposition } from './response-headers.js'

interface FileOptions extends SendOptions {
  headers?: Readonly<Record<string, string>>
}

type Callback = (error?: FileError) => void

interface FileError extends Error {
  code?: string
  syscall?: string
}

/** The members of `res` that send a file. */
export function fileMethods(version: ExpressVersion): ResponseMethods {
  const methods: ResponseMethods = {
    sendFile(path: string, second?: FileOptions | Callback, third?: Callback) {
      const { given, callback } = readOptions(second, third)
      if (!path) throw new TypeError('path argument is required to res.sendFile')
      if (typeof path !== 'string') throw new TypeError('path must be a string to res.sendFile')
      if (!given.root && !(version === 4 ? isAbsolute4 : isAbsolute)(path)) {
        throw new TypeError('path must be absolute or specify root to res.sendFile')
      }
      // `send` decodes what it is given.
      sendFile(version, this, encodeURI(path), given, callback)
    },
    download(path: string, ...rest: unknown[]) {
      const { filename, options, callback } = readDownload(rest)
      const name = filename || path
      const headers: Record<string, string> = {
        'Content-Disposition': contentDisposition(version, version === 4 ? name : basename(name)),
      }
      for (const [field, value] of Object.entries(options?.headers ?? {})) {
        if (field.toLowerCase() !== 'content-disposition') headers[field] = value
      }
      const all = Object.assign(Object.create(options) as FileOptions, { headers })
      this.sendFile(all.root ? path : resolve(path), all as SendFileOptions, callback)
    },
  }
  if (version === 5) return methods
  return {
    ...methods,
    sendfile(path: string, second?: FileOptions | Callback, third?: Callback) {
      const { given, callback } = readOptions(second, third)
      sendFile(4, this, path, given, callback)
    },
  }
}

function readOptions(
  second: FileOptions | Callback | undefined,
  third: Callback | undefined,
): { given: FileOptions; callback: Callback | undefined } {
  return typeof second === 'function'
    ? { given: {}, callback: second }
    : { given: second || {}, callback: third }
}

interface Download {
  filename: string | undefined
  options: FileOptions | null
  callback: Callback | undefined
}

/** What follows the path: a name, options and a callback, each of which may be left out. */
function readDownload(rest: readonly unknown[]): Download {
  const [first, second, third] = rest
  if (typeof first === 'function') {
    return { filename: undefined, options: null, callback: first as Callback }
  }
  const isLast = typeof second === 'function'
  const callback = (isLast ? second : third) as Callback | undefined
  if (typeof first === 'object' && (isLast || second === undefined)) {
    return { filename: undefined, options: first, callback }
  }
  return { filename: first as string, options: (!isLast && second) || null, callback }
}

// Also a path of Windows, on every system.
function isAbsolute4(path: string): boolean {
  return /^(?:\/|.:[\\/]|\\\\)/s.test(path)
}

function sendFile(
  version: ExpressVersion,
  response: ExpressResponse,
  path: string,
  given: FileOptions,
  callback: Callback | undefined,
): void {
  const request = response.req as ExpressRequest
  const { next } = request
  // Express 5 lets the setting decide, whatever the option says.
  const options = version === 4 ? given : withEtag(given, response.app.enabled('etag'))
  const file = (version === 4 ? send4 : send5)(request, path, options)
  transfer(response, file, options.headers, (error) => {
    if (callback) return callback(error)
    if (error?.code === 'EISDIR') return next()
    // A client that has gone away has nobody to be told.
    if (error && error.code !== 'ECONNABORTED' && error.syscall !== 'write') next(error)
  })
}

function withEtag(options: FileOptions, etag: boolean): FileOptions {
  return Object.create(options, { etag: { value: etag } }) as FileOptions
}

/** Writes a file to a response; calls back once, when it has been sent or when it cannot be. */
function transfer(
  response: ExpressResponse,
  file: SendStream,
  headers: FileOptions['headers'],
  callback: Callback,
): void {
  let isDone = false
  // Undefined until it is known whether there is anything to stream, which a 304 has not.
  let streams: boolean | undefined
  const finish = (error?: FileError): void => {
    if (isDone) return
    isDone = true
    callback(error)
  }
  file.on('directory', () => finish(failure('EISDIR, read', 'EISDIR')))
  file.on('end', () => finish())
  file.on('error', finish)
  file.on('file', () => (streams = false))
  file.on('stream', () => (streams = true))
  if (headers) {
    file.on('headers', (outgoing: ExpressResponse) => {
      for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
    })
  }
  onFinished(response, (error: FileError | null) => {
    if (error) return finish(error.code === 'ECONNRESET' ? aborted() : error)
    // The end of the file may be told after that of the response.
    setImmediate(() => finish(streams === false ? undefined : aborted()))
  })
  file.pipe(response)
}

function aborted(): FileError {
  return failure('Request aborted', 'ECONNABORTED')
}

function failure(message: string, code: string): FileError {
  return Object.assign(new Error(message), { code })
}

import { nodeCrypto } from '../states/node-crypto.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { isThenable } from '../../../../src/ground/thenable.js'
import { describeThrown, log } from '../../../../src/ground/log.js'
import {
  checkArgument,
  checkFunction,
  checkLogger,
  checkOptions,
  checkText,
  checkTexts,
  count,
  oneOf,
  shown,
  wrongOption,
} from '../../../../src/ground/options.js'
import type { ConnectHandler, Logger } from '../../../../src/ground/types.js'
import { capture, type Captured } from '../shadow/capture.js'
import { RecordFiles } from './record-files.js'
import {
  harEntryOf,
  recordBody,
  recordHeaders,
  type RecordedExchange,
} from '../../../compare/src/recording.js'
import { maskOfRequest, secretsOf } from '../../../compare/src/redact.js'
import { unpacked } from '../../../compare/src/unpack.js'

/** Options of `recorder`: either `file` or `sink`. */
export interface RecorderOptions {
  /** Where lines are appended. */
  file?: string
  /** Gets each line, in place of a file. What it throws, or rejects with, is logged once. */
  sink?: (line: string) => unknown
  /** The share of requests that is recorded, from 0 to 1. Default 1. */
  share?: number
  /** @deprecated Write `share`, which is the same. */
  sample?: number
  /** Names whose values are left out, of fields, headers, params and elements, besides those that name secrets. */
  redact?: readonly string[]
  /** `'har'` writes HAR 1.2, which a browser's tools read. Default `'jsonl'`. */
  format?: 'jsonl' | 'har'
  /** Bytes of a body that are recorded; a larger one is left out. Default 65 536. */
  maxBodyBytes?: number
  /** Bytes of a file, after which the next one begins. Default 104 857 600. */
  maxFileBytes?: number
  /** How many files are kept, `traffic.jsonl` and `traffic.jsonl.1` to `.n`. Default 5. */
  files?: number
  /** Bytes that may wait to be written; more is not recorded. Default 16 777 216. */
  maxHeldBytes?: number
  /** Gets a line when something cannot be written. Default `console`. */
  logger?: Logger
}

/** Connect middleware that records what passes it. */
export interface Recorder extends ConnectHandler {
  /** Writes what waits, and closes the file. */
  close(): Promise<void>
  /** How many requests were written, and how many were not: there was no room, or writing has failed. */
  status(): { readonly recorded: number; readonly dropped: number }
}

const mostSessions = 10_000
/** How many cookies of a request are looked at: each is hashed. */
const mostCookies = 50

function checkShare(option: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0 && value <= 1))
    throw wrongOption(option, 'a share: a number from 0 to 1', shown(value))
}

const checks = {
  file: checkText,
  sink: checkFunction,
  share: checkShare,
  sample: checkShare,
  redact: checkTexts,
  format: oneOf('jsonl', 'har'),
  maxBodyBytes: count('bytes', 0, 2 ** 30),
  maxFileBytes: count('bytes', 1),
  files: count('a count', 1, 1000),
  maxHeldBytes: count('bytes', 1, 2 ** 31),
  logger: checkLogger,
} as const

/**
 * Connect middleware that writes down requests and their answers, a JSON object a line, for `npx routecontrollers replay`.
 *
 * Values of secrets are left out: authorization, cookies, names that say so, those of `redact`, and values that have the form of one. Memory and files are bounded; what
 * has no room is not recorded, and changes nothing for the client. Put it first, so that it sees bodies before they are read.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { recorder } from '@routecontrollers/switch'
 *
 * const lines: string[] = []
 * const app = express()
 * app.use(recorder({ sink: (line) => lines.push(line), share: 0.1, redact: ['iban'] }))
 * ```
 */
export function recorder(options: RecorderOptions): Recorder {
  checkOptions('recorder', options, checks)
  const {
    file,
    sink,
    share = options.sample ?? 1,
    format = 'jsonl',
    maxBodyBytes = 65_536,
    logger = console,
  } = options
  checkArgument('recorder', 'either file or sink', options, (file === undefined) !== (sink === undefined))
  const { maxHeldBytes = 16 * 1024 * 1024 } = options
  const secrets = secretsOf(options.redact ?? [])
  // So that an address or a cookie cannot be found by trying all there are.
  const salt = nodeCrypto().randomBytes(16)
  let recorded = 0
  let dropped = 0
  let held = 0
  let isClosed = false
  let hasFailed = false
  const tell = (error: unknown): void => {
    if (!hasFailed) log(logger, 'warn', `recorder: cannot write: ${describeThrown(error)}`)
    hasFailed = true
  }
  const fails = (error: unknown): void => {
    dropped++
    tell(error)
  }
  const files =
    file === undefined
      ? undefined
      : new RecordFiles({
          file: resolve(file),
          isHar: format === 'har',
          maxFileBytes: options.maxFileBytes ?? 100 * 1024 * 1024,
          files: options.files ?? 5,
        })
  const written = (error?: unknown): void => {
    if (error === undefined) recorded++
    else fails(error)
  }

  const hashOf = (text: string): string =>
    nodeCrypto().createHash('sha256').update(salt).update(text).digest('hex').slice(0, 12)
  /** Sessions by the cookies that were set in them: who logs in is still the same client. */
  const sessions = new Map<string, string>()
  const sessionOf = ({ headers, socket }: IncomingMessage): string => {
    const { cookie, authorization } = headers
    for (const pair of cookie?.split(/; */, mostCookies) ?? []) {
      const known = sessions.get(hashOf(pair))
      if (known !== undefined) return known
    }
    return hashOf(authorization ?? cookie ?? socket?.remoteAddress ?? '')
  }
  const learn = (cookies: string | undefined, session: string): void => {
    for (const line of cookies?.split('\n') ?? []) {
      sessions.set(hashOf(line.split(';', 1)[0]!), session)
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    }
  }

  const write = (captured: Captured, came: string, at: number, ms: number): void => {
    const { request, answer } = captured
    const cookies = answer.headers.get('set-cookie')
    // Who gets his first cookie is told apart from now on from others of his address.
    const isNew = cookies !== undefined && request.headers.cookie === undefined
    const session = isNew ? hashOf(cookies) : came
    learn(cookies, session)
    const mask = maskOfRequest(request)
    const type = request.headers['content-type'] ?? ''
    const body = captured.isRequestClipped
      ? left
      : request.body && recordBody(request.body, type, secrets, mask)
    const answerHeaders = [...answer.headers].flatMap(([name, value]) =>
      value.split('\n').map((one) => [name, one] as const),
    )
    const answerType = answer.headers.get('content-type') ?? ''
    const plain = captured.isAnswerClipped
      ? undefined
      : unpacked(answer.body, answer.headers.get('content-encoding'), maxBodyBytes)
    const answerBody =
      plain === undefined ? left : recordBody(Buffer.from(plain, 'latin1'), answerType, secrets, mask)
    const sent = pairsOf(request.rawHeaders)
    const one: RecordedExchange = {
      version: 1,
      at: new Date(at).toISOString(),
      ms: Math.round(ms * 10) / 10,
      session,
      method: request.method,
      target: secrets.redactTarget(mask(request.target)),
      headers: recordHeaders(sent, secrets, mask),
      ...(body && { body }),
      answer: {
        status: answer.status,
        headers: recordHeaders(answerHeaders, secrets, mask),
        ...(answerBody && { body: answerBody }),
      },
    }
    const line = JSON.stringify(format === 'har' ? harEntryOf(one) : one)
    if (files !== undefined) {
      if (files.waitingBytes + line.length > maxHeldBytes) return void dropped++
      return files.write(line, written)
    }
    const taken: unknown = sink!(line)
    // Its rejection would end the process.
    if (isThenable(taken)) taken.then(() => written(), fails)
    else written()
  }

  const record = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): void => {
    if (!isClosed && Math.random() < share) {
      const at = Date.now()
      const began = performance.now()
      const session = sessionOf(req)
      capture({
        incoming: req,
        outgoing: res,
        maxBytes: maxBodyBytes,
        // What is too large is left out, and the rest is recorded.
        clips: true,
        hold: (bytes) => {
          if (held + bytes > maxHeldBytes) return false
          held += bytes
          return true
        },
        release: (bytes) => void (held -= bytes),
        thrown: tell,
        done: (result) => {
          if (typeof result === 'string') return void dropped++
          held -= result.bytes
          if (isClosed) return
          try {
            write(result, session, at, performance.now() - began)
          } catch (error) {
            fails(error)
          }
        },
      })
    }
    next?.()
  }
  return Object.assign(record, {
    status: () => ({ recorded, dropped }),
    async close() {
      isClosed = true
      await files?.close()
    },
  })
}

function* pairsOf(raw: readonly string[]): Iterable<[string, string]> {
  for (let at = 0; at < raw.length; at += 2) yield [raw[at]!, raw[at + 1]!]
}

const left = { isLeftOut: true } as const

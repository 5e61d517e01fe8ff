import { isThenable } from '../ground/thenable.js'
import { headerOf, withoutHeaders } from '../answer/headers.js'
import { isLight, LightResponse, partsOf } from '../answer/light-response.js'
import { type CheckOutput, declaresStatus, validateOutput } from '../define/schema.js'
import type { OutputSchemas } from '../ground/standard-schema.js'
import type { MaybePromise } from '../ground/types.js'
import { isBodiless } from '../answer/web-response.js'
import { isBytes } from '../ground/bytes.js'

type Built = LightResponse | Response

/** How an answer is checked against the schemas of its route. */
interface OutputCheck {
  readonly mode: Exclude<CheckOutput, 'off'>
  /** The values that `res` has made answers of. */
  readonly values: WeakMap<object, unknown>
  readonly stringify: (value: unknown) => string | undefined
}

/**
 * Returns an answer that matches the schema of its status: the same answer, or with `'strip'` what the schema returns. Answers of
 * `res.json` are checked by their value. Text is checked too, as JSON where its type says so. Bytes are checked only where their
 * type says that they are JSON. Streams are sent unread.
 *
 * @throws RouteControllersError `ERR_OUTPUT_INVALID`
 */
export function checkAnswer(schemas: OutputSchemas, answer: Built, check: OutputCheck): MaybePromise<Built> {
  const { status, statusText, headers, payload } = partsOf(answer)
  declaresStatus(schemas, status)
  if (isBodiless(status) || (status >= 300 && status < 400 && payload === null)) return answer
  const finish = (value: unknown): Built =>
    check.mode === 'check'
      ? answer
      : new LightResponse(
          status,
          withoutHeaders(headers, ['content-length']),
          check.stringify(value) ?? null,
          statusText,
        )
  const holdTo = (value: unknown): MaybePromise<Built> => {
    const made = validateOutput(schemas, status, value)
    return isThenable(made) ? Promise.resolve(made).then(finish) : finish(made)
  }
  if (check.values.has(answer)) return holdTo(check.values.get(answer))
  if (payload === null) return holdTo(undefined)
  const type = headerOf(headers, 'content-type') ?? ''
  // Not application/stream+json, nor json-seq: those are sent piece by piece.
  const isJson = /^application\/(?:(?!stream\+)[\w.-]+\+)?json(?=\s*(?:;|$))/i.test(type)
  if (typeof payload === 'string') {
    // Text that is no JSON is checked against its schema, and sent as it is.
    if (isJson) return holdTo(parse(payload))
    const made = validateOutput(schemas, status, payload)
    return isThenable(made) ? Promise.resolve(made).then(() => answer) : answer
  }
  if (!isJson) return answer
  if (isBytes(payload)) return holdTo(parse(new TextDecoder().decode(payload)))
  if (isLight(answer)) return answer
  return answer
    .clone()
    .text()
    .then((text) => holdTo(parse(text)))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // For the schema to refuse.
    return text
  }
}

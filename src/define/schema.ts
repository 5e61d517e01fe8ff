import { put } from '../ground/assignable.js'
import { isThenable } from '../ground/thenable.js'
import { isRouteControllersError, RouteControllersError } from '../ground/errors.js'
import { isOptions, nameType, wrongOption } from '../ground/options.js'
import type {
  InputSchemas,
  OutputSchemas,
  SchemaIssue,
  SchemaResult,
  StandardSchema,
} from '../ground/standard-schema.js'

/** One reason why the input of a request is refused, as the client gets it. */
export interface RefusedInput {
  /** The part of the request. */
  readonly in: keyof InputSchemas
  /** Where in it, as a JSON pointer (RFC 6901); empty for all of it. */
  readonly path: string
  /** The message of the schema, without a value that the client has sent. */
  readonly message: string
}

/** The parts of a request that schemas check, in this order. */
const parts: readonly (keyof InputSchemas)[] = ['params', 'query', 'headers', 'cookies', 'body']

/** Reasons that an answer lists at most. */
const mostReasons = 100
const longestMessage = 300
const longestPath = 200

/** Throws ERR_OPTION_INVALID unless `value` holds schemas for parts of a request. */
export function checkInputSchemas(option: string, value: unknown): void {
  checkSchemas(option, value, (name) =>
    (parts as readonly string[]).includes(name)
      ? undefined
      : `has no part ${JSON.stringify(name)}; it has ${parts.join(', ')}`,
  )
}

/** Throws ERR_OPTION_INVALID unless `value` holds schemas for statuses. */
export function checkOutputSchemas(option: string, value: unknown): void {
  checkSchemas(option, value, (name) =>
    /^[2-5]\d\d$/.test(name) ? undefined : `has schemas by status, 200 to 599, not ${JSON.stringify(name)}`,
  )
}

function checkSchemas(option: string, value: unknown, problemOf: (name: string) => string | undefined): void {
  if (!isOptions(value)) throw wrongOption(option, 'an object of schemas', nameType(value))
  if ('~standard' in value) {
    const part = option.endsWith('output') ? '200' : 'body'
    throw wrongOption(option, `an object of schemas, { ${part}: schema }`, 'a schema itself')
  }
  for (const [name, schema] of Object.entries(value)) {
    const problem = problemOf(name)
    if (problem !== undefined) throw new RouteControllersError('ERR_OPTION_INVALID', `${option} ${problem}`)
    if (schema === undefined) continue
    if (isSchema(schema)) continue
    throw wrongOption(
      `${option}.${name}`,
      'a schema of Standard Schema 1, as of zod 3.24, valibot 1 or arktype 2',
      nameType(schema),
    )
  }
}

/** True for a schema of Standard Schema 1. That of arktype is a function. */
export function isSchema(value: unknown): value is StandardSchema {
  const standard = (
    value as { '~standard'?: { validate?: unknown; version?: unknown } } | null | undefined
  )?.['~standard']
  return typeof standard?.validate === 'function' && standard.version === 1
}

/** What is known of a body besides what it was parsed to. */
interface Received {
  readonly hasBody: boolean
  readonly body: { readonly isParsed: boolean; refusal(wanted: string): RouteControllersError }
}

/** What of a request schemas look at, and what takes what they make of it. */
type Checked = { [Part in keyof InputSchemas]?: unknown }

/**
 * Checks the input of a request, and replaces `params`, `query` and `body` with what the schemas return. Returns a promise only
 * where a schema returns one.
 *
 * @throws RouteControllersError `ERR_INPUT_REFUSED`, with all reasons; `ERR_SCHEMA_FAILED` for a schema that throws
 * @throws RouteControllersError `ERR_BODY_TYPE` where the type of the body is not read, and the schema refuses that there is none
 */
export function validateInput(
  schemas: InputSchemas,
  req: object,
  refusedStatus: number,
  received: Received,
): Promise<void> | undefined {
  const request = req as Checked
  const given = parts.filter((part) => schemas[part] !== undefined)
  const results = given.map((part) => validate(schemas[part]!, request[part], `input.${part}`))
  const finish = (settled: readonly SchemaResult<unknown>[]): void => {
    const reasons: RefusedInput[] = []
    const isUnread = request.body === undefined && received.hasBody && !received.body.isParsed
    if (isUnread && settled[given.indexOf('body')]?.issues) {
      throw unreadable(received.body.refusal('of another type'), 'body', schemas)
    }
    settled.forEach(({ issues }, at) => addReasons(reasons, given[at]!, request[given[at]!], issues))
    if (reasons.length > 0) {
      throw new RouteControllersError('ERR_INPUT_REFUSED', 'The input does not fit', {
        status: refusedStatus,
        errors: reasons,
      })
    }
    settled.forEach((result, at) => {
      const part = given[at]!
      // Headers and cookies stay what they are: others read them too.
      if (part === 'headers' || part === 'cookies') return
      const { value } = result as { value: unknown }
      if (value !== request[part]) put(req, part, value)
    })
  }
  if (results.some(isThenable)) return Promise.all(results.map((one) => Promise.resolve(one))).then(finish)
  finish(results as readonly SchemaResult<unknown>[])
  return undefined
}

/**
 * The error of a part of the request that could not be read, in the form of input that a schema refuses: a client of a route with
 * schemas reads one form. Of a route without schemas, and of any other failure, it is the error itself.
 */
export function unreadable(
  error: unknown,
  part: keyof InputSchemas,
  schemas: InputSchemas | undefined,
): unknown {
  if (schemas === undefined || parts.every((one) => schemas[one] === undefined)) return error
  if (!isRouteControllersError(error) || !error.expose || error.errors !== undefined) return error
  const { code, message, status, headers } = error
  const errors: readonly RefusedInput[] = [{ in: part, path: '', message }]
  return new RouteControllersError(code, message, {
    errors,
    cause: error,
    // What is shown to a client has a status.
    status: status!,
    ...(headers !== undefined && { headers }),
  })
}

type Validated = SchemaResult<unknown> | Promise<SchemaResult<unknown>>

function validate(schema: StandardSchema, value: unknown, where: string): Validated {
  const failed = (cause: unknown): never => {
    throw new RouteControllersError(
      'ERR_SCHEMA_FAILED',
      `The schema of ${where} has thrown, or returned something that is no result`,
      { cause },
    )
  }
  let result: Validated
  try {
    result = schema['~standard'].validate(value)
  } catch (error) {
    return failed(error)
  }
  // What is neither a value nor a list of issues must not count as a success.
  const checked = (one: SchemaResult<unknown>): SchemaResult<unknown> =>
    typeof one === 'object' &&
    one !== null &&
    (Array.isArray(one.issues) || (one.issues === undefined && 'value' in one))
      ? one
      : failed(undefined)
  if (!isThenable(result)) return checked(result)
  const checking = Promise.resolve(result).catch(failed).then(checked)
  // It is not awaited where the schema of another part throws at once. An unhandled rejection ends the process.
  checking.catch(() => {})
  return checking
}

function addReasons(
  reasons: RefusedInput[],
  part: keyof InputSchemas,
  value: unknown,
  issues: readonly SchemaIssue[] | undefined,
): void {
  if (issues?.length === 0) reasons.push({ in: part, path: '', message: 'Is not valid' })
  for (const issue of issues ?? []) {
    if (reasons.length >= mostReasons) return
    reasons.push({ in: part, path: pointerOf(issue), message: messageOf(issue, value) })
  }
}

function keysOf({ path }: SchemaIssue): readonly PropertyKey[] {
  return (path ?? []).map((step) => (typeof step === 'object' && step !== null ? step.key : step))
}

function pointerOf(issue: SchemaIssue): string {
  let pointer = ''
  for (const key of keysOf(issue)) {
    if (pointer.length >= longestPath) break
    // Cut first: the client has chosen how long a key is.
    pointer += `/${String(key).slice(0, longestPath).replace(/~/g, '~0').replace(/\//g, '~1')}`
  }
  return pointer.slice(0, longestPath)
}

/** What a schema says, without the value that it says it of: some libraries write it out, and it may be a password. */
function messageOf(issue: SchemaIssue, root: unknown): string {
  let value: unknown = root
  for (const key of keysOf(issue)) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined
  }
  // Cut first: to look through megabytes takes seconds.
  let message = String(issue.message).slice(0, 10 * longestMessage)
  if (typeof value === 'string' && value.length > longestCompared) return withoutBeginning(message, value)
  for (const shown of shownAs(value, issue)) message = message.split(shown).join('what was sent')
  return message.slice(0, longestMessage)
}

/** The longest text that is compared whole. To do that with a megabyte for each of a hundred reasons takes half a second. */
const longestCompared = 1_000

/** A message up to where it writes out a long text, of which it may have the beginning alone. */
function withoutBeginning(message: string, value: string): string {
  const beginning = value.slice(0, 40)
  const found = [beginning, JSON.stringify(beginning).slice(1, -1)]
    .map((shown) => message.indexOf(shown))
    .filter((at) => at >= 0)
  if (found.length === 0) return message.slice(0, longestMessage)
  return `${message.slice(0, Math.min(...found))}what was sent`.slice(0, longestMessage)
}

/** How a message may write out a value. Short ones only where that is plain: a single letter is part of any sentence. */
function shownAs(value: unknown, issue: SchemaIssue): readonly string[] {
  if (typeof value === 'string' && value !== '') {
    const quoted = [JSON.stringify(value), `"${value}"`, `'${value}'`, `\`${value}\``]
    return value.length < 4 ? quoted : [...quoted, value]
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const written = [`was ${value})`, `received ${value}`]
    return String(value).length < 4 ? written : [...written, String(value)]
  }
  // What arktype says of an object is its JSON.
  const { actual } = issue as { actual?: unknown }
  return typeof value === 'object' && typeof actual === 'string' && /[{["]/.test(actual) ? [actual] : []
}

/** How answers are checked against the schemas of their route. */
export type CheckOutput = 'check' | 'strip' | 'off'

/** How they are checked where nothing is said: not in production. */
export function defaultCheckOutput(): CheckOutput {
  // By hand: where there is no Node there is no process, and bundlers write a constant in the place of `process.env.NODE_ENV`.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.['NODE_ENV'] === 'production' ? 'off' : 'check'
}

/** The status of an answer to input that a schema refuses, where nothing is said. */
export const defaultRefusedStatus = 422

/**
 * Checks an answer against the schema of its status, and returns what the schema returns.
 *
 * @throws RouteControllersError `ERR_OUTPUT_INVALID`, with the reasons in its message
 */
export function validateOutput(schemas: OutputSchemas, status: number, value: unknown): unknown {
  const schema = schemas[status]!
  const finish = (result: SchemaResult<unknown>): unknown => {
    if (result.issues === undefined) return result.value
    // For the log alone: it may contain what a client must not read.
    const reasons = result.issues
      .slice(0, 10)
      .map((issue) => `${pointerOf(issue) || '/'}: ${messageOf(issue, value)}`)
    throw wrongAnswer(status, reasons.join('; '))
  }
  const result = validate(schema, value, `output.${status}`)
  return isThenable(result) ? result.then(finish) : finish(result)
}

/** Throws ERR_OUTPUT_INVALID for a status that has no schema. */
export function declaresStatus(schemas: OutputSchemas, status: number): void {
  if (schemas[status] === undefined) {
    throw wrongAnswer(status, `it has schemas for ${Object.keys(schemas).join(', ')} alone`)
  }
}

function wrongAnswer(status: number, reason: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_OUTPUT_INVALID',
    `The answer ${status} does not fit output: ${reason}`,
  )
}

// Makes a native callback of a handler of Express, where both surely answer alike; pure: text and syntax tree in, text or reason out.
import { replace } from '../../edit/code.js'
import type { Node } from '../../syntax/parser.js'
import type { ExpressName } from './answers.js'
import { Draft } from './draft.js'
import { GateWalk } from './gate-walk.js'
import { functionOf, hasThisOfPlace } from './handler.js'
import { helperCall } from './helper-calls.js'
import type { HelperForm, KnownHelper } from './helper.js'
import { Parameters } from './parameters.js'
import type { HandlerPlace } from './place.js'
import { Left, type NativeReasonId } from './reasons.js'
import { checkResponse, RequestReads } from './request.js'
import type { Roles } from './scope.js'
import { Statements } from './statements.js'
import { checkLeftOver, isStrange, whyStrange } from './unknown-uses.js'

/** A native callback, or why the handler is left as it is. */
export type NativeForm =
  | {
      readonly kind: 'native'
      /** The handler's text with its edits. */
      readonly text: string
      /**
       * Options that its Controller needs: the body stays with the middleware that has parsed it, or unread, as in Express. Undefined for
       * a callback of GET or HEAD that does not read it.
       */
      readonly options: "{ body: 'stream' }" | undefined
      /**
       * The type that `native` needs besides the path, as `native<'/orders/:id', Request>(…)` has it: the one that the handler has given its
       * request. Undefined where the types of a native request do.
       */
      readonly type: string | undefined
      /** The functions that it hands its response to. */
      readonly helpers: readonly KnownHelper[]
      /** What its file has to import of `routecontrollers/express` besides. */
      readonly imports: readonly ExpressName[]
    }
  | {
      readonly kind: 'left'
      readonly id: NativeReasonId
      readonly reason: string
      /** What helps. */
      readonly remedy: string
      /** Where in the source that stands. */
      readonly offset: number
    }

/**
 * The native form of a handler `(req, res)` or `(req, res, next)`, in a route of Express or under a profile of it.
 *
 * `source` is the whole text that `handler` was parsed from. All bytes outside of the edits stay. A handler is native only where each
 * member that it uses means the same natively, whatever a request brings. Any other handler is left, with the reason.
 *
 * What a name stands for is not known, and some of it is taken for what it nearly always is. The value that `res.json` gets is JSON: for
 * `undefined` a native answer is an error, and that of Express is empty. What often is undefined is left, unless it was asked for before:
 * `list.find(…)`, `list[0]`, `req.query.q`. A status is one from 200 to 599 with a body, but for 304. Values of headers and cookies
 * are texts. What `next` gets from a function with "error" in its name is an error. Comparing the answers shows where that is wrong.
 *
 * Three things differ, and are meant. A cookie with `maxAge` has no `Expires` beside its `Max-Age`. An error that a function throws which
 * the handler calls finds nothing on the response of what the handler has set before: no status below 400, header or cookie. Where
 * Express never answers a promise that rejects, the error handlers get its error.
 *
 * The handler is read, and the functions that it hands its response to. What a middleware before it leaves on Express's response is not
 * seen: a Content-Type that it has set, a `res.json` that it has replaced. Comparing the answers shows that (`parity`).
 */
export function nativeForm(source: string, handler: unknown, place: HandlerPlace = {}): NativeForm {
  try {
    const { program, findWrapper, keepsThis, whyOther } = place
    const { node, wrappers } = functionOf(handler as Node, program, findWrapper)
    const other = whyOther?.(node, wrappers)
    if (other !== undefined) throw new Left(other.id, handler as Node, other.name)
    const isAtPlace = program !== undefined && hasThisOfPlace(handler as Node, node, program, findWrapper)
    return write(new Draft(source, node, { ...place, keepsThis: keepsThis === true || isAtPlace }))
  } catch (error) {
    if (!(error instanceof Left)) throw error
    const { id, message, remedy, offset } = error
    return { kind: 'left', id, reason: message, remedy, offset }
  }
}

function write(draft: Draft): NativeForm {
  const parameters = new Parameters(draft)
  const reads = new RequestReads(draft.code, draft.scope, parameters.types)
  const body = draft.handler['body'] as Node
  const [req] = draft.handler['params'] as readonly Node[]
  checkUses(draft, body)
  new Statements(draft).function(draft.handler, false)
  checkLeftOver(draft, body)
  reads.checkParameter(req!)
  checkReads(draft, reads, body)
  const isGiven = parameters.dropUnused(body)
  if (isGiven && draft.place.script !== undefined) parameters.writeComment(reads)
  const { method } = draft.place
  const needsBody = reads.readsBody || (method !== 'GET' && method !== 'HEAD')
  return {
    kind: 'native',
    text: textOf(draft),
    options: needsBody ? "{ body: 'stream' }" : undefined,
    type: parameters.type(reads),
    helpers: [...draft.helpers],
    imports: [...draft.answers.imports],
  }
}

/** The native form of a function that handlers hand their response to. Throws Left where it has none. */
export function helperForm(
  source: string,
  helper: Node,
  roles: Roles,
  isAnswer: boolean,
  place: HandlerPlace,
): HelperForm {
  const draft = new Draft(source, helper, place, roles)
  const { code, answers, helpers } = draft
  const { types } = new Parameters(draft, roles)
  const body = helper['body'] as Node
  checkUses(draft, body)
  const kind = isAnswer ? 'answer' : gateWalk(draft).kind(body)
  if (isAnswer) {
    const type = helper['returnType'] as Node | null | undefined
    if (type) replace(code, type.start, type.end, '')
    new Statements(draft).function(helper, false)
  }
  checkLeftOver(draft, body)
  checkReads(draft, new RequestReads(code, draft.scope, types), body)
  return {
    kind,
    code,
    mayHaveType: answers.set.mayHaveType,
    helpers: [...helpers],
    imports: [...answers.imports],
  }
}

function gateWalk(draft: Draft): GateWalk {
  return new GateWalk(draft.answers, (node) => {
    if (isStrange(draft, node)) throw whyStrange(draft, node)
  })
}

/** Whether a helper is found is asked where it is called. */
function checkUses(draft: Draft, body: Node): void {
  checkResponse(body, draft.scope, (call) => helperCall(draft, call) !== undefined)
}

function checkReads({ answers }: Draft, reads: RequestReads, body: Node): void {
  reads.check(body)
  reads.rewriteLocals(body, (node) => answers.understood.has(node))
}

function textOf({ source, code, handler }: Draft): string {
  const { type, start, end, key, body } = handler as Node & { readonly key: Node; readonly body: Node }
  if (type !== 'ClassMethod' && type !== 'ObjectMethod') return code.slice(start, end)
  // A method becomes an arrow function, which has the this of its place.
  const open = source.indexOf('(', key.end)
  code.appendLeft(body.start, '=> ')
  return `${handler['async'] === true ? 'async ' : ''}${code.slice(open, end)}`
}

// The parameters of a native callback: what of those of the handler stays, and the types that it needs.
import type { Node } from '../../syntax/parser.js'
import { replace } from '../../edit/code.js'
import type { Draft } from './draft.js'
import { typeInComment } from './jsdoc.js'
import { Left } from './reasons.js'
import type { RequestReads, RequestTypes } from './request.js'
import type { Roles } from './scope.js'

export class Parameters {
  readonly #draft: Draft
  /** The type of its request, as it is written. */
  readonly #annotation: string | undefined
  readonly types: RequestTypes

  /** `roles` are those of a helper, which keeps the type of its request. */
  constructor(draft: Draft, roles?: Roles) {
    this.#draft = draft
    const { source, handler, place, code } = draft
    const params = handler['params'] as readonly Node[]
    const own = params[0]?.['typeAnnotation'] as Node | undefined
    this.#annotation =
      place.script === undefined
        ? own && source.slice(own.start, own.end).replace(/^:\s*/, '')
        : typeInComment(source, handler, params[0])
    this.types = roles === undefined ? this.#typesOf(own) : { areChecked: false, canAdd: false }
    if (roles !== undefined) {
      this.#typeResponse(params[roles.res!]!)
      return
    }
    this.#dropTypes(params)
    const [, res, next] = params
    if (next) replace(code, res!.end, next.end, '')
  }

  /** The type that the handler needs besides those of a native request. */
  type(reads: RequestReads): string | undefined {
    // In JavaScript it stands at its parameter.
    if (!this.types.areChecked || this.#draft.place.script !== undefined) return undefined
    if (this.types.isValidated === true && reads.readsSent) return this.#draft.place.validatedType
    const isOwn = this.#annotation !== undefined && !isOfExpress(this.#annotation)
    return reads.lacksTypes || isOwn ? this.#annotation : undefined
  }

  /** Whether the types of the request count, which is no `any`, and what its annotation says. */
  #typesOf(own: Node | undefined): RequestTypes {
    const { isTyped = false, takesType = false, script } = this.#draft.place
    if (script !== undefined) return { areChecked: this.#annotation !== 'any', canAdd: true, script }
    if (!isTyped || this.#annotation === 'any') return { areChecked: false, canAdd: false }
    const isValidated = this.#draft.place.validatedType !== undefined && takesType
    if (own === undefined) return { areChecked: true, canAdd: false, isValidated }
    if (!takesType && !isOfExpress(this.#annotation!)) throw new Left('req-own-type', own, this.#annotation)
    return { areChecked: true, canAdd: takesType }
  }

  /** Annotations of Express's types: natively both are inferred from the path. A request that is `any` stays so. */
  #dropTypes([req, ...others]: readonly Node[]): void {
    if (this.#draft.place.script !== undefined) {
      for (const one of this.types.areChecked ? [req!, ...others] : others) {
        const comment = /\/\*\*(?:(?!\*\/)[^])*@type\b(?:(?!\*\/)[^])*\*\/\s*$/.exec(
          this.#draft.source.slice(this.#draft.handler.start, one.start),
        )
        if (comment) replace(this.#draft.code, one.start - comment[0].length, one.start, '')
      }
      return
    }
    const ofReq = req!['typeAnnotation'] as Node | undefined
    const annotations = [...others.map((param) => param['typeAnnotation']), this.#draft.handler['returnType']]
    if (this.types.areChecked || this.#draft.place.isTyped !== true) annotations.push(ofReq)
    for (const node of annotations) {
      const annotation = node as Node | null | undefined
      if (annotation) replace(this.#draft.code, annotation.start, annotation.end, '')
    }
  }

  /** Takes away the last parameters that its text does not name any more; false where none is left. */
  dropUnused(body: Node): boolean {
    const [req, res, next] = this.#draft.handler['params'] as [Node, Node, Node?]
    const { req: name } = this.#draft.scope
    const text = this.#draft.code.slice(body.start, body.end)
    const own = name === undefined ? text : text.replaceAll(`${name}.res`, name)
    if (isNamedIn(own, this.#draft.scope.res)) return true
    const isLast = name === undefined || isNamedIn(own, name)
    const end = (next ?? res).end
    const [comma] = /^\s*,/.exec(this.#draft.source.slice(end)) ?? ['']
    replace(this.#draft.code, isLast ? req.end : req.start, end + (isLast ? 0 : comma.length), '')
    return isLast
  }

  /** The type of the request in a comment, where it needs one: the one that the handler has given it, or that of Express. */
  writeComment(reads: RequestReads): void {
    const [req] = this.#draft.handler['params'] as readonly [Node]
    const { areChecked, script } = this.types
    const isOwn = this.#annotation !== undefined && !isOfExpress(this.#annotation)
    if (!areChecked || (!reads.lacksTypes && !isOwn)) return
    const type = this.#annotation ?? "import('express').Request"
    const isWhole = script!.isStrict && reads.readsShared
    const whole = isWhole ? `${type} & { res: import('express').Response }` : type
    this.#draft.code.appendRight(req.start, `/** @type {${whole}} */ `)
  }

  /** The response of a helper is that of a native callback. */
  #typeResponse(param: Node): void {
    if (this.#draft.place.isTyped !== true) return
    const annotation = param['typeAnnotation'] as Node | null | undefined
    if (!annotation) throw new Left('res-passed', param, 'a function')
    if (!/^:\s*any$/.test(this.#draft.source.slice(annotation.start, annotation.end)))
      replace(this.#draft.code, annotation.start, annotation.end, ': ResponseBuilder')
  }
}

/** True for a type of Express's own requests: `Request<{ id: string }>`. */
function isOfExpress(annotation: string): boolean {
  return /^(?:\w+\.|import\(['"]express['"]\)\.)?(?:Express)?Request\b/.test(annotation)
}

/** True for a name that may stand in a text. */
function isNamedIn(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)
}

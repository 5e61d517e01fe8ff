// A handler whose native form is being written: what is known of it, and what has been understood so far.
import MagicString from 'magic-string'
import type { Node } from '../../syntax/parser.js'
import { Answers } from './answers.js'
import { isFreeIn } from './free-names.js'
import type { KnownHelper } from './helper.js'
import type { HandlerPlace } from './place.js'
import { Left } from './reasons.js'
import { handlerRoles, type Roles, Scope } from './scope.js'
import { Values } from './values.js'
import type { Promised } from './way.js'

export class Draft {
  readonly source: string
  readonly code: MagicString
  readonly handler: Node
  readonly place: HandlerPlace
  readonly scope: Scope
  readonly values: Values
  readonly answers: Answers
  /** Names of `next` that have been understood. */
  readonly understood: Set<Node> = new Set()
  /** The functions that get its response. */
  readonly helpers: Set<KnownHelper> = new Set()
  /** True where the statements of a try stand among those around it. */
  isUnwrapped = false
  /** In the callbacks of a call: what they give their answer to. */
  promised: Promised | undefined

  /** `roles` are those of a helper; a handler has its own. */
  constructor(source: string, handler: Node, place: HandlerPlace, roles?: Roles) {
    this.source = source
    this.code = new MagicString(source)
    this.handler = handler
    this.place = place
    if (handler['generator'] === true) throw new Left('generator', handler)
    if (roles === undefined) {
      if (handler['typeParameters']) throw new Left('type-parameters', handler)
      if ((handler['params'] as readonly Node[]).length > 3) throw new Left('error-handler', handler)
    }
    const keepsThis = roles?.keepsThis ?? place.keepsThis === true
    this.scope = new Scope(handler, place.program, { ...(roles ?? handlerRoles), keepsThis })
    this.values = new Values(this.scope)
    this.answers = new Answers(this.code, this.scope, this.values, {
      mayBeHead: !isWithoutHead(place.method),
      canImport: (name) =>
        place.takesImports === true && place.program !== undefined && isFreeIn(place.program, name),
    })
  }
}

/** True for a method whose routes HEAD does not come to. */
function isWithoutHead(method: string | undefined): boolean {
  return method !== undefined && !['GET', 'HEAD', '*'].includes(method)
}

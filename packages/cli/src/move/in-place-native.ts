// Which of the calls that move get a native callback, and why the others keep their handlers of Express.
import { expressVersions } from 'routecontrollers/express-model'
import type { Registered } from '../documents/registered.js'
import type { Node } from '../syntax/parser.js'
import { mayReject } from '../code/rejections.js'
import { nativeForm } from './native/form.js'
import { checkedScript } from '../edit/checked-scripts.js'
import type { LeftRow } from '../edit/rows.js'
import type { MovedCall, Run } from './in-place-plan.js'
import { isPlainPath } from '../edit/plain-path.js'
import { lineStarts, type SourceFile, typesOf } from '../edit/source-file.js'

/** The native callback of a call. */
export interface NativeCallback {
  /** It stands where the only handler stood. */
  readonly text: string
  /** Of its Controller. */
  readonly options: string
  /** True where its path means the same in the grammar of this package. */
  readonly hasNativePath: boolean
}

export interface NativePlan {
  readonly callbacks: ReadonlyMap<MovedCall, NativeCallback>
  /** Of rows of the inventory. */
  readonly kept: ReadonlyMap<number, LeftRow>
}

/** Plans native callbacks in the place of routes. */
export function planNative(source: SourceFile, runs: readonly Run[], registered: Registered): NativePlan {
  const callbacks = new Map<MovedCall, NativeCallback>()
  const kept = new Map<number, LeftRow>()
  for (const moved of runs.flatMap(({ calls }) => calls)) {
    const callback = callbackOf(source, moved, registered)
    if ('reason' in callback) for (const { row } of moved.routes) kept.set(row, callback)
    else callbacks.set(moved, callback)
  }
  return { callbacks, kept }
}

function callbackOf(source: SourceFile, moved: MovedCall, registered: Registered): NativeCallback | LeftRow {
  const obstacle = obstacleOf(source, moved, registered)
  if (obstacle !== undefined) return { reason: obstacle }
  const [handler] = moved.handlers as [Node]
  const { file, text } = source
  const form = nativeForm(text, handler, {
    isTyped: isTypeScript(file),
    script: checkedScript(file, text),
  })
  if (form.kind === 'native') {
    return { text: form.text, options: "{ body: 'stream' }", hasNativePath: isPlainPath(moved.path) }
  }
  const starts = lineStarts(source.text)
  const { reason, remedy, offset } = form
  return { reason, remedy, line: starts.filter((start) => start <= offset).length }
}

/** What stands around a handler and makes its native form another one. */
function obstacleOf(
  { file }: SourceFile,
  { call, route, handlers, routes }: MovedCall,
  { routers }: Registered,
): string | undefined {
  if (handlers.length !== 1) return 'it has more handlers than one'
  const [handler] = handlers as [Node]
  for (const { router, layer } of routes) {
    const { version, params, layers } = routers[router]!
    const { calls, params: names } = layers[layer]!
    if (route !== undefined && calls.length > 1) return 'its route(path) has more handlers than one'
    // It may set what native callbacks do not see, as a member of req.params.
    const param = params.find(({ name }) => names === undefined || names.includes(name))
    if (param !== undefined) return `the callback of param '${param.name}' runs before it`
    if (!expressVersions[version].catchesRejections && handler['async'] === true && mayReject(handler))
      return `Express ${version} never answers when it rejects`
  }
  return isTypeScript(file) && typesOf(call) !== undefined ? 'its call has type parameters' : undefined
}

function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file)
}

// How the functions are told that a request passes: their names, places, sources, and what they were made with.
import {
  formerHandleOf,
  type Handle,
  type Layer,
  mayPass,
  mountOf,
  ends,
  nativeAmong,
  type Route,
  type Step,
} from 'routecontrollers/express-model'
import { isController, nodeCallbackOf, type RunnableController } from 'routecontrollers/introspection'
import { redactCode } from '../../../compare/src/redact-code.js'
import type { Pass } from '../documents/inventory.js'
import type { Place } from '../documents/place.js'
import type { ArgumentText, Sources } from '../syntax/sources.js'
import { hashOf } from '../syntax/syntax.js'
import type { FunctionReader } from './functions.js'
import type { Call, Registrations } from './record.js'
import { pathTo, type Sites } from './sites.js'

interface Parts {
  readonly recorder: Registrations | undefined
  readonly functions: FunctionReader
  readonly sources: Sources
  readonly sites: Sites
  /** The path that a layer was registered with. */
  readonly pathOf: (layer: Layer) => unknown
}

export class Passes {
  readonly #parts: Parts
  readonly #told = new Map<object, Map<unknown, Map<string | undefined, Pass>>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** How a step is told. */
  pass(step: Step): Pass {
    const { owner, part, param } = step
    let ofOwner = this.#told.get(owner)
    if (ofOwner === undefined)
      this.#told.set(owner, (ofOwner = new Map<unknown, Map<string | undefined, Pass>>()))
    // One function may be the callback of several params.
    let ofPart = ofOwner.get(part)
    if (ofPart === undefined) ofOwner.set(part, (ofPart = new Map<string | undefined, Pass>()))
    let pass = ofPart.get(param)
    if (pass === undefined) ofPart.set(param, (pass = this.#describe(step)))
    // A router may be mounted at several paths, and a list may have the same function at several.
    const own = mountOf(step.through, this.#parts.pathOf)
    const mount = step.scope === undefined ? own : below(own, step.scope)
    return mount === pass.mount ? pass : { ...pass, mount }
  }

  /** How steps are told. An error handler that none of them leads to stands behind what could not be decoded. */
  of(steps: readonly Step[]): Pass[] {
    return steps.flatMap((step) => {
      const { kind, catches } = step
      if (kind !== 'error') return [this.pass(step)]
      return catches === undefined ? [] : [{ ...this.pass(step), catches }]
    })
  }

  /** True for what answers requests, and leaves some to what stands behind it: files, and other servers. */
  isKnownToAnswer(run: Handle): boolean {
    const { place } = this.#parts.functions.view(run)
    return (
      run.name === 'serveStatic' ||
      (place !== undefined && answering.test(this.#parts.sources.origin(place).file))
    )
  }

  /** False for a function that is a guard, as it gives requests on. */
  answers({ run }: Step): boolean {
    return !mayPass(run, true) || this.isKnownToAnswer(run)
  }

  #describe(step: Step): Pass {
    const { kind, owner, run, param, through } = step
    const registration =
      this.#parts.recorder?.ofLayer(owner) ?? this.#parts.recorder?.ofPart(owner, registeredPart(step))
    const site = registration && this.#parts.sites.of(registration)
    const place = site && this.#parts.sources.origin(site.place)
    const given = registration?.given
    // Express's own layer, also where the project has wrapped the function in it.
    const isLayers = this.#parts.recorder?.ofLayer(owner) !== undefined
    const other = isLayers ? this.#otherIn(owner as Layer) : undefined
    const isNative = step.behind !== undefined
    const isGiven = typeof given === 'function' && isLayers && !isNative
    const written = other ?? (isGiven ? (given as Handle) : run)
    const view = this.#parts.functions.view(written)
    const definition =
      view.place && this.#parts.sources.functionAt(view.place, Function.prototype.toString.call(written))
    const argument = place && other === undefined ? this.#argument(step, place, site.call, given) : undefined
    const via = site?.via && this.#parts.sites.shown(this.#parts.sources.origin(site.via))
    // What answers for a mount is compared by its name, as an older lock has it.
    const isNamedBySource = view.isReadable && !(kind === 'middleware' && this.answers(step))
    const isRead = view.isReadable && definition !== undefined
    // What has registered it is known, and what it was given there is not.
    const isUnread =
      registration !== undefined &&
      argument === undefined &&
      (place === undefined || other !== undefined || this.#parts.sources.isUnreadable(place))
    return {
      kind,
      name: written.name || (isNamedBySource && definition?.name) || '<anonymous>',
      at: place && this.#parts.sites.shown(place),
      via,
      definition: definition && this.#parts.sites.shown(definition.place),
      source: isRead ? hashOf(definition.syntax) : undefined,
      formerSource: isRead ? hashOf(definition.text) : undefined,
      argument: argument?.text === undefined ? undefined : redactCode(argument.text),
      made: argument?.syntax === undefined ? undefined : hashOf(argument.syntax),
      // What answers may call half of the project, and is not compared.
      sourceNames: isRead && !ends(step) ? definition.names() : undefined,
      madeNames: argument?.names,
      mount: mountOf(through, this.#parts.pathOf),
      param,
      unverifiable:
        kind !== 'options' && isUnverifiable(view.isReadable, definition?.isNested, argument, isUnread),
    }
  }

  /** What a layer calls in the place of the function that it was given; undefined where that is called, by itself or by a wrapper. */
  #otherIn(layer: Layer): Handle | undefined {
    const former = formerHandleOf(layer)
    return former === undefined || this.#parts.functions.wraps(layer.handle, former)
      ? undefined
      : layer.handle
  }

  #argument(
    { kind, owner, part, route, through, behind }: Step,
    place: Place,
    call: Call,
    given: unknown,
  ): ArgumentText | undefined {
    if (kind === 'param') return this.#parts.sources.argumentAt(place, [1])
    const isErrorHook = kind === 'error' && route === undefined && owner !== through.at(-1)
    if (kind === 'hook' || isErrorHook) {
      // With a path or without: the argument that is a function is the first that is no text.
      const first = this.#parts.sources.argumentAt(place, [0])
      return first?.text !== undefined && /^['"`]/.test(first.text)
        ? this.#parts.sources.argumentAt(place, [1])
        : first
    }
    if (isController(route)) {
      // Of all Controllers, of a group, or of this one.
      if (owner !== route || route.middleware.includes(part as never)) return this.#middlewareAt(place, call)
      const handlers = handlersOf(route)
      return this.#parts.sources.callbackAt(place, handlers && handlers.indexOf(part as Handle))
    }
    const path = pathTo(call.parameters, given)
    if (path === undefined) return undefined
    if (behind === undefined) return this.#parts.sources.argumentAt(place, path)
    const handlers = nativeAmong(route as Route, [owner as Layer])?.handlers
    return this.#parts.sources.nativeAt(place, path, handlers && handlers.indexOf(part as Handle))
  }

  /** The argument of `use(a, b)` or `group(prefix, a, b)` by which a middleware was given. */
  #middlewareAt(place: Place, { at = 0 }: Call): ArgumentText | undefined {
    const first = this.#parts.sources.argumentAt(place, [0])
    const from = first?.text !== undefined && /^['"`]/.test(first.text) ? 1 : 0
    const own = this.#parts.sources.argumentAt(place, [from + at])
    // One call in a loop has registered all of them.
    return own?.isKnown === false && at > 0 ? this.#parts.sources.argumentAt(place, [from]) : own
  }
}

/**
 * True where nothing read tells two functions apart. Of one without a text, the argument must be known. Of one that another
 * function has made, as `requireRole('admin')` has, it must be known what that was called with.
 */
function isUnverifiable(
  isReadable: boolean,
  isNested: boolean | undefined,
  argument: ArgumentText | undefined,
  isUnread: boolean,
): boolean {
  if (!isReadable) return !(argument?.isKnown && argument.text !== undefined)
  return isNested !== false && (isUnread || argument?.isKnown === false)
}

// Packages whose middleware answers, and calls next() for what it has not got.
const answering =
  /[\\/]node_modules[\\/](?:serve-static|serve-index|express-static-gzip|sirv|st|http-proxy-middleware|express-http-proxy)[\\/]/

/** What a step was registered as: the handlers of a callback with it as one. */
function registeredPart({ route, part }: Step): unknown {
  return isController(route) && handlersOf(route)?.includes(part as Handle) ? route.callback : part
}

function handlersOf({ callback }: RunnableController): readonly Handle[] | undefined {
  return nodeCallbackOf(callback)?.handlers
}

/** The path of a hook, in an app that its list is mounted in. */
function below(mount: string, scope: string): string {
  return `${mount}/${scope}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
}

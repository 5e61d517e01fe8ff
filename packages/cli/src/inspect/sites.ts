// Where code of the project has registered something.
import type { ArgumentPath, Sources } from '../syntax/sources.js'
import type { Place } from '../documents/place.js'
import type { FunctionReader } from './functions.js'
import type { Call, Registration, Registrations } from './record.js'

/** A call that has registered something. */
export interface Site {
  /** Where it stands in the file as it was loaded. */
  readonly place: Place
  /** Where the project has called a package that made it. */
  readonly via: Place | undefined
  readonly call: Call
}

export class Sites {
  readonly #sources: Sources
  /** Of each file, the lines of the functions that record calls. */
  readonly #spans = new Map<string, [first: number, last: number][]>()

  constructor(recorder: Registrations | undefined, functions: FunctionReader, sources: Sources) {
    this.#sources = sources
    for (const internal of recorder?.internals ?? []) {
      const { place } = functions.view(internal)
      if (place === undefined) continue
      const lines = Function.prototype.toString.call(internal).split('\n').length
      const spans = this.#spans.get(place.file) ?? []
      spans.push([place.line, place.line + lines - 1])
      this.#spans.set(place.file, spans)
    }
  }

  /** `src/app.ts:12`, where it was written. */
  at(registration: Registration): string | undefined {
    const place = this.of(registration)?.place
    return place && this.shown(this.#sources.origin(place))
  }

  shown({ file, line }: Place): string {
    return `${this.#sources.shown(file)}:${line + 1}`
  }

  /** Where the call was written that has registered something, and where that stands in the file as it was loaded. */
  writtenAt(
    registration: Registration,
  ):
    | { readonly origin: Place; readonly loaded: Place; readonly argument: ArgumentPath | undefined }
    | undefined {
    const site = this.of(registration)
    if (site === undefined) return undefined
    const argument = pathTo(site.call.parameters, registration.given)
    return { origin: this.#sources.origin(site.place), loaded: site.place, argument }
  }

  /** The call that has registered something, as it stands in code that is not Express's. */
  of({ call }: Registration): Site | undefined {
    const frames = this.#foreign(call)
    const [place] = frames
    if (place === undefined) return undefined
    let outermost = call
    for (let outer = call.outer; outer !== undefined; outer = outer.outer) {
      const [at] = this.#foreign(outer)
      if (at === undefined || at.file !== place.file || at.line !== place.line || at.column !== place.column)
        break
      outermost = outer
    }
    const isPackage = ({ file }: Place): boolean => /[\\/]node_modules[\\/]/.test(file)
    const via = isPackage(place) ? frames.find((frame) => !isPackage(frame)) : undefined
    return { place, via, call: outermost }
  }

  #foreign({ frames }: Call): Place[] {
    return frames.filter(
      ({ file, line }) => !this.#spans.get(file)?.some(([first, last]) => first <= line && line <= last),
    )
  }
}

/** Where a function stands among the arguments of a call. */
export function pathTo(parameters: readonly unknown[], given: unknown): ArgumentPath | undefined {
  for (const [at, parameter] of parameters.entries()) {
    if (parameter === given) return [at]
    if (!Array.isArray(parameter)) continue
    const inner = pathTo(parameter as unknown[], given)
    if (inner !== undefined) return [at, ...inner]
  }
  return undefined
}

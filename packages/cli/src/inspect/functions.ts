// Where functions are defined, and which app stands behind `app.use(path, otherApp)`: V8 knows both, and tells them through the
// inspector of this very process, without calling anything.
import inspector from 'node:inspector'
import { fileOf, type Place } from '../documents/place.js'
import type { Handle } from 'routecontrollers/express-model'

/** What V8 says of a function. */
export interface FunctionView {
  /** Undefined for a native function. */
  readonly place: Place | undefined
  /** True where the source text says what it does; not for bound and native functions. */
  readonly isReadable: boolean
}

interface RemoteObject {
  readonly type?: string
  readonly description?: string
  readonly objectId?: string
  readonly value?: unknown
}

interface Property {
  readonly name: string
  readonly value?: RemoteObject
}

interface Properties {
  readonly result?: readonly Property[]
  readonly internalProperties?: readonly Property[]
}

const key = Symbol.for('routecontrollers.looked-at')
const looked = inspector as unknown as { [key]?: unknown }
// Of the main context, where a test runner has another `globalThis` but the same modules of Node.
const expression = "process.getBuiltinModule('node:inspector')[Symbol.for('routecontrollers.looked-at')]"

// Scripts keep their numbers: what was learnt of them once need not be asked for again, which takes a while under a test runner.
const scripts = new Map<string, string>()
const sourceMapUrls = new Map<string, string>()

// A function stays where it was written. The inspector takes a tenth of a millisecond to say so, and each app has those of Express.
const views = new WeakMap<Handle, FunctionView>()
// Tracers put a few functions around one.
const mostWrapped = 50

// Each name in a text but those of members.
const wholeName = /(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gu

/** Looks at functions, until it is closed. */
export class FunctionReader {
  readonly #session = new inspector.Session()

  constructor() {
    this.#session.connect()
    this.#session.on('Debugger.scriptParsed', ({ params: { scriptId, url, sourceMapURL } }) => {
      const file = fileOf(url)
      scripts.set(scriptId, file)
      if (sourceMapURL) sourceMapUrls.set(file, sourceMapURL)
    })
  }

  /** Of each file that is loaded, the address of its source map, where it has one. */
  get sourceMapUrls(): ReadonlyMap<string, string> {
    if (scripts.size === 0) this.#learn()
    return sourceMapUrls
  }

  /** The names of all scripts that the process has compiled: of files, of Node's own, and of others. */
  get files(): Iterable<string> {
    // What was loaded since another reader has learnt of them is told now.
    this.#learn()
    return scripts.values()
  }

  /** The debugger tells of all scripts when it is switched on, and of each new one until the reader is closed. */
  #learn(): void {
    this.#session.post('Debugger.enable')
  }

  #fileOf(scriptId: string): string | undefined {
    if (!scripts.has(scriptId)) this.#learn()
    return scripts.get(scriptId)
  }

  close(): void {
    this.#session.disconnect()
  }

  view(run: Handle): FunctionView {
    let view = views.get(run)
    if (view === undefined) views.set(run, (view = this.#read(run)))
    return view
  }

  /** True for a function that names another one which it keeps, or is bound to it: it wraps that, as tracers do. */
  wraps(run: Handle, inner: Handle, seen: Set<unknown> = new Set<unknown>()): boolean {
    if (run === inner) return true
    if (seen.has(run) || seen.size >= mostWrapped) return false
    seen.add(run)
    return this.keptBy(run).some((one) => this.wraps(one, inner, seen))
  }

  /** The functions that a function names of where it was made, or is bound to. */
  keptBy(run: Handle): Handle[] {
    const internals = internalsOf(this.#session, run)
    const targets = ['[[TargetFunction]]', '[[Target]]'].flatMap((name) => {
      const target = internals.get(name)
      return target === undefined ? [] : valueOf(this.#session, target)
    })
    const named = new Set(Function.prototype.toString.call(run).match(wholeName))
    const kept = scopesOf(this.#session, internals).flatMap((scope) =>
      Object.keys(scope).flatMap((name) => (named.has(name) ? variableOf(scope, name) : [])),
    )
    return [...targets, ...kept].filter((one) => typeof one === 'function') as Handle[]
  }

  #read(run: Handle): FunctionView {
    const properties = internalsOf(this.#session, run)
    const location = properties.get('[[FunctionLocation]]')?.value as
      { scriptId: string; lineNumber: number; columnNumber: number } | undefined
    const file = location && this.#fileOf(location.scriptId)
    if (location !== undefined && file) {
      const place = { file, line: location.lineNumber, column: location.columnNumber }
      return { place, isReadable: true }
    }
    const target = properties.get('[[TargetFunction]]')
    if (target === undefined) return { place: undefined, isReadable: false }
    const bound = valueOf(this.#session, target) as Handle
    return { place: this.view(bound).place, isReadable: false }
  }
}

/** The function that another one is bound to, where that gets no more parameters; undefined for any other function. */
export function targetOf(run: Handle): unknown {
  const session = new inspector.Session()
  session.connect()
  try {
    const internals = internalsOf(session, run)
    const given = internals.get('[[BoundArgs]]')
    const isGiven = given !== undefined && propertiesOf(session, given).some(({ name }) => /^\d/.test(name))
    const target = isGiven ? undefined : internals.get('[[TargetFunction]]')
    return target && valueOf(session, target)
  } finally {
    session.disconnect()
  }
}

/** The value of a variable that a function keeps from where it was made; undefined where it has none of that name. */
export function closureOf(run: Handle, name: string): unknown {
  const session = new inspector.Session()
  session.connect()
  try {
    const scope = scopesOf(session, internalsOf(session, run)).find((one) => Object.hasOwn(one, name))
    return scope && variableOf(scope, name)
  } finally {
    session.disconnect()
  }
}

/**
 * The variables of each scope that a function was made in, by their names, the innermost first; without the global ones. The inspector
 * describes each variable that it lists, a function by all of its text. The scope of a bundle has thousands of them.
 */
function scopesOf(session: inspector.Session, internals: ReadonlyMap<string, RemoteObject>): object[] {
  const scopes = internals.get('[[Scopes]]')
  return (scopes === undefined ? [] : propertiesOf(session, scopes)).flatMap(({ value }) => {
    if (value === undefined || value.description?.startsWith('Global')) return []
    return (valueOf(session, value) as { readonly object?: object } | undefined)?.object ?? []
  })
}

/**
 * The value of a variable; undefined before its declaration has run, where V8 throws. The scope of `with` is an object of the app, so no
 * getter is called.
 */
function variableOf(scope: object, name: string): unknown {
  try {
    return Object.getOwnPropertyDescriptor(scope, name)?.value
  } catch {
    return undefined
  }
}

function internalsOf(session: inspector.Session, looksAt: Handle): Map<string, RemoteObject> {
  looked[key] = looksAt
  try {
    const { result } = post(session, 'Runtime.evaluate', { expression }) as { result: RemoteObject }
    const { internalProperties = [] } = ask(session, result)
    return new Map(internalProperties.flatMap(({ name, value }) => (value ? [[name, value]] : [])))
  } finally {
    delete looked[key]
  }
}

function propertiesOf(session: inspector.Session, of: RemoteObject): readonly Property[] {
  return ask(session, of).result ?? []
}

function ask(session: inspector.Session, { objectId }: RemoteObject): Properties {
  if (objectId === undefined) return {}
  return post(session, 'Runtime.getProperties', { objectId, ownProperties: true }) as Properties
}

/** The value itself: the inspector has no other way than to hand it to a function that it calls. */
function valueOf(session: inspector.Session, { objectId }: RemoteObject): unknown {
  if (objectId === undefined) return undefined
  const functionDeclaration = `function () { ${expression} = this }`
  try {
    post(session, 'Runtime.callFunctionOn', { objectId, functionDeclaration })
    return looked[key]
  } finally {
    delete looked[key]
  }
}

/** In its own process the inspector answers before `post` returns. */
function post(session: inspector.Session, method: string, parameters: object): unknown {
  let answer: unknown
  session.post(method, parameters, (error, result) => {
    if (error === null) answer = result
  })
  return answer ?? {}
}

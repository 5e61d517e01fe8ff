import { EventEmitter } from 'node:events'
import { METHODS } from 'node:http'
import { resolve } from 'node:path'
import { RouteControllersError } from '../errors.js'
import { checkFunction, checkOptionNames } from '../options.js'
import {
  checkSetting,
  compileEtag,
  compileQueryParser,
  compileTrustProxy,
  type ExpressSettings,
} from './settings.js'
import { ImmediateView, type RenderCallback, View, type ViewEngine } from './view.js'

/** The version of Express whose manners are meant. */
export type ExpressVersion = 4 | 5

/** What an application is given at once: `express5({ settings, views, viewEngine, engines, locals })`. */
export interface ApplicationOptions {
  /** As `app.set(name, value)` of each. */
  settings?: ExpressSettings
  /** Where views are looked up: a folder, or several in their order. Default `views`, in the working directory. */
  views?: string | readonly string[]
  /** The extension of views that are named without one: `'ejs'`. */
  viewEngine?: string
  /** As `app.engine(extension, engine)` of each. An engine that is not given is `require(extension).__express`. */
  engines?: Readonly<Record<string, ViewEngine>>
  /** What all views see. */
  locals?: Readonly<Record<string, unknown>>
}

/** What is read of an Express app, 4 or 5. */
export interface ExpressApp {
  readonly settings: object
  readonly locals: object
  readonly mountpath: string | string[]
  get(name: string): unknown
}

interface LiveApp extends ExpressApp {
  readonly settings: Record<string, unknown>
  readonly locals: Record<string, unknown>
  readonly engines: Record<string, ViewEngine>
  readonly parent: LiveApp | undefined
  path(): string
}

/**
 * What `req.app` and `res.app` are where there is no Express: settings, locals and views, with Express's names and defaults.
 *
 * One for each profile; handlers without a profile share one with the defaults of Express 5. It routes and listens to
 * nothing: `use`, `listen`, `get(path, …)` and their like throw ERR_APPLICATION_MEMBER with what to do instead.
 */
// Without private members but for its constructor's: `trustProxy` makes objects that inherit from it.
export class Application extends EventEmitter {
  readonly version: ExpressVersion
  readonly settings: Record<string, unknown>
  readonly locals: Record<string, unknown>
  /** View engines by extension, with the dot. */
  readonly engines: Record<string, ViewEngine> = Object.create(null) as Record<string, ViewEngine>
  /** Views by name, where `view cache` is enabled. */
  readonly cache: Record<string, View> = Object.create(null) as Record<string, View>
  readonly mountpath: string | string[]
  readonly parent: { path(): string } | undefined

  /** Throws ERR_OPTION_INVALID for a name or a value that is none. */
  constructor(version: ExpressVersion, options: ApplicationOptions = {}, live?: LiveApp) {
    super()
    this.version = version
    this.settings = (version === 4 ? {} : Object.create(null)) as Record<string, unknown>
    this.locals = live?.locals ?? (Object.create(null) as Record<string, unknown>)
    this.mountpath = live?.mountpath ?? '/'
    this.parent = live?.parent
    if (live === undefined) {
      this.locals['settings'] = this.settings
      for (const [name, value] of Object.entries(defaultsOf(version))) this.set(name, value)
    } else {
      copyAll(this.settings, live.settings)
      copyAll(this.engines, live.engines)
    }
    this.#configure(options)
  }

  /**
   * Takes an Express app's settings, engines and locals over, and with them its very functions for ETags, queries and
   * proxies. Settings and engines are copied as they are now; `locals` is the app's own object, which both go on to use.
   *
   * Throws ERR_OPTION_INVALID for what is no Express app.
   */
  static fromApp(app: ExpressApp): Application {
    const live = app as LiveApp
    const isApp =
      typeof app === 'function' && typeof live.path === 'function' && typeof live.settings === 'object'
    if (!isApp || typeof live.engines !== 'object') {
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `fromApp takes an Express app, as express() makes it, not ${typeof app}`,
      )
    }
    return new Application('lazyrouter' in app ? 4 : 5, {}, live)
  }

  #configure(options: ApplicationOptions): void {
    const owner = `express${this.version}`
    checkOptionNames(owner, options, ['settings', 'views', 'viewEngine', 'engines', 'locals'])
    const { settings = {}, views, viewEngine, engines = {}, locals = {} } = options
    for (const [name, value] of Object.entries({ settings, engines, locals })) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue
      throw new RouteControllersError(
        'ERR_OPTION_INVALID',
        `${owner}: ${name} is an object, not ${Array.isArray(value) ? 'a list' : typeof value}`,
      )
    }
    const all = {
      ...settings,
      ...(views !== undefined && { views }),
      ...(viewEngine !== undefined && { 'view engine': viewEngine }),
    }
    for (const [name, value] of Object.entries(all)) {
      if (value === undefined) continue
      checkSetting(owner, name, value)
      this.set(name, value)
    }
    for (const [ext, engine] of Object.entries(engines)) {
      checkFunction(`${owner}: engines[${JSON.stringify(ext)}]`, engine)
      this.engine(ext, engine)
    }
    Object.assign(this.locals, locals)
  }

  /** The value of a setting. */
  get(name: string): unknown {
    // Only a route has more: a method here would be silently no route at all.
    if (arguments.length > 1) throw unsupported('get(path, …)', routeAdvice)
    // The settings of version 4 inherit from Object.
    return name in this.settings && !(name in Object.prototype && !Object.hasOwn(this.settings, name))
      ? this.settings[name]
      : undefined
  }

  /** The value of a setting. */
  set(name: string): unknown
  /** Sets a setting. Throws, as Express does, for a value that `etag`, `query parser` or `trust proxy` cannot have. */
  set(name: string, value: unknown): this
  set(name: string, ...values: [unknown?]): unknown {
    if (values.length === 0) return this.get(name)
    const [value] = values
    this.settings[name] = value
    if (name === 'etag') this.settings['etag fn'] = compileEtag(value)
    if (name === 'query parser') this.settings['query parser fn'] = compileQueryParser(value, this.version)
    if (name === 'trust proxy') this.settings['trust proxy fn'] = compileTrustProxy(value)
    return this
  }

  enabled(name: string): boolean {
    return Boolean(this.get(name))
  }

  disabled(name: string): boolean {
    return !this.get(name)
  }

  enable(name: string): this {
    return this.set(name, true)
  }

  disable(name: string): this {
    return this.set(name, false)
  }

  /** Where the app that this was taken from is mounted, from its topmost on; `''` for one that is not. */
  path(): string {
    return this.parent === undefined ? '' : `${this.parent.path()}${String(this.mountpath)}`
  }

  /** Takes the engine for views of an extension, with or without its dot. Throws unless it is a function. */
  engine(ext: string, engine: ViewEngine): this {
    if (typeof engine !== 'function') throw new Error('callback function required')
    this.engines[ext.startsWith('.') ? ext : `.${ext}`] = engine
    return this
  }

  /** Renders a view with the locals of the application and these; `callback` gets an error or the text. */
  render(name: string, callback: RenderCallback): void
  render(name: string, options: object | undefined, callback: RenderCallback): void
  render(name: string, second: object | RenderCallback | undefined, third?: RenderCallback): void {
    const callback = typeof second === 'function' ? (second as RenderCallback) : third!
    const given = (typeof second === 'function' ? {} : (second ?? {})) as { _locals?: object }
    const options: Record<string, unknown> = {}
    for (const source of [this.locals, given._locals, given]) {
      // In version 4 what is inherited counts too.
      if (this.version === 4) copyAll(options, source ?? {})
      else Object.assign(options, source)
    }
    options['cache'] ??= this.enabled('view cache')
    const view = (options['cache'] ? this.cache[name] : undefined) ?? findView(this, name)
    if (view.path === undefined) return callback(lookupError(view))
    if (options['cache']) this.cache[name] = view
    try {
      view.render(options, callback)
    } catch (error) {
      callback(error)
    }
  }
}

function defaultsOf(version: ExpressVersion): Record<string, unknown> {
  const env = process.env['NODE_ENV'] || 'development'
  return {
    'x-powered-by': true,
    etag: 'weak',
    env,
    'query parser': version === 4 ? 'extended' : 'simple',
    'subdomain offset': 2,
    'trust proxy': false,
    view: version === 4 ? ImmediateView : View,
    views: resolve('views'),
    'jsonp callback name': 'callback',
    ...(env === 'production' && { 'view cache': true }),
  }
}

// What a mounted app inherits from its parent stands on prototypes.
function copyAll(target: Record<string, unknown>, source: object): void {
  for (const name in source) target[name] = (source as Record<string, unknown>)[name]
}

function findView(application: Application, name: string): View {
  const Found = application.get('view') as typeof View
  return new Found(name, {
    defaultEngine: application.get('view engine') as string | undefined,
    root: application.get('views') as string | readonly string[],
    engines: application.engines,
  })
}

function lookupError(view: View): Error {
  const folders = [view.root].flat()
  const quoted = (some: readonly string[]): string => some.map((folder) => `"${folder}"`).join(', ')
  const where =
    folders.length > 1
      ? `directories ${quoted(folders.slice(0, -1))} or ${quoted(folders.slice(-1))}`
      : `directory ${quoted(folders)}`
  return Object.assign(new Error(`Failed to lookup view "${view.name}" in views ${where}`), { view })
}

const routeAdvice = 'a route is a Controller: new Controller(method, path, fromExpress(…handlers))'
const routeMembers = ['all', 'route', 'del', ...METHODS.map((method) => method.toLowerCase())]
const advice: Readonly<Record<string, string>> = {
  ...Object.fromEntries(routeMembers.filter((name) => name !== 'get').map((name) => [name, routeAdvice])),
  use: 'add middleware with addGlobal(path, middleware) of RouteControllers, or before the handlers of fromExpress',
  param: 'callbacks of params are an option of the profile: express5({ params: { id: loadUser } })',
  listen: 'start a Server of routecontrollers, or RouteControllers.listen(port)',
  handle: 'call RouteControllers.middleware() or toListener(…) with the request',
  router: 'the routes are the Controllers that RouteControllers was given',
}

function unsupported(member: string, instead: string): RouteControllersError {
  return new RouteControllersError(
    'ERR_APPLICATION_MEMBER',
    `There is no Express here, and no app.${member}: ${instead}`,
  )
}

for (const [name, instead] of Object.entries(advice)) {
  const refuse = (): never => {
    throw unsupported(name, instead)
  }
  Object.defineProperty(Application.prototype, name, {
    configurable: true,
    ...(name === 'router' ? { get: refuse } : { value: refuse, writable: true }),
  })
}

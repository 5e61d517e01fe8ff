import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { RouteControllersError } from '../errors.js'

/** Called with what an engine has rendered, or with why it could not. */
export type RenderCallback = (error: unknown, html?: string) => void

/** A view engine as `app.engine(ext, engine)` takes it: `ejs.renderFile`, the `__express` of others, or one of your own. */
export type ViewEngine = (path: string, options: object, callback: RenderCallback) => unknown

/** What a view is looked up by. */
export interface ViewOptions {
  /** The setting `view engine`. */
  readonly defaultEngine: string | undefined
  /** The setting `views`: a folder, or several that are tried in their order. */
  readonly root: string | readonly string[]
  /** Engines by extension, with the dot. One that has to be loaded is kept here. */
  readonly engines: Record<string, ViewEngine>
}

/** A template: its file, found when it is made, and the engine that renders it. */
export class View {
  readonly name: string
  readonly root: string | readonly string[]
  readonly ext: string
  readonly engine: ViewEngine
  /** The template's file; undefined when there is none in any of the folders. */
  readonly path: string | undefined

  constructor(name: string, { defaultEngine, root, engines }: ViewOptions) {
    const given = extname(name)
    if (given === '' && !defaultEngine) {
      throw new Error('No default engine was specified and no extension was provided.')
    }
    this.name = name
    this.root = root
    this.ext = given || (defaultEngine!.startsWith('.') ? defaultEngine! : `.${defaultEngine}`)
    this.engine = engines[this.ext] ??= loadEngine(this.ext)
    this.path = this.#lookUp(given === '' ? name + this.ext : name)
  }

  /** Renders; `callback` is never called before this has returned. */
  render(options: object, callback: RenderCallback): void {
    let returned = false
    this.engine(this.path!, options, (error, html) => {
      if (returned) callback(error, html)
      else process.nextTick(callback, error, html)
    })
    returned = true
  }

  #lookUp(file: string): string | undefined {
    for (const root of [this.root].flat()) {
      const whole = resolve(root, file)
      const inFolder = join(dirname(whole), basename(whole, this.ext), `index${this.ext}`)
      const found = [whole, inFolder].find(isFile)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** A view as Express 4 renders it: an engine that calls back at once does so within `render`. */
export class ImmediateView extends View {
  override render(options: object, callback: RenderCallback): void {
    this.engine(this.path!, options, callback)
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The engine that a package of the application brings for an extension: `.ejs` is `require('ejs').__express`. */
function loadEngine(ext: string): ViewEngine {
  const name = ext.slice(1)
  // The application's own packages, not those that this one happens to see.
  const require = createRequire(resolve('index.js'))
  let path: string
  try {
    path = require.resolve(name)
  } catch (cause) {
    throw new RouteControllersError(
      'ERR_VIEW_ENGINE',
      `No view engine for "${ext}": npm install ${name}, or give one as engines: { ${name}: (path, options, callback) => … }`,
      { cause },
    )
  }
  const engine = (require(path) as { __express?: ViewEngine }).__express
  if (typeof engine === 'function') return engine
  throw new RouteControllersError(
    'ERR_VIEW_ENGINE',
    `Module "${name}" does not provide a view engine: it has no __express; give one as engines: { ${name}: (path, options, callback) => … }`,
  )
}

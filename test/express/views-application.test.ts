import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import { Application, type ExpressVersion } from '../../src/express/application.js'
import type { RenderCallback, View, ViewEngine } from '../../src/express/view.js'
import { refusal } from '../support/refusal.js'

const views = join(__dirname, 'support', 'views', 'first')
const naming: ViewEngine = (path, _options, callback) => callback(null, path.slice(views.length))

/** What both have. */
type App = Pick<Application, 'set' | 'get' | 'engine' | 'enable' | 'locals'> & {
  render(name: string, options: object, callback: RenderCallback): void
}

function render(app: App, name: string, options: object = {}): Promise<string> {
  return new Promise((resolve) => {
    app.render(name, options, (error, html) => resolve(error ? (error as Error).message : html!))
  })
}

/** The same steps with the app of Express and with ours. */
async function both(version: ExpressVersion, steps: (app: App) => unknown): Promise<[unknown, unknown]> {
  const theirs = (version === 4 ? express4 : express5)() as unknown as App
  return [await steps(theirs), await steps(new Application(version))]
}

describe.each([4, 5] as const)('app.render of version %i', (version: ExpressVersion) => {
  it.each([true, false, undefined])('looks a view up once where view cache is %p', async (cached) => {
    const [theirs, ours] = await both(version, async (app) => {
      app.engine('text', naming).set('views', views)
      if (cached !== undefined) app.set('view cache', cached)
      const before = await render(app, 'page.text')
      app.set('views', '/none')
      return [before, await render(app, 'page.text')]
    })
    expect(ours).toEqual(theirs)
  })

  it('takes a callback in place of options, and no options', async () => {
    const [theirs, ours] = await both(version, async (app) => {
      app.engine('text', naming).set('views', views)
      const bare = app.render.bind(app) as unknown as (...given: unknown[]) => void
      const withoutOptions = await new Promise((resolve) =>
        bare('page.text', (_error: unknown, html: string) => resolve(html)),
      )
      // Of which version 4 knows nothing.
      if (version === 4) return withoutOptions
      const withUndefined = await new Promise((resolve) =>
        bare('page.text', undefined, (_error: unknown, html: string) => resolve(html)),
      )
      return [withoutOptions, withUndefined]
    })
    expect(ours).toEqual(theirs)
  })

  it('takes the option cache for that', async () => {
    const [theirs, ours] = await both(version, async (app) => {
      app.engine('text', naming).set('views', views)
      await render(app, 'page.text', { cache: true })
      app.set('views', '/none')
      const again = await render(app, 'page.text', { cache: true })
      return [again, await render(app, 'page.text', { cache: null }), await render(app, 'page.text')]
    })
    expect(ours).toEqual(theirs)
  })

  it('says to engines whether to cache', async () => {
    const [theirs, ours] = await both(version, async (app) => {
      const seen: unknown[] = []
      app.engine('text', (_path: string, options: object, callback: RenderCallback) => {
        seen.push((options as { cache?: unknown }).cache)
        callback(null, '')
      })
      app.set('views', views)
      await render(app, 'page.text')
      await render(app, 'page.text', { cache: 'yes' })
      app.enable('view cache')
      await render(app, 'page.text', { cache: null })
      return seen
    })
    expect(ours).toEqual(theirs)
  })

  it('makes views of the class that is the setting view', async () => {
    class Own {
      readonly path: string
      constructor(name: string, options: { defaultEngine?: string; root: unknown; engines: object }) {
        this.path = `${name} ${options.defaultEngine} ${String(options.root)} ${Object.keys(options.engines).join()}`
      }
      render(options: { title?: string }, callback: RenderCallback): void {
        callback(null, `${this.path} ${options.title}`)
      }
    }
    const [theirs, ours] = await both(version, (app) => {
      app.engine('text', naming).set('views', 'database').set('view engine', 'row').set('view', Own)
      return render(app, 'users', { title: 'Users' })
    })
    expect(ours).toBe(theirs)
  })

  it('calls the engine with its view, as this', async () => {
    const [theirs, ours] = await both(version, async (app) => {
      let seen: unknown[] = []
      app.engine('text', function (this: View, _path: string, _options: object, done: RenderCallback) {
        seen = [this.name, this.ext, this.path, this.root]
        done(null, '')
      })
      app.set('views', views)
      await render(app, 'page.text')
      return seen
    })
    expect(ours).toEqual(theirs)
  })

  it('gives the view that was not found with the error', async () => {
    const [theirs, ours] = await both(version, (app) => {
      app.engine('text', naming).set('views', '/none')
      return new Promise((resolve) => {
        app.render('page.text', {}, (error) => {
          const { view } = error as { view: { name: string; root: string; ext: string; path?: string } }
          resolve([view.name, view.root, view.ext, view.path])
        })
      })
    })
    expect(ours).toEqual(theirs)
  })
})

describe('A view engine that is not given', () => {
  const cwd = process.cwd()
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'views-'))
    writeFileSync(join(folder, 'page.ejs'), '<%= title %>')
  })
  afterEach(() => {
    process.chdir(cwd)
    rmSync(folder, { recursive: true })
  })

  it('is the package of its extension', async () => {
    const application = new Application(5, { views: folder })
    expect(await render(application, 'page.ejs', { title: '<b>' })).toBe('&lt;b&gt;')
    expect(Object.keys(application.engines)).toEqual(['.ejs'])
  })

  it('is looked for among the packages of the application', () => {
    process.chdir(folder)
    return expect(render(new Application(5, { views: folder }), 'page.ejs')).rejects.toThrow(
      refusal('ERR_VIEW_ENGINE', 'npm install ejs', 'engines: { ejs:'),
    )
  })

  it('is named when it is not installed, or brings no engine', async () => {
    const application = new Application(5, { views: folder })
    await expect(render(application, 'page.none-such')).rejects.toThrow(
      refusal('ERR_VIEW_ENGINE', 'No view engine for ".none-such": npm install none-such'),
    )
    await expect(render(application, 'page.etag')).rejects.toThrow(
      refusal('ERR_VIEW_ENGINE', 'Module "etag" does not provide a view engine'),
    )
  })
})

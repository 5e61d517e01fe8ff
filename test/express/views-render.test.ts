import { readFile, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'
import type { Express } from 'express'
import { type ExpressResponse } from 'routecontrollers/express'
import type { ViewEngine } from 'routecontrollers/express'
import { type CompareOptions, describeAlike, tellError } from './support/compare.js'

const first = join(__dirname, 'support', 'views', 'first')
const second = join(__dirname, 'support', 'views', 'second')

/** Shows the template and what it was given. */
const showing: ViewEngine = (path, options, callback) => {
  const { settings, _locals, ...rest } = options as Record<string, unknown>
  callback(null, readFileSync(path, 'utf8') + JSON.stringify([typeof settings, typeof _locals, rest]))
}

const later: ViewEngine = (path, _options, callback) => {
  readFile(path, 'utf8', (error, text) => callback(error, `later ${text}`))
}

interface Views {
  views?: string | string[]
  viewEngine?: string
  engines?: Record<string, ViewEngine>
  locals?: Record<string, unknown>
}

/** The same views for the profile and for the app. */
function views({ views = first, viewEngine, engines = {}, locals = {} }: Views = {}): CompareOptions {
  return {
    profile: { views, ...(viewEngine && { viewEngine }), engines, locals },
    configure(app: Express) {
      app.set('views', views)
      if (viewEngine) app.set('view engine', viewEngine)
      for (const [ext, engine] of Object.entries(engines)) app.engine(ext, engine as never)
      Object.assign(app.locals, locals)
    },
  }
}

const once = { 'any request': {} }
const values = { title: '<Ada>', name: 'A&B' }

describeAlike(
  'a view that is named with its extension',
  { ...once, HEAD: { method: 'HEAD' } },
  (_req, res) => res.render('page.ejs', values),
  views(),
)
describeAlike(
  'a view that is named without',
  once,
  (_req, res) => res.render('page', values),
  views({ viewEngine: 'ejs' }),
)
describeAlike(
  'a view engine with a dot',
  once,
  (_req, res) => res.render('page', values),
  views({ viewEngine: '.ejs' }),
)
describeAlike(
  'a folder with an index',
  once,
  (_req, res) => res.render('folder', values),
  views({ viewEngine: 'ejs' }),
)
describeAlike('a view in a folder', once, (_req, res) => res.render('folder/index.ejs', values), views())
describeAlike('an absolute name', once, (_req, res) => res.render(join(second, 'only.ejs'), values), views())
describeAlike(
  'an engine that is given for an extension of its own',
  once,
  (_req, res) => res.render('letter.tmpl', values),
  views({
    engines: { tmpl: (path, options, callback) => void ejs.renderFile(path, options, callback as never) },
  }),
)
describeAlike(
  'the first folder that has the view',
  { one: { target: '/x?page' }, other: { target: '/x?only' } },
  (req, res) => res.render(req.url.slice(3), values),
  views({ views: [first, second], viewEngine: 'ejs' }),
)
describeAlike('a view that is not there', once, [(_req, res) => res.render('none.ejs'), tellError], views())
describeAlike(
  'a view that is in none of the folders',
  { two: {} },
  [(_req, res) => res.render('none.ejs'), tellError],
  views({ views: [first, second, '/none'] }),
)
describeAlike(
  'a view in a list of one folder that has it not',
  once,
  [(_req, res) => res.render('none.ejs'), tellError],
  views({ views: [first] }),
)
describeAlike('neither engine nor extension', once, [(_req, res) => res.render('page'), tellError], views())
describeAlike('an error in a view', once, [(_req, res) => res.render('broken.ejs'), tellError], views())
describeAlike('an error in a view, unhandled', once, (_req, res) => res.render('broken.ejs'), {
  ...views(),
  withoutProfile: false,
  // Inside, the error is the host's; its page is compared where there are no views.
})

describeAlike(
  'what a view is given',
  once,
  (_req, res) => {
    res.locals['of'] = 'response'
    res.locals['both'] = 'response'
    res.locals['all'] = 'response'
    res.render('page.text', { own: 1, all: 'options', settings: {}, cache: false })
  },
  views({ engines: { text: showing }, locals: { app: 1, both: 'app', all: 'app' } }),
)

describeAlike(
  'what a view is given of an object that inherits',
  once,
  (_req, res) =>
    res.render(
      'page.text',
      Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }) as object,
    ),
  views({ engines: { '.text': showing } }),
)

describeAlike(
  'options without',
  once,
  (_req, res) => res.render('page.text', undefined),
  views({ engines: { text: showing } }),
)

describeAlike(
  'a callback behind the options',
  once,
  (_req, res) => res.render('page.text', { a: 1 }, (error, html) => res.json([error, html])),
  views({ engines: { text: showing } }),
)
describeAlike(
  'a callback alone',
  once,
  (_req, res) => res.render('page.text', (error, html) => res.json([error, html])),
  views({ engines: { text: showing } }),
)
describeAlike(
  'a callback that gets an error',
  once,
  (_req, res) => res.render('none.text', (error, html) => res.json([error.message, html])),
  views({ engines: { text: showing } }),
)

const orderOf =
  (render: (res: ExpressResponse, callback: () => void) => void) =>
  (_req: unknown, res: ExpressResponse): void => {
    const order: string[] = []
    render(res, () => {
      order.push('rendered')
      setImmediate(() => res.json(order))
    })
    order.push('returned')
  }

describeAlike(
  'when the callback of an engine runs that calls back at once',
  once,
  orderOf((res, callback) => res.render('page.text', callback)),
  views({ engines: { text: showing } }),
)
describeAlike(
  'when the callback of app.render runs',
  once,
  orderOf((res, callback) => res.app.render('page.text', { a: 1 }, callback)),
  views({ engines: { text: showing } }),
)
describeAlike(
  'an engine that takes its time',
  once,
  (_req, res) => res.render('page.text'),
  views({ engines: { text: later } }),
)
describeAlike(
  'an engine that throws',
  once,
  [(_req, res) => res.render('page.text'), tellError],
  views({
    engines: {
      text() {
        throw new RangeError('not like this')
      },
    },
  }),
)
describeAlike(
  'an engine that answers with an error',
  once,
  [(_req, res) => res.render('page.text'), tellError],
  views({ engines: { text: (_path, _options, callback) => callback(new RangeError('not like this')) } }),
)

describeAlike(
  'an app.engine of the wrong kind',
  once,
  [(_req, res) => res.app.engine('text', 'engine' as never) && res.end(), tellError],
  views(),
)

import type { Act } from './tables.js'

/** Which handlers have been called, one after the other. */
export type Trace = string[]

type Handler = (...parameters: any[]) => unknown

/** What a handler can see of its request. */
function seen(req: any, name: string): object {
  const { params } = req
  return {
    name,
    params,
    names: Object.keys(params ?? {}),
    prototype: params && Object.getPrototypeOf(params) === null ? 'none' : 'ordinary',
    query: req.query,
    url: req.url,
    originalUrl: req.originalUrl,
    baseUrl: req.baseUrl,
    path: req.path,
    route: String(req.route?.path),
    hostname: req.hostname,
    protocol: req.protocol,
    ip: req.ip,
    xhr: req.xhr,
    fresh: req.fresh,
    body: req.body,
    next: typeof req.next,
  }
}

function failure(name: string, details: object = {}): Error {
  return Object.assign(new Error(name), { stack: `Error: ${name}\n    at  <b>`, ...details })
}

const acts: Record<Act, (name: string, req: any, res: any, next: any, error?: any) => unknown> = {
  json: (name, req, res) => res.json(seen(req, name)),
  send: (name, _req, res) => res.status(201).send(`<p>${name}</p>`),
  buffer: (name, _req, res) => res.set('X-Name', name).type('text/csv').send(Buffer.from('a;é')),
  end: (name, _req, res) => res.status(202).end(name),
  sendStatus: (_name, _req, res) => res.sendStatus(204),
  redirect: (name, req, res) => res.redirect(`/to/${name}?from=${encodeURIComponent(req.path)}`),
  cookie: (name, _req, res) => res.cookie(name, { a: 1 }, { maxAge: 1000 }).json(['é', '<']),
  body: (name, req, res) => res.status(203).json({ name, body: req.body, type: typeof req.body }),
  null: (_name, _req, res) => res.send(null),
  next: (_name, _req, _res, next) => next(),
  'next after a header': (name, _req, res, next) => {
    res.setHeader('X-From', name)
    res.status(207)
    res.cookie('from', name)
    next()
  },
  'next route': (_name, _req, _res, next) => next('route'),
  'next router': (_name, _req, _res, next) => next('router'),
  'next error': (name, _req, _res, next) =>
    next(failure(name, { status: 422, headers: { 'X-Error': name } })),
  'next twice': (_name, _req, _res, next) => {
    next()
    next()
  },
  'next later': (_name, _req, _res, next) => void setImmediate(() => next()),
  throw: (name) => {
    throw failure(name)
  },
  'throw a status': (name) => {
    throw failure(name, { statusCode: 418, expose: true })
  },
  'throw a string': (name) => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw `thrown ${name}`
  },
  reject: async (name) => {
    throw failure(name, { status: 299 })
  },
  'handle error': (name, req, res, _next, error) =>
    res.status(error.status ?? 503).json({ ...seen(req, name), message: String(error.message ?? error) }),
  'pass error': (_name, _req, _res, next, error) => next(error),
  'forgive error': (_name, _req, _res, next) => next(),
  rewrite: (_name, req, _res, next) => {
    req.url = req.url.replace('b', 'a')
    next()
  },
}

/** Makes the handler of an act; it has the four parameters of an error handler where the act is for errors. */
export function makeHandler(act: Act, name: string, trace: Trace): Handler {
  const run = acts[act]
  if (act.endsWith(' error') && act !== 'next error') {
    return (error: any, req: any, res: any, next: any) => {
      trace.push(name)
      return run(name, req, res, next, error)
    }
  }
  return (req: any, res: any, next: any) => {
    trace.push(name)
    return run(name, req, res, next)
  }
}

/** Makes a callback of a param, which notes that it was called and changes the value. */
export function makeParamCallback(name: string, trace: Trace): Handler {
  return (req: any, _res: any, next: any, value: unknown) => {
    trace.push(`param ${name} ${String(value)}`)
    if (value === 'x') return next('route')
    if (value === 'B') return next(failure(`param ${name}`, { status: 404 }))
    req.params[name] = `(${String(value)})`
    next()
  }
}

// Random programs whose routers can mostly become groups, as text: nested mounts, guards of all kinds, and what stands in the way of some.
import { below, pick, type Random } from '../../hard/random.js'

export interface RandomProgram {
  readonly version: 4 | 5
  /** The body of `(express, see, fail) => ({ app, hooks })`, where `hooks` stand at `/` of the app. */
  readonly text: string
}

const segments = ['a', 'b', 'c', 'd', 'users', 'teas', 'x.y']

/** Makes a program; the same chances make the same one. */
export function createRandomProgram(random: Random): RandomProgram {
  const lines: string[] = []
  /** Before all else. */
  const known: string[] = []
  let count = 0
  const name = (stem: string): string => `${stem}${++count}`
  const path = (): string =>
    `/${Array.from({ length: 1 + below(random, 2) }, (_one, at) =>
      random() < 0.3 ? `:p${at}` : pick(random, segments),
    ).join('/')}`
  const mount = (): string => (random() < 0.1 ? '/' : random() < 0.08 ? path() : `/${pick(random, segments)}`)
  const body = (own: string, last: string): string =>
    `(req, res, next) => { const seen = see(req, '${own}'); if (req.query.stop === '${own}') return res.status(403).json(seen); ` +
    `if (req.query.fail === '${own}') return next(fail('${own}')); ${last} }`
  const guard = (): string => {
    const own = name('g')
    const text = `const ${own} = ${body(own, `res.append('X-Passed', '${own}'); next()`)}`
    if (random() < 0.8) known.push(text)
    else lines.push(text)
    return own
  }
  const guards = (most: number): string[] =>
    Array.from({ length: below(random, most + 1) }, () => {
      if (random() < 0.7) return guard()
      const own = name('g')
      return body(own, 'next()')
    })
  const handler = (): string => {
    const own = name('h')
    const last = random() < 0.05 ? 'next()' : 'res.json(seen)'
    return body(own, random() < 0.1 ? `setImmediate(() => ${last})` : last)
  }
  const route = (router: string): void => {
    const own = random() < 0.1 ? '/' : path()
    const verb = (): string => pick(random, ['get', 'get', 'get', 'post', 'put', 'all', 'delete'])
    const before = guards(1)
      .map((one) => `${one}, `)
      .join('')
    if (random() < 0.1) {
      lines.push(`${router}.route('${own}').${verb()}(${before}${handler()}).${verb()}(${handler()})`)
    } else lines.push(`${router}.${verb()}('${own}', ${before}${handler()})`)
  }
  const fill = (router: string, depth: number): void => {
    for (let left = 1 + below(random, 5); left > 0; left--) {
      const what = random()
      if (what < 0.2) {
        const own = random() < 0.3 ? `'${mount()}', ` : ''
        const list = guards(2)
        if (list.length > 0) lines.push(`${router}.use(${own}${list.join(', ')})`)
      } else if (what < 0.35 && depth < 2) create(router, depth + 1)
      else route(router)
    }
  }
  const create = (parent: string, depth: number): void => {
    const router = name('router')
    lines.push(`const ${router} = express.Router(${random() < 0.05 ? '{ strict: true }' : ''})`)
    if (random() < 0.6) fill(router, depth)
    // What stands at / of the app between mounts would be of all groups behind, and of none before.
    const place = parent === 'app' ? mount().replace(/^\/$/, '/a') : mount()
    const list = guards(2).map((one) => `${one}, `)
    lines.push(`${parent}.use(${place === '/' ? '' : `'${place}', `}${list.join('')}${router})`)
    if (lines.length < 40) fill(router, depth)
  }

  lines.push('const app = express()', "app.set('env', 'test')")
  const hooks = Array.from({ length: below(random, 3) }, guard)
  for (const one of hooks) lines.push(`app.use(${one})`)
  for (let left = 2 + below(random, 3); left > 0; left--) {
    if (random() < 0.2) lines.push(`app.use('${mount().replace(/^\/$/, '/a')}', ${guard()})`)
    if (random() < 0.2) route('app')
    create('app', 0)
  }
  lines.push('app.use((req, res) => res.status(404).json(see(req, "none")))')
  lines.push('app.use((error, req, res, next) => res.status(500).send(error.message))')
  lines.push(`return { app, hooks: [${hooks.join(', ')}] }`)
  return { version: random() < 0.5 ? 4 : 5, text: [...known, ...lines].join('\n') }
}

/** A request that has a chance to be matched, mostly of one of the given paths. */
export function createRandomRequest(
  random: Random,
  paths: readonly string[],
): { method: string; url: string } {
  const known =
    random() < 0.7 && paths.length > 0 ? pick(random, paths).slice(1).replace(/:p\d/g, '7') : undefined
  const list =
    known?.split('/') ??
    Array.from({ length: 1 + below(random, 4) }, () => pick(random, [...segments, 'USERS', '7']))
  const asked =
    random() < 0.3
      ? `?${pick(random, ['stop', 'fail'])}=${pick(random, ['g', 'h'])}${1 + below(random, 30)}`
      : ''
  const method = pick(random, ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'])
  return { method, url: `/${list.join('/')}${random() < 0.15 ? '/' : ''}${asked}` }
}

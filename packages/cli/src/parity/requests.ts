// The requests that `parity` makes: of each route the one that reaches it, and those that routers have been seen to disagree about.
import type { LockedRoute } from '../check/lock.js'
import type { ParityRequest } from '../../../compare/src/request.js'

type Headers = Readonly<Record<string, string>>

const safe = ['GET', 'HEAD', 'OPTIONS']
// What takes away comes last, so that the others still find it.
const order = [...safe, 'POST', 'PUT', 'PATCH']
const lastSegment = /\/(?=[^/]*$)/

const pathVariants: Readonly<Record<string, (path: string) => string>> = {
  'trailing slash': (path) => (path.endsWith('/') ? path.slice(0, -1) || '/' : `${path}/`),
  'upper and lower case': (path) =>
    path.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
  'slash twice': (path) => path.replace(lastSegment, '//'),
  '%2F': (path) => `/${path.slice(1).replace(lastSegment, '%2F')}`,
  'encoded letter': (path) =>
    path.replace(/[a-z](?=[^/]*$)/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'malformed %': (path) => `${path}%`,
  'dot segment': (path) => path.replace(lastSegment, '/./'),
  'dots up': (path) => `/x/..${path}`,
  unicode: (path) => `${path}%C3%A9`,
}

const queries = ['?a=1&a=2&b[c]=3', '?%']

const headerVariants: readonly (readonly [name: string, headers: Headers])[] = [
  ['If-None-Match', { 'if-none-match': '*' }],
  ['Accept', { accept: 'application/json' }],
  ['Accept', { accept: 'text/html' }],
]

/** What is known of the code of a route: names of its query, and media types that it distinguishes. */
export interface KnownInputs {
  readonly query: readonly string[]
  readonly accepts: readonly string[]
}

/** All requests for some routes. `tokens` are headers that guards read. */
export function planRequests(
  routes: readonly LockedRoute[],
  tokens: readonly (readonly [name: string, value: string])[],
  isUnsafe: boolean,
  inputsOf: (row: LockedRoute) => KnownInputs | undefined = () => undefined,
): ParityRequest[] {
  const all: Headers = Object.fromEntries(tokens)
  const each = tokens.length > 1 ? tokens.map(([name, value]): Headers => ({ [name]: value })) : []
  const few: Headers[] = tokens.length > 0 ? [{}, all] : [{}]
  const planned = new Map<string, ParityRequest>()

  const plan = (row: LockedRoute, method: string, target: string, own: Headers, body?: string): void => {
    if (!isUnsafe && !safe.includes(method)) return
    const [path, query = ''] = splitTarget(target)
    const inputs = inputsOf(row)
    const add = (variant: string, headers: Headers, other: Partial<ParityRequest> = {}): void => {
      const app = row.app ?? 0
      const route = `${row.method} ${row.path}`
      const isMount = row.kind === 'mount'
      const request = { app, route, isMount, method, target, variant, headers, body, ...other }
      const key = keyOf(request)
      if (!planned.has(key)) planned.set(key, request)
    }
    for (const headers of [...few, ...each]) add('', { ...own, ...headers })
    for (const given of few) {
      const headers = { ...own, ...given }
      for (const [variant, change] of Object.entries(pathVariants))
        add(variant, headers, { target: change(path) + query })
      const known = inputs === undefined ? [] : queriesOf(inputs.query)
      if (query === '')
        for (const more of [...queries, ...known]) add('query', headers, { target: path + more })
      for (const [variant, more] of headerVariants) add(variant, { ...headers, ...more })
      for (const accept of inputs?.accepts ?? []) add('Accept', { ...headers, accept })
      if (method === 'GET') add('HEAD', headers, { method: 'HEAD' })
      add('OPTIONS', headers, { method: 'OPTIONS', body: undefined })
      if (!safe.includes(method)) {
        add('malformed body', { ...headers, ...json }, { body: '{' })
        add('no body', headers, { body: undefined })
      }
    }
  }

  for (const row of routes) {
    const [witnessMethod = row.method, witness] = row.witness?.split(' ') ?? []
    const methods = row.method === '*' ? ['GET', 'POST'] : [witnessMethod]
    for (const method of methods) {
      const isSafe = safe.includes(method)
      if (witness !== undefined) plan(row, method, witness, isSafe ? {} : json, isSafe ? undefined : '{}')
      for (const { url = witness, headers = {}, body } of row.samples ?? []) {
        if (url === undefined) continue
        const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
        const own = Object.fromEntries(names) as Headers
        if (body === undefined || isSafe) plan(row, method, url, own)
        else if (typeof body === 'string') plan(row, method, url, own, body)
        else plan(row, method, url, { ...json, ...own }, JSON.stringify(body))
      }
    }
  }
  const rank = ({ method }: ParityRequest): number =>
    order.includes(method) ? order.indexOf(method) : order.length + (method === 'DELETE' ? 1 : 0)
  return [...planned.values()].sort((a, b) => rank(a) - rank(b))
}

/** All of them, and each alone: `?q=1&sort=1`. */
function queriesOf(names: readonly string[]): string[] {
  const each = names.map((name) => `${encodeURIComponent(name)}=1`)
  return each.length < 2
    ? each.map((one) => `?${one}`)
    : [`?${each.join('&')}`, ...each.map((one) => `?${one}`)]
}

const json: Headers = { 'content-type': 'application/json' }

/** What makes a request the same as another one. */
export function keyOf({ app, method, target, headers, body }: ParityRequest): string {
  return JSON.stringify([app, method, target, headers, body])
}

function splitTarget(target: string): [path: string, query?: string] {
  const at = target.indexOf('?')
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at)]
}

/**
 * The routes that every contender registers and the requests that are measured, with the answer that all must give.
 *
 * A route has a kind instead of a handler: each contender writes the handler of a kind as its own docs would.
 *
 * @typedef {'hello' | 'user' | 'echo'} Kind
 * @typedef {{ method: 'GET' | 'POST', path: string, kind: Kind }} Route
 * @typedef {{ method: string, path: string, body?: string, answer: string }} BenchRequest
 */

/** @type {Route[]} */
const measured = [
  { method: 'GET', path: '/hello', kind: 'hello' },
  { method: 'GET', path: '/users/:id', kind: 'user' },
  { method: 'POST', path: '/echo', kind: 'echo' },
]

const order = '{"name":"Green tea","price":3.5,"tags":["loose","organic"]}'

/** @type {Record<string, BenchRequest>} */
export const requests = {
  'GET static': { method: 'GET', path: '/hello', answer: '{"message":"Hello"}' },
  'GET /users/:id': { method: 'GET', path: '/users/42', answer: '{"id":"42"}' },
  'POST JSON echo': { method: 'POST', path: '/echo', body: order, answer: order },
}

/**
 * So many routes, those that are measured in the middle: what a router pays that looks at one after the other is the
 * mean of all. `measuredFirst` puts them first; `prefix` moves all of them to where the requests do not match.
 *
 * @returns {Route[]}
 */
export function createRoutes({ count = 100, measuredFirst = false, prefix = '' } = {}) {
  const others = Array.from({ length: count - measured.length }, (_, at) => createOther(at))
  const middle = measuredFirst ? 0 : Math.floor(others.length / 2)
  const routes = [...others.slice(0, middle), ...measured, ...others.slice(middle)]
  return routes.map((route) => ({ ...route, path: prefix + route.path }))
}

/** @returns {Route} */
function createOther(at) {
  const resource = `/api/resource-${Math.floor(at / 3)}`
  if (at % 3 === 0) return { method: 'GET', path: resource, kind: 'hello' }
  if (at % 3 === 1) return { method: 'GET', path: `${resource}/:id`, kind: 'user' }
  return { method: 'POST', path: resource, kind: 'echo' }
}

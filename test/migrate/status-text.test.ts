// What the texts of reports say of routes that are written here.
import type { ProveReport } from '@routecontrollers/cli'
import type { NextStep, StatusReport } from '../../packages/cli/src/documents/status.js'
import { reviews } from '../../packages/cli/src/report/review.js'
import { statusText } from '../../packages/cli/src/report/status-text.js'

it.each<[NextStep, string]>([
  [
    { by: 'set', route: 'GET /x', state: 'native', isProvedFirst: true },
    "prove 'GET /x', then set('GET /x', 'native')",
  ],
  [{ by: 'set', route: '* /x', state: 'native', isProvedFirst: true }, "prove '* /x', then set"],
  [{ by: 'set', route: 'HEAD /x', state: 'native', isProvedFirst: true }, "prove 'HEAD /x', then set"],
  [{ by: 'set', route: 'PUT /x', state: 'native', isProvedFirst: true }, "prove 'PUT /x' --unsafe, then set"],
  [{ by: 'set', route: 'PUT /x', state: 'shadow' }, "  set('PUT /x', 'shadow')"],
  [{ by: 'set', route: "GET /it's", state: 'shadow' }, `set("GET /it's", 'shadow')`],
  [{ by: 'move', route: 'GET /x' }, "routecontrollers move 'GET /x' --write --run 'npm run build'"],
])('status says what comes next: %j', (next, text) => {
  const [method, path] = next.route.split(' ') as [string, string]
  const row = {
    ...{ app: 0, method, path, stands: 'beside', state: undefined, passes: 1 },
    at: undefined,
    next,
  }
  const report = { version: 1, run: 'npm run build', counts: {}, routes: [row], unused: [] }
  expect(statusText(report as unknown as StatusReport, { colours: false })).toContain(text)
})

it('the review of prove tells a request that was made from the same one of a recording', () => {
  const changes = [{ what: 'body', name: '$.a', legacy: '1', now: '2' }]
  const one = {
    method: 'GET',
    target: '/x',
    route: 'GET /x',
    variant: '',
    headers: [],
    changes,
    at: 'a.js:1',
  }
  const groups = [{ cause: 'another body', routes: ['GET /x'], differences: [one] }]
  const part = { ok: false, compared: 1, planned: 1, legacy: 'legacy', now: 'now', groups, notes: [] }
  const given = { check: undefined, missing: [], routes: [], limits: [], verdict: 'different' }
  const { remarks } = reviews.prove({ ...given, parity: part, replay: part } as unknown as ProveReport)
  expect(remarks.map(({ text }) => text)).toEqual(['GET /x: body $.a', 'GET /x: body $.a'])
  expect(new Set(remarks.map(({ key }) => key)).size).toBe(2)
})

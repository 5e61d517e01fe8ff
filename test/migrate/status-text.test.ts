// What the texts of reports say of routes that are written here.
import type { ProveReport } from '@routecontrollers/cli'
import type { CheckCode, CheckReport } from '../../packages/cli/src/documents/check.js'
import type { DoctorCode, DoctorReport } from '../../packages/cli/src/documents/doctor.js'
import type { FindingKind } from '../../packages/cli/src/documents/inventory.js'
import type { ParityReport } from '../../packages/cli/src/documents/parity.js'
import type { MissingCode } from '../../packages/cli/src/documents/prove.js'
import type { NextStep, StatusReport } from '../../packages/cli/src/documents/status.js'
import { failureOf } from '../../packages/cli/src/entry/command-context.js'
import type { CommandOptions } from '../../packages/cli/src/entry/options.js'
import type { Command } from '../../packages/cli/src/entry/options-table.js'
import type { RunOutcome } from '../../packages/cli/src/entry/run-entry.js'
import { changeKinds, checkFindings } from '../../packages/cli/src/report/check-findings.js'
import { toldFound } from '../../packages/cli/src/report/doctor-findings.js'
import { toldFinding } from '../../packages/cli/src/report/inspect-findings.js'
import { toldMissing } from '../../packages/cli/src/report/prove-missing.js'
import { checkSummary, reviews } from '../../packages/cli/src/report/review.js'
import { statusText } from '../../packages/cli/src/report/status-text.js'
import { exitCodeOf } from '../../packages/cli/src/report/tell-parity.js'

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

describe('The tables of findings', () => {
  const only = { only: 'ONLY', takenOver: false }
  const guard = { name: 'guard', argument: "guard('a')", param: undefined, file: 'a.js' }
  const other = { ...guard, name: 'other', argument: undefined }
  const putBack = 'put it back, or accept it: --accept ROUTE --because REASON'
  const readable = 'give a function that is written in a file, or the call that makes it'
  const profile = 'profile: fromApp(app), or ONLY'
  const respell =
    "write '/x' as the path of the Controller, or give it the profile of the app: profile: fromApp(app)"
  const renew =
    'routecontrollers inspect ENTRY --lock routes.lock.json, when you have seen that it is guarded'

  it.each<[CheckCode, object, kind: string, severity: string, what: string, moved?: string, still?: string]>([
    [
      'spelling',
      { path: '/x/' },
      'settings',
      'error',
      'the path of the Controller GET /x/ has a slash at the end, so it answers other requests',
      respell,
      respell,
    ],
    ['gone', {}, 'gone', 'error', 'is not there any more', putBack, putBack],
    [
      'gone',
      { instead: { by: 'middleware', name: 'wall', at: 'a.js:1' } },
      'gone',
      'error',
      'is not there any more; the middleware wall a.js:1 gets its requests',
      putBack,
      putBack,
    ],
    ['new', {}, 'new', 'warning', 'is not in the lock', renew, renew],
    [
      'shadowed',
      { by: 'GET /y' },
      'shadowed',
      'error',
      'by GET /y',
      'ONLY before it in the list, which keeps what guards it; or a Controller of this route, with all that it has lost, before GET /y',
    ],
    [
      'lost',
      { pass: other, step: 'middleware', mount: '/' },
      'lost',
      'error',
      'other',
      'addGlobal(other); or ONLY, which keeps them',
      putBack,
    ],
    [
      'lost',
      { pass: other, step: 'middleware', native: 'show' },
      'lost',
      'error',
      'other, which stands behind the native callback show',
      'put the native callback behind other, in the route',
      'put the native callback behind other, in the route',
    ],
    [
      'lost',
      { pass: other, step: 'error' },
      'lost',
      'error',
      'other, an error handler behind the route',
      'addGlobal(other); or ONLY, which keeps them',
      putBack,
    ],
    [
      'lost',
      { pass: other, step: 'error', list: '/' },
      'lost',
      'error',
      'other, an error handler behind the route',
      putBack,
      putBack,
    ],
    [
      'lost',
      { pass: other, step: 'native' },
      'lost',
      'error',
      'other',
      'use(other) of the Controller, or of its group',
      putBack,
    ],
    [
      'lost',
      { pass: other, step: 'hook' },
      'lost',
      'error',
      'other',
      'addGlobal(other) of the list',
      putBack,
    ],
    [
      'changed',
      { was: other, pass: other, how: 'reads' },
      'changed',
      'error',
      'other, which reads or calls something else by its names',
      putBack,
      putBack,
    ],
    [
      'reordered',
      { pass: guard, behind: other },
      'reordered',
      'error',
      "guard (guard('a')) behind other",
      putBack,
      putBack,
    ],
    [
      'reordered',
      { pass: other, inFrontOf: guard },
      'reordered',
      'error',
      "other in front of guard (guard('a'))",
      putBack,
      putBack,
    ],
    [
      'let-on',
      { pass: guard, of: [other] },
      'let-on',
      'error',
      "guard (guard('a')): an error handler stands now between other and the route, and an error of other may be let on",
      'put it behind the routes, or accept it: --accept ROUTE --because REASON',
      'put it behind the routes, or accept it: --accept ROUTE --because REASON',
    ],
    [
      'reordered-handlers',
      { handler: 'show' },
      'reordered',
      'error',
      'show, a handler of this method and this path that stood behind this one',
      putBack,
      putBack,
    ],
    [
      'not-a-guard',
      { guards: ['GET /y'] },
      'not-a-guard',
      'error',
      'does not guard GET /y: without a profile the most specific Controller answers alone',
      'addGlobal(guard), or a profile: profile: fromApp(app)',
      'addGlobal(guard), or a profile: profile: fromApp(app)',
    ],
    [
      'twice',
      {},
      'twice',
      'warning',
      'is still in the app',
      'take it out of the app',
      'take it out of the app',
    ],
    ['strict', { is: true }, 'settings', 'warning', 'a slash at the end makes another path now', profile],
    ['strict', { is: false }, 'settings', 'warning', 'a slash at the end is ignored now', profile],
    [
      'case-sensitive',
      { is: true },
      'settings',
      'warning',
      'upper and lower case make another path now',
      profile,
    ],
    ['case-sensitive', { is: false }, 'settings', 'warning', 'case is ignored now', profile],
    ['trust-proxy', { was: false, is: 1 }, 'settings', 'error', 'trust proxy was false, and is 1', profile],
    [
      'mounted-trust-proxy',
      { was: [], is: [true, 1] },
      'settings',
      'error',
      'trust proxy of a mounted app was that of the app, and is true, 1',
      profile,
    ],
    [
      'params',
      { lost: ['a'], gained: ['b'] },
      'params',
      'warning',
      'without a, with b',
      'ONLY, which keeps them',
    ],
    [
      'unverifiable',
      { pass: other },
      'unverifiable',
      'warning',
      'other, of which neither the text nor the argument can be read',
      readable,
      readable,
    ],
    [
      'unverifiable-route',
      {},
      'unverifiable',
      'warning',
      'no request was found that reaches it, so what guards it cannot be told',
      readable,
      readable,
    ],
    ['gained', { pass: other }, 'gained', 'warning', 'other'],
    ['unreachable', { by: 'wall' }, 'unreachable', 'error', 'by wall'],
  ])('say of check what %s %j is, and what helps', (code, facts, kind, severity, what, ...helps) => {
    const entry = checkFindings[code]
    const finding = { code, route: 'GET /x', app: 0, at: undefined, ...facts } as never
    expect([entry.kind, entry.severity, entry.what(finding)]).toEqual([kind, severity, what])
    const remedies = [true, false].map((isMoved) => entry.remedy([finding], { ...only, moved: isMoved }))
    expect(remedies).toEqual([helps[0], helps[1]])
  })

  it('say what is found whatever the lock says, and what may stand in the place of what', () => {
    const codes = Object.entries(checkFindings).flatMap(([code, { lasts }]) => (lasts ? code : []))
    expect(codes).toEqual(['not-a-guard', 'unverifiable', 'unverifiable-route'])
    const kinds = (trait: 'isOfPassed' | 'mayReplace' | 'mayBeReplaced'): string[] =>
      Object.entries(changeKinds).flatMap(([kind, traits]) => (traits[trait] ? kind : []))
    expect(kinds('isOfPassed')).toEqual(['lost', 'changed', 'reordered'])
    expect(kinds('mayReplace')).toEqual(['gained', 'changed', 'reordered', 'shadowed', 'unreachable'])
    expect(kinds('mayBeReplaced')).toEqual(['lost', 'changed', 'reordered', 'shadowed', 'unreachable'])
  })

  it.each<[FindingKind, object, severity: string, message: string]>([
    [
      'duplicate',
      { first: { by: 'Express', at: 'a.js:1' } },
      'warning',
      'is registered already: Express a.js:1',
    ],
    [
      'shadowed',
      { by: { by: 'Express', route: 'GET /y', at: 'a.js:1' } },
      'warning',
      'is answered before by GET /y, Express a.js:1',
    ],
    [
      'unreachable',
      { by: { name: 'wall', at: 'a.js:1' } },
      'warning',
      'is answered before by wall, a.js:1, which never calls next()',
    ],
    ['interceptor', {}, 'note', 'may call next(), and leave its request to what stands behind it'],
    [
      'opaque',
      { leadsTo: 'router' },
      'warning',
      'leads to a router that is wrapped: the routes behind it cannot be seen',
    ],
    [
      'opaque',
      { leadsTo: 'app' },
      'warning',
      'leads to an app that is wrapped: the routes behind it cannot be seen',
    ],
    [
      'unknown-method',
      { method: 'TEA' },
      'warning',
      'no request reaches it: a server of Node answers 400 to the method TEA, which http.METHODS does not have',
    ],
    ['no-witness', {}, 'note', 'no URL was found that reaches it'],
    [
      'native-first',
      { name: 'show', behind: ['user'] },
      'warning',
      'has the native callback show before user: where it answers, requests do not pass that',
    ],
    [
      'native-first',
      { name: 'show', behind: ['user', 'admin'] },
      'warning',
      'has the native callback show before user, admin: where it answers, requests do not pass those',
    ],
    [
      'not-a-guard',
      { guards: ['GET /y'] },
      'error',
      'does not guard GET /y: without a profile the most specific Controller answers alone',
    ],
  ])('say of inspect what %s %j is', (code, facts, severity, message) => {
    expect(toldFinding({ code, ...facts } as never)).toMatchObject({ kind: code, severity, message })
  })

  it.each<[DoctorCode, object, kind: string, severity: string, message: string, remedy: string]>([
    [
      'express',
      { version: '3.0.0', isTooOld: true },
      'express',
      'error',
      'Express 3.0.0 is installed; 4.17 and newer of 4, and 5, are supported',
      'npm install express@4, which is compatible',
    ],
    [
      'express',
      { version: '6.0.0', isTooOld: false },
      'express',
      'error',
      'Express 6.0.0 is installed; 4.17 and newer of 4, and 5, are supported',
      'npm install express@5',
    ],
    [
      'node-engines',
      { range: '>=14', least: '20.19.0' },
      'node',
      'warning',
      'package.json allows Node >=14; this package needs 20.19.0 or newer',
      'run it with Node 20.19.0 or newer, and write that: "engines": { "node": ">=20.19" }',
    ],
    [
      'node-version',
      { version: 'v18.0.0', least: '20.19.0' },
      'node',
      'error',
      'Node v18.0.0 runs the app; this package needs 20.19.0 or newer',
      'run it with Node 20.19.0 or newer',
    ],
    [
      'typescript',
      { version: '5.0.0', skipsLibCheck: true },
      'typescript',
      'warning',
      'TypeScript 5.0.0 is installed; the declarations are tested with 5.4 and newer',
      'npm install --save-dev typescript@5, unless it compiles as it is',
    ],
    [
      'typescript',
      { version: '5.0.0', skipsLibCheck: false },
      'typescript',
      'warning',
      'TypeScript 5.0.0 is installed; the declarations are tested with 5.4 and newer',
      'npm install --save-dev typescript@5, or set skipLibCheck and see whether it compiles',
    ],
    [
      'types-node',
      { version: null, least: '20.19.0' },
      'typescript',
      'warning',
      '@types/node is not installed; the declarations need 20.19.0 or newer',
      'npm install --save-dev @types/node@20, or set skipLibCheck in tsconfig.json',
    ],
    [
      'types-node',
      { version: '18.0.0', least: '20.19.0' },
      'typescript',
      'warning',
      '@types/node 18.0.0 is installed; the declarations need 20.19.0 or newer',
      'npm install --save-dev @types/node@20, or set skipLibCheck in tsconfig.json',
    ],
    [
      'jest-version',
      { version: '27.0.0' },
      'jest',
      'warning',
      'Jest 27.0.0 leaves its tests without Request, Response and fetch',
      'npm install --save-dev jest@30',
    ],
    [
      'jest-jsdom',
      {},
      'jest',
      'warning',
      'Jest runs tests in jsdom, which has no Request, Response and fetch of Node',
      "testEnvironment: 'node'",
    ],
    [
      'agent',
      { packages: ['newrelic'] },
      'agent',
      'warning',
      'newrelic: it watches the routes of Express by wrapping its layers',
      'load it before everything else (node --require, or --import), and give RouteControllers a profile',
    ],
    [
      'agent',
      { packages: ['newrelic', 'dd-trace'] },
      'agent',
      'warning',
      'newrelic, dd-trace: they watch the routes of Express by wrapping its layers',
      'load it before everything else',
    ],
    [
      'wrapped',
      { by: 'express-async-errors', layers: 1 },
      'wrapped',
      'warning',
      'express-async-errors has wrapped 1 layer of Express',
      'leave it until all has moved',
    ],
    [
      'wrapped',
      { by: 'tracer', layers: 2 },
      'wrapped',
      'warning',
      'tracer has wrapped 2 layers of Express',
      'what a wrapper hides stands in left, and only the app serves it',
    ],
    [
      'patched',
      { members: ['res.ok', 'req.a'] },
      'patched',
      'warning',
      'res.ok, req.a: put on Express itself',
      'handlers that use them move with fromExpress and profile: fromApp(app)',
    ],
    [
      'late',
      { registrations: 2 },
      'late',
      'warning',
      '2 registrations after the server listens',
      'register before listen',
    ],
    [
      'upgrade',
      { takenBy: ['ws', null] },
      'upgrade',
      'warning',
      'upgrades (WebSockets) on the server of the app, taken by ws and the project',
      'inside the app nothing changes',
    ],
    [
      'session',
      { store: 'MemoryStore' },
      'session',
      'note',
      'express-session keeps sessions in the memory of one process (MemoryStore)',
      'give it a store that processes share',
    ],
    [
      'opaque',
      { path: '/a', leadsTo: 'app' },
      'opaque',
      'warning',
      '/a leads to an app that is wrapped: the routes behind it cannot be seen',
      'leave it to the app, behind what has moved (fallback: app); or take the wrapper away',
    ],
    [
      'routes',
      { found: 'shadowed', names: ['1', '2', '3', '4', '5'] },
      'routes',
      'warning',
      'Another route answers first: 1, 2, 3, 4, 5',
      'routecontrollers inspect has the details',
    ],
    [
      'routes',
      { found: 'shadowed', names: ['1', '2', '3', '4', '5', '6', '7'] },
      'routes',
      'warning',
      'Another route answers first: 1, 2, 3, 4, 5 and 2 more',
      'routecontrollers inspect has the details',
    ],
  ])('say of doctor what %s %j is, and what helps', (code, facts, kind, severity, message, remedy) => {
    const told = toldFound({ code, at: [], ...facts } as never)
    expect(told).toMatchObject({ kind, severity, message, remedy: expect.stringContaining(remedy) })
  })

  it.each<[MissingCode, object, message: string, remedy: string]>([
    [
      'no-lock',
      {},
      'there is no lock, so its guards were not compared',
      "write one from the code before any route has moved: routecontrollers inspect app.js --lock; or name that code: --base REVISION --run 'make'",
    ],
    [
      'not-moved',
      {},
      'its handler of Express is alone in the route, so there is nothing to compare',
      `write a native callback: routecontrollers move 'PUT /x/:id' --as-is --write --run 'make'. After an edit of the handler itself: --base REVISION --run 'make'`,
    ],
    [
      'of-package',
      {},
      'a package registers it, so its handler of Express stays, and there is nothing to compare',
      'name the routes of your own files',
    ],
    [
      'followed',
      {},
      'other handlers of its route follow it, so move leaves it, and there is nothing to compare',
      'name other routes, or write those handlers in a route of their own',
    ],
    [
      'no-legacy',
      {},
      'its handler is gone, so there is nothing to compare the answers with',
      "name a revision of git that has the handler: --base REVISION --run 'make'",
    ],
    [
      'unsafe',
      {},
      'its method writes, and no such request was made',
      'add --unsafe, and give each side data of its own: --data FOLDER, or --legacy-env NAME=value',
    ],
    [
      'no-request',
      {},
      'no request to it was answered',
      `make one that it answers: --request 'PUT /x/7 {"name":"value"}'; or play a recording: --recording FILE`,
    ],
    [
      'limited',
      {},
      'a rate limit of the app answered 429, so what stands behind it was not compared',
      'raise the limit for this run, or prove fewer routes at once',
    ],
    [
      'no-success',
      { statuses: [401, 403] },
      'each request to it was answered by 401 or 403, so what it answers when all is well was not seen',
      "let requests in: --header 'name: value'; or play a recording: --recording FILE",
    ],
    [
      'no-success',
      { statuses: [401, 404] },
      'each request to it was answered by 401 or 404, so what it answers when all is well was not seen',
      `make a request that it answers: --request 'PUT /x/7 {"name":"value"}'; or play a recording: --recording FILE`,
    ],
    [
      'not-reached',
      { statuses: [302] },
      'each request to it was answered by 302 before its native callback was asked, as by a guard that redirects',
      "let requests in: --header 'name: value'; or play a recording: --recording FILE",
    ],
    [
      'empty',
      {},
      'each answer to it was an error or empty, as {} or [], so what it answers where there is something was not seen',
      `make a request that finds something: --request 'PUT /x/7 {"name":"value"}'; or play a recording: --recording FILE; or give the lock a sample of it`,
    ],
    [
      'no-input',
      { inputs: ['query.q', 'query.r', 'header.x-a', 'cookie.b', 'cookie.c', 'body.d', 'body.e'] },
      'its code reads ?q, ?r, the header x-a, the cookie b, the cookie c, body.d, body.e, and no request had that',
      `--request 'PUT /x/7?q=value&r=value {"d":"value","e":"value"}' --header 'x-a: value' --header 'cookie: b=value; c=value'; or play a recording: --recording FILE`,
    ],
    [
      'incomplete',
      { of: 'replay', compared: 1, planned: 2 },
      'replay has compared 1 of 2 requests',
      'read the notes of that part, and give it more time: --answer-limit-ms, --time-limit-ms',
    ],
  ])('say of prove what %s %j is, and what helps', (code, facts, message, remedy) => {
    const missing = { code, route: 'PUT /x/:id', ...facts } as never
    expect(toldMissing(missing, { entry: 'app.js', build: 'make' })).toMatchObject({
      message,
      remedy: expect.stringContaining(remedy),
    })
  })

  it.each([
    ['GET /x', 'GET /x'],
    ['* /x/:id', 'GET /x/7'],
    ['DELETE /x/:id(\\d+)?', 'DELETE /x/7'],
    ['GET /files/*rest', 'GET /files/7'],
    ['GET /files{/:id}', 'GET /files/7'],
  ])('ask for %s by a request that it takes', (route, request) => {
    const { remedy } = toldMissing({ code: 'no-request', route } as never, {
      entry: 'app.js',
      build: undefined,
    })
    expect(remedy).toContain(`--request '${request}'`)
  })
})

describe('The review', () => {
  const checked = { checked: 2, mounts: 0, byPosition: 0, notCompared: 0, except: 0, apps: 1, routes: [] }
  const route = (changes: number, accepted: number): object => ({
    changes: new Array(changes).fill({}),
    accepted: new Array(accepted).fill({}),
  })
  it.each<[object, string]>([
    [{}, '2 routes checked: nothing is lost'],
    [{ mounts: 1 }, '2 routes and 1 mount checked: nothing is lost'],
    [{ byPosition: 3 }, '2 routes checked, 3 more by position alone: nothing is lost'],
    [{ notCompared: 4 }, '2 routes checked, 4 not compared: nothing is lost'],
    [{ except: 5 }, '2 routes checked, 5 left out by the lock: nothing is lost'],
    [{ routes: [route(0, 2), route(0, 1)] }, '2 routes checked, 3 findings accepted: nothing else is lost'],
    [
      { routes: [route(2, 1), route(1, 0), route(0, 0)] },
      '2 routes checked, 1 finding accepted: 2 with findings',
    ],
  ])('of check counts routes, and not findings: %j', (more, text) => {
    expect(checkSummary({ ...checked, ...more } as unknown as CheckReport)).toBe(text)
  })

  it.each<[string[], failure: string | undefined, text: string, ok: boolean]>([
    [[], undefined, 'app.js: nothing stands in the way', true],
    [['note'], undefined, 'app.js: nothing stands in the way, 1 note', true],
    [['note', 'warning'], undefined, 'app.js: 2 findings', false],
    [['error'], undefined, 'app.js: 1 finding', false],
    [[], 'it has failed', 'what the files of the project say: nothing stands in the way', false],
  ])('of doctor tells a note from what stands in the way: %j, %j', (severities, failure, summary, ok) => {
    const findings = severities.map((severity) => ({
      ...{ code: 'session', severity, message: 'text', remedy: 'help', at: ['a.js:1', 'b.js:2'] },
    }))
    const read = reviews.doctor({ version: 1, entry: 'app.js', failure, findings } as unknown as DoctorReport)
    expect(read).toMatchObject({
      ok,
      summary,
      isWhole: failure === undefined,
      notes: failure === undefined ? [] : [failure],
    })
    expect(read.remarks.map(({ severity, text, at, route: of }) => [severity, text, at, of])).toEqual(
      severities.map((severity) => [severity, 'text', 'a.js:1', undefined]),
    )
  })

  const change = { what: 'body', name: '$.a' }
  const one = {
    method: 'GET',
    target: '/x?a',
    route: 'GET /x',
    variant: '',
    headers: ['cookie'],
    changes: [change],
    at: 'a.js:1',
  }
  const answers = {
    version: 1,
    ok: true,
    compared: 2,
    planned: 2,
    legacy: 'old',
    now: 'new',
    groups: [],
    noise: {},
    ignored: {},
    notes: ['a note'],
  }
  const withGroup = (cause: string, ...differences: object[]): ParityReport =>
    ({
      ...answers,
      ok: false,
      groups: [{ cause, remedy: 'help', routes: ['GET /x'], differences }],
    }) as unknown as ParityReport

  it.each<[ParityReport, summary: string, isWhole: boolean, code: number]>([
    [answers as ParityReport, '2 requests answered alike by old, and new', true, 0],
    [
      { ...answers, ok: false, compared: 1 } as ParityReport,
      'Not all is known: 1 of 2 requests answered alike by old, and new',
      false,
      3,
    ],
    [withGroup('another body', one, one), '2 of 2 requests differ between old, and new', true, 1],
    [
      { ...withGroup('another body', one), compared: 1 },
      '1 of 1 request differ between old, and new',
      false,
      1,
    ],
  ])('of parity says what is known, and the exit code too: %#', (report, summary, isWhole, code) => {
    expect(reviews.parity(report)).toMatchObject({ ok: report.ok, summary, isWhole, notes: ['a note'] })
    expect(exitCodeOf(report)).toBe(code)
  })

  it('of parity names each request, and tells those apart that differ by a header', () => {
    const [slash, token] = [
      { ...one, variant: 'trailing slash' },
      { ...one, headers: [] },
    ]
    const { remarks } = reviews.parity(withGroup('another body', one, slash, token))
    expect(remarks.map(({ text }) => text)).toEqual([
      'GET /x?a: body $.a',
      'GET /x?a (trailing slash): body $.a',
      'GET /x?a: body $.a',
    ])
    expect(new Set(remarks.map(({ key }) => key)).size).toBe(3)
    for (const remark of remarks)
      expect(remark).toMatchObject({
        severity: 'error',
        route: 'GET /x',
        at: 'a.js:1',
        remedy: 'help',
        group: 'another body',
      })
    expect(reviews.parity(withGroup('200 json → 500 json', one)).remarks[0]!.text).toBe(
      'GET /x?a: 200 json → 500 json',
    )
  })

  it.each<[string, object, text: string, at: string | undefined]>([
    ['lost', { at: 'a.js:2' }, 'lost: user, which stood at a.js:2', 'a.js:9'],
    ['lost', { at: undefined }, 'lost: user', 'a.js:9'],
    ['lost', { at: 'a.js:2', native: 'show' }, 'lost: user', 'a.js:9'],
    ['gained', { at: 'a.js:2' }, 'gained: user', 'a.js:2'],
    ['gained', { at: undefined }, 'gained: user', 'a.js:9'],
  ])(
    'of check shows a finding at its place, and what is lost at the route: %s %j',
    (code, facts, text, at) => {
      const found = { code, kind: code, severity: 'error', what: 'user', key: 'k', ...facts }
      const changed = {
        method: 'GET',
        path: '/x',
        at: 'a.js:9',
        remedy: 'help',
        changes: [found],
        accepted: [],
      }
      const { remarks } = reviews.check({
        ...checked,
        ok: false,
        routes: [changed],
      } as unknown as CheckReport)
      expect(remarks).toMatchObject([
        { code, text, at, route: 'GET /x', severity: 'error', key: 'k', remedy: 'help' },
      ])
    },
  )

  it('of what is lost where the route is gone too is shown where it stood', () => {
    const found = { code: 'lost', kind: 'lost', severity: 'error', what: 'user', key: 'k', at: 'a.js:2' }
    const changed = {
      method: 'GET',
      path: '/x',
      at: undefined,
      remedy: undefined,
      changes: [found],
      accepted: [],
    }
    const { remarks } = reviews.check({ ...checked, ok: false, routes: [changed] } as unknown as CheckReport)
    expect(remarks[0]!.at).toBe('a.js:2')
  })

  const proved = (verdict: string, path: string): object => ({
    method: 'GET',
    path,
    at: `a.js${path}`,
    verdict,
  })
  it.each<[verdict: string, verdicts: string[], summary: string]>([
    ['proved', ['proved', 'proved'], '2 routes proved'],
    ['different', ['proved', 'different', 'unproved'], '1 of 3 routes different'],
    ['unproved', ['proved', 'unproved'], '1 of 2 routes proved, and nothing differs, but proofs are missing'],
  ])('of prove counts by its verdict: %s', (verdict, verdicts, summary) => {
    const routes = verdicts.map((of, at) => proved(of, `/${at}`))
    const report = {
      verdict,
      routes,
      missing: [],
      limits: ['a limit'],
      replay: { ...answers, notes: ['of replay'] },
    }
    const read = reviews.prove({ ...report, parity: answers } as unknown as ProveReport)
    expect(read).toMatchObject({ ok: verdict === 'proved', summary, isWhole: true })
    expect(read.notes).toEqual([
      'Proved: GET /0' + (verdict === 'proved' ? ', GET /1' : ''),
      'a note',
      'of replay',
      'a limit',
    ])
  })

  it('of prove has what each part has found, and each missing proof at its route', () => {
    const found = {
      code: 'gained',
      kind: 'gained',
      severity: 'warning',
      what: 'user',
      key: 'k',
      at: 'b.js:1',
    }
    const check = { ...checked, routes: [{ method: 'GET', path: '/1', changes: [found], accepted: [] }] }
    const missing = [
      { code: 'empty', route: 'GET /2', message: 'is empty', remedy: 'help' },
      { code: 'no-lock', route: undefined, message: 'no lock', remedy: 'lock' },
    ]
    const routes = [proved('different', '/1'), proved('unproved', '/2')]
    const read = reviews.prove({
      ...{ verdict: 'different', routes, missing, limits: [], check },
      ...{ parity: withGroup('another body', one), replay: withGroup('another body', one) },
    } as unknown as ProveReport)
    expect(read).toMatchObject({ ok: false, isWhole: false })
    expect(read.remarks.map(({ code, severity, route: of, at }) => [code, severity, of, at])).toEqual([
      ['gained', 'warning', 'GET /1', 'b.js:1'],
      ['differs', 'error', 'GET /x', 'a.js:1'],
      ['differs', 'error', 'GET /x', 'a.js:1'],
      ['empty', 'warning', 'GET /2', 'a.js/2'],
      ['no-lock', 'warning', undefined, undefined],
    ])
    expect(read.notes).toEqual(['a note', 'a note'])
  })
})

describe('Why an entry has failed', () => {
  const report = (more: object = {}): RunOutcome['report'] =>
    ({ ended: { by: 'settled' }, hasListened: true, ...more }) as RunOutcome['report']
  const late = report({ ended: { by: 'time limit' }, hasListened: false, inventory: {} })
  const [compared, files] = ['; so nothing was compared', '; so only what its files say is shown']
  const until = '; this is what it had registered until then'
  const [time, given] = [
    ' --time-limit-ms gives it more time.',
    ' --env NAME=value gives it a variable, --cwd FOLDER a folder.',
  ]
  const failed = (then: string): string =>
    `app.js has failed, with the exit code 1${then}. What it has said itself stands above.`
  it.each<[Command, Partial<RunOutcome>, text: string | undefined]>([
    ['check', { report: report({ inventory: {} }) }, undefined],
    ['check', { report: report({ inventory: {} }), code: 0 }, undefined],
    [
      'check',
      {},
      `app.js was busy with its own code for all of 9 ms, and could not be looked into${compared}.${time}`,
    ],
    [
      'doctor',
      {},
      `app.js was busy with its own code for all of 9 ms, and could not be looked into${files}.${time}`,
    ],
    [
      'inspect',
      {},
      `app.js was busy with its own code for all of 9 ms, and could not be looked into.${time}`,
    ],
    [
      'parity',
      {},
      `app.js was busy with its own code for all of 9 ms, and could not be looked into${compared}.`,
    ],
    ['check', { signal: 'SIGKILL', report: late }, `app.js was ended by SIGKILL${compared}.`],
    ['inspect', { signal: 'SIGKILL', report: late }, `app.js was ended by SIGKILL${until}.`],
    ['status', { signal: 'SIGKILL' }, 'app.js was ended by SIGKILL.'],
    ['check', { code: 1, report: late }, `${failed(compared)}${given}`],
    ['status', { code: 1, report: late }, `${failed(until)}${given}`],
    ['status', { code: 1 }, `${failed('')}${given}`],
    ['parity', { code: 1 }, failed(compared)],
    ['check', { report: report({ error: 'a stack' }) }, 'app.js could not be read: a stack'],
    ['check', { report: late }, `app.js has not called listen within 9 ms${compared}.${time}`],
    ['inspect', { report: late }, `app.js has not called listen within 9 ms${until}.${time}`],
    ['parity', { report: late }, `app.js has not called listen within 9 ms${compared}.`],
    ['check', { report: report() }, 'app.js listens, but with no app of Express and no RouteControllers'],
    [
      'check',
      { report: report({ hasListened: false }) },
      'app.js has made no app of Express and no RouteControllers: name the file that you start the app with',
    ],
  ])('is said with what helps: %s %j', (command, outcome, text) => {
    const whole = { report: undefined, code: undefined, signal: undefined, ...outcome }
    expect(failureOf(whole, 'app.js', { timeLimitMs: 9, command } as CommandOptions)).toBe(text)
  })
})

// What `parity` makes of the answers of two sides, which are servers of this process.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLock, type Lock, type LockedRoute } from '../../packages/cli/src/check/lock.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import type { ParityReport } from '../../packages/cli/src/documents/parity.js'
import { EntryFailure } from '../../packages/cli/src/entry/interruptible.js'
import type { CommandOptions } from '../../packages/cli/src/entry/options.js'
import type { Side } from '../../packages/cli/src/entry/serve-side.js'
import { compareAnswers } from '../../packages/cli/src/parity/parity.js'
import type { CommandContext } from '../../packages/cli/src/terminal/context.js'
import { closeHosted, host } from '../support/hosting.js'
import { type Given, inventory, row } from './written-rows.js'

afterEach(closeHosted)

type Listener = (req: IncomingMessage, res: ServerResponse) => unknown

async function side(name: string, listener: Listener, answerLimitMs: number): Promise<Side> {
  const { port } = await host((req, res) => void listener(req, res))
  const url = new URL(`http://127.0.0.1:${port}`)
  return {
    name,
    report: undefined,
    placeOf: () => ({ url, host: undefined, folder: '', answerLimitMs, mask: String }),
    entry: undefined,
    revive: () => Promise.resolve(true),
  }
}

const lockOf = (...routes: string[]): Lock => createLock(inventory(routes.map((one) => row(one))))

async function compared(
  lock: Lock,
  legacy: Listener,
  now: Listener = legacy,
  { answerLimitMs = 60_000, again, ...more }: Partial<Side> & { answerLimitMs?: number; again?: Side } = {},
): Promise<ParityReport> {
  const sides = [
    await side('legacy', legacy, answerLimitMs),
    { ...(await side('now', now, answerLimitMs)), ...more },
  ] as const
  const started = { sides, again, lock, notes: [], startNow: () => Promise.reject(new Error()) }
  const options = { cwd: '/', parity: { headers: [], unsafe: true } } as unknown as CommandOptions
  const context = { stderr: { isTTY: false } } as unknown as CommandContext
  const comparing = { signal: new AbortController().signal, ignored: [] }
  return (await compareAnswers(started, options, context, comparing)).report
}

const isPlain = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url === '/x' && headers['if-none-match'] === undefined && headers.accept === undefined
const differing = ({ groups }: ParityReport): unknown[] =>
  groups.flatMap((group) => group.differences.map(({ method, target }) => `${method} ${target}`))

it('a rate limit of both sides is told, and that of one is a difference', async () => {
  const limited: Listener = (req, res) => ((res.statusCode = isPlain(req) ? 429 : 200), res.end())
  const open: Listener = (_req, res) => res.end()
  const both = await compared(lockOf('GET /x'), limited)
  expect([both.ok, both.notes.join()]).toEqual([
    true,
    expect.stringContaining('1 request were answered 429 by both'),
  ])
  const one = await compared(lockOf('GET /x'), open, limited)
  expect([differing(one), one.notes.join()]).toEqual([['GET /x'], expect.not.stringContaining('429')])
})

it.each([401, 403])(
  'a route that answers nothing but %i is told, and none that has let one in',
  async (status) => {
    const [route] = lockOf('GET /x').routes as [LockedRoute]
    const lock: Lock = { ...lockOf(), routes: [{ ...route, samples: [{ url: '/x?id=2' }] }] }
    const refusing =
      (isOpen: (url: string) => boolean): Listener =>
      (req, res) => ((res.statusCode = isOpen(req.url!) ? 200 : status), res.end())
    const notesOf = async (isOpen: (url: string) => boolean): Promise<string> =>
      (await compared(lock, refusing(isOpen))).notes.join()
    const told = '1 route answered nothing but 401 or 403'
    expect(await notesOf(() => false)).toContain(told)
    for (const open of ['/x', '/x?id=2']) expect(await notesOf((url) => url === open)).not.toContain(told)
  },
)

it('a body of which one side alone has too much is told', async () => {
  const long = 'x'.repeat(4 * 1024 ** 2 + 1)
  const sending =
    (text: string): Listener =>
    (req, res) =>
      res.end(isPlain(req) ? text : '')
  const told = '1 request had an answer of which only the first 4 MiB were compared'
  expect((await compared(lockOf('GET /x'), sending(long), sending('y'))).notes.join()).toContain(told)
})

it('a route that does not answer in time is not asked again, and one whose connection is closed is', async () => {
  const asked = { slow: 0, closed: 0 }
  const answer: Listener = (req, res) => {
    if (req.url === '/open') return res.end()
    if (req.url!.startsWith('/slow')) return void asked.slow++
    if (req.url!.startsWith('/closed')) asked.closed++
    return req.url!.startsWith('/closed') ? res.destroy() : res.end()
  }
  const lock = lockOf('GET /closed', 'GET /open', 'GET /slow')
  // Long enough for a busy machine to answer what is answered.
  const { ok, notes } = await compared(lock, answer, answer, { answerLimitMs: 5_000 })
  expect(asked.slow).toBe(2)
  expect(asked.closed).toBeGreaterThan(10)
  expect(notes).toContain('GET /slow did not answer in time, and was not asked again.')
  expect(notes.join()).not.toContain('GET /closed did not')
  // What was not compared may differ.
  expect(ok).toBe(false)
})

it('a header that is noise on one route is compared on the others', async () => {
  let count = 0
  const answering =
    (own: string): Listener =>
    (req, res) => {
      res.setHeader('x-id', req.url!.startsWith('/a') ? String(count++) : own)
      res.end()
    }
  const report = await compared(lockOf('GET /a', 'GET /b'), answering('legacy'), answering('now'))
  expect(differing(report).filter((one) => String(one).startsWith('GET /a'))).toEqual([])
  expect(differing(report)).toContain('GET /b')
})

it('what HEAD says of a body that names its side is no difference', async () => {
  const named =
    (isEtag: boolean): Listener =>
    (req, res) => {
      const { localPort } = req.socket
      res.setHeader('ETag', isEtag ? `"${localPort}"` : '"same"')
      res.end(isPlain(req) || req.method === 'HEAD' ? `http://127.0.0.1:${localPort}/` : '')
    }
  const ofHead = async (listener: Listener): Promise<unknown[]> =>
    differing(await compared(lockOf('GET /x'), listener)).filter((one) => one === 'HEAD /x')
  expect(await ofHead(named(true))).toEqual([])
  const other: Listener = (req, res) => {
    res.setHeader('ETag', `"${req.socket.localPort}"`)
    res.end()
  }
  expect(await ofHead(other)).toEqual(['HEAD /x'])
  // One side alone may name its place.
  const plain: Listener = (req, res) => {
    res.setHeader('ETag', '"plain"')
    res.end(isPlain(req) ? 'plain' : '')
  }
  for (const [legacy, now] of [
    [named(true), plain],
    [plain, named(true)],
  ] as const) {
    const found = differing(await compared(lockOf('GET /x'), legacy, now))
    expect([found.includes('GET /x'), found.includes('HEAD /x')]).toEqual([true, false])
  }
})

it.each<[string, () => Promise<boolean>]>([
  ['that does not start again', () => Promise.resolve(false)],
  ['whose start fails', () => Promise.reject(new Error('planted'))],
])(
  'legacy as it was started a second time tells of noise, and is asked no more once it has ended: one %s',
  async (_how, revive) => {
    let asked = 0
    const ending: Listener = (_req, res) => (++asked > 3 ? res.destroy() : res.end('tea'))
    const again = { ...(await side('again', ending, 60_000)), revive }
    const open: Listener = (_req, res) => res.end('tea')
    const { ok, compared: count, planned } = await compared(lockOf('GET /x'), open, open, { again })
    // A connection that is closed may be tried once more.
    expect([ok, count, asked < 7]).toEqual([true, planned, true])
  },
)

it('what legacy says in another way as it is started a second time is noise, and what it says again is none', async () => {
  const saying =
    (tea: string): Listener =>
    (_req, res) =>
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ tea }))
  const of = async (started: string): Promise<ParityReport> => {
    const again = await side('again', saying(started), 60_000)
    return compared(lockOf('GET /x'), saying('a'), saying('b'), { again })
  }
  const noise = await of('c')
  expect([noise.ok, Object.keys(noise.noise)]).toEqual([true, ['$.tea']])
  const other = await of('a')
  expect([other.ok, other.noise]).toEqual([false, {}])
})

it('who answers now is asked for in the app of the route', async () => {
  const [route] = lockOf('GET /x').routes as [LockedRoute]
  const lock: Lock = { ...lockOf(), routes: [route, { ...route, app: 1, path: '/y', witness: 'GET /y' }] }
  const questions: unknown[] = []
  const observe: NonNullable<Side['entry']>['observe'] = (asked) => {
    questions.push(...asked.map(({ app, method, witness, answer }) => [app, method, witness, answer]))
    return Promise.resolve(asked.map(({ answer }) => row(answer)))
  }
  const entry = { observe } as NonNullable<Side['entry']>
  const other: Listener = (req, res) => res.end(isPlain(req) || req.url === '/y' ? 'milk' : 'tea')
  const open: Listener = (_req, res) => res.end('tea')
  const { groups } = await compared(lock, open, other, { entry })
  expect(questions).toContainEqual([0, 'GET', '/x', 'GET /x'])
  expect(questions).toContainEqual([1, 'GET', '/y', 'GET /y'])
  const [difference] = groups.flatMap(({ differences }) => differences)
  expect(difference).toMatchObject({ by: 'Express GET /x at app.js:9', at: 'app.js:9' })
})

it('a side that requests end again and again is told, and nothing more is asked', async () => {
  let asked = 0
  const open: Listener = (_req, res) => res.end()
  const ending: Listener = (_req, res) => (++asked > 1 ? res.destroy() : res.end())
  let revived = 0
  const revive = (): Promise<boolean> => Promise.resolve(++revived < 3)
  const { ok, compared: count, planned, notes } = await compared(lockOf('GET /x'), open, ending, { revive })
  expect([ok, revived < 5, count < planned]).toEqual([false, true, true])
  expect(notes).toContain('now: requests have ended it again and again; the rest was not asked.')
  expect(asked).toBeLessThan(8)
})

it('a side that a request has ended, and that does not start again, is told with what was found until then', async () => {
  const open: Listener = (_req, res) => res.end('tea')
  const ending: Listener = (req, res) => (isPlain(req) ? res.end('milk') : res.destroy())
  const revive = (): Promise<boolean> => Promise.reject(new EntryFailure('The port is taken.'))
  const report = await compared(lockOf('GET /x'), open, ending, { revive })
  expect(differing(report)).toContain('GET /x')
  expect([report.ok, report.compared < report.planned]).toEqual([false, true])
  expect(report.notes).toEqual([
    'now: a request has ended it, and it did not start again; the rest was not asked. The port is taken.',
  ])
})

it('apps that begin to listen in another order are compared with themselves', async () => {
  const one: Listener = (_req, res) => res.end('one')
  const two: Listener = (_req, res) => res.end('two')
  const started = async (
    name: string,
    listeners: readonly Listener[],
    paths: readonly string[],
  ): Promise<Side> => {
    const apps = await Promise.all(listeners.map((listener) => side(name, listener, 60_000)))
    const rows = paths.map((path, app) => row(`GET ${path}`, [], { app }))
    const report = { inventory: inventory(rows, paths.length) } as Side['report']
    return { ...apps[0]!, report, placeOf: (app) => apps[app]!.placeOf(0) }
  }
  const legacy = await started('legacy', [one, two], ['/one', '/two'])
  const again = await started('again', [two, one], ['/two', '/one'])
  const changed: Listener = (_req, res) => res.end('other')
  const of = async (first: Listener): Promise<ParityReport> => {
    const now = await started('now', [first, one], ['/two', '/one'])
    const all = { sides: [legacy, now] as const, again, lock: undefined, notes: [] }
    const options = { cwd: '/', parity: { headers: [], base: 'main' } } as unknown as CommandOptions
    const context = { stderr: { isTTY: false } } as unknown as CommandContext
    const comparing = { signal: new AbortController().signal, ignored: [] }
    const startNow = (): Promise<Side> => Promise.reject(new Error())
    return (await compareAnswers({ ...all, startNow }, options, context, comparing)).report
  }
  const same = await of(two)
  expect([same.ok, same.compared, same.groups]).toEqual([true, same.planned, []])
  const different = await of(changed)
  expect([different.groups.map(({ routes }) => routes), different.noise]).toEqual([[['GET /two']], {}])
})

it('another form of a path names the profile where a Controller is exact, and the route of Express is not', async () => {
  const answering =
    (pattern: RegExp): Listener =>
    (req, res) => ((res.statusCode = pattern.test(req.url!) ? 200 : 404), res.end())
  const started = async (name: string, route: RouteRow, pattern: RegExp): Promise<Side> => {
    const report = { inventory: inventory([route]) } as Side['report']
    return { ...(await side(name, answering(pattern), 60_000)), report }
  }
  const remedyOf = async (was: Given, is: Given): Promise<string | undefined> => {
    const sides = [
      await started('legacy', row('GET /x', [], was), /^\/x\/?$/),
      await started('now', row('GET /x', [], { own: { by: 'Controller' }, ...is }), /^\/x$/),
    ] as const
    const startNow = (): Promise<Side> => Promise.reject(new Error())
    const options = { cwd: '/', parity: { headers: [], base: 'main' } } as unknown as CommandOptions
    const context = { stderr: { isTTY: false } } as unknown as CommandContext
    const comparing = { signal: new AbortController().signal, ignored: [] }
    const all = { sides, again: undefined, lock: undefined, notes: [], startNow }
    const { groups } = (await compareAnswers(all, options, context, comparing)).report
    expect(groups.map(({ cause }) => cause)).toEqual(['trailing slash'])
    return groups[0]!.remedy
  }
  const settings = { strict: true, caseSensitive: true }
  expect(await remedyOf({}, { settings })).toBe('use profile fromApp(app)')
  expect(await remedyOf({}, {})).toBeUndefined()
  expect(await remedyOf({ settings }, { settings })).toBeUndefined()
  // One that a list has taken over has its profile.
  expect(await remedyOf({}, { settings, answer: { takenOver: true } })).toBeUndefined()
})

// The verdict of `prove`, by sides that are written here: each is a server, and an inventory without an app.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { ProveReport } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { createLock, formatLock, type Sample } from '../../packages/cli/src/check/lock.js'
import { readLockFile } from '../../packages/cli/src/check/read-lock.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import { type CommandOptions, readCommandLine } from '../../packages/cli/src/entry/options.js'
import type { Side } from '../../packages/cli/src/entry/serve-side.js'
import { Proof } from '../../packages/cli/src/prove/proof.js'
import { namedRequests } from '../../packages/cli/src/prove/recorded-part.js'
import { reachedHeader } from '../../packages/compare/src/received-answer.js'
import type { RecordedExchange } from '../../packages/compare/src/recording.js'
import { closeHosted, host } from '../support/hosting.js'
import { inventory, nobody, pass, row } from './written-rows.js'

const [a, b] = [pass('a'), pass('b')]
const beside = (route: string, passes = [a]): RouteRow => row(route, passes, { own: { stage: 'beside' } })
const answering: RequestListener = (_req, res) => void res.end('tea')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proof-'))
  writeFileSync(join(folder, 'app.js'), '')
})
afterEach(async () => {
  await closeHosted()
  rmSync(folder, { recursive: true })
})

async function side(
  name: string,
  rows: readonly RouteRow[],
  listener: RequestListener = answering,
  isReached = true,
): Promise<Side> {
  const { port } = await host((req, res) => {
    if (isReached) res.setHeader(reachedHeader, '1')
    listener(req, res)
  })
  const url = new URL(`http://127.0.0.1:${port}`)
  const observe: NonNullable<Side['entry']>['observe'] = (question) =>
    Promise.resolve(
      question.map(
        ({ answer }) => rows.find((one) => `${one.method} ${one.path}` === answer) ?? nobody(row(answer)),
      ),
    )
  return {
    name,
    report: { inventory: inventory(rows) } as Side['report'],
    placeOf: () => ({ url, host: undefined, folder: '', answerLimitMs: 10_000, mask: String }),
    entry: { observe } as NonNullable<Side['entry']>,
    revive: () => Promise.resolve(true),
  }
}

/** The lock that is committed has rows of its own. */
const commit = (...rows: RouteRow[]): void =>
  writeFileSync(join(folder, 'routes.lock.json'), formatLock(createLock(inventory(rows))))

async function proved(legacy: Side, now: Side, ...words: string[]): Promise<ProveReport> {
  return provedBy([], legacy, now, ...words)
}
async function provedBy(
  recorded: readonly RecordedExchange[],
  legacy: Side,
  now: Side,
  ...words: string[]
): Promise<ProveReport> {
  return provedWith({ recorded, again: undefined }, legacy, now, ...words)
}
async function provedWith(
  { recorded, again }: { readonly recorded: readonly RecordedExchange[]; readonly again: Side | undefined },
  legacy: Side,
  now: Side,
  ...words: string[]
): Promise<ProveReport> {
  const options = readCommandLine(['prove', ...words, 'app.js', '--cwd', folder]) as CommandOptions
  const lock = readLockFile(folder, 'routes.lock.json', false)
  const started = { sides: [legacy, now], again, lock, notes: [] } as const
  const context = { stdout: new PassThrough(), stderr: new PassThrough() }
  const { signal } = new AbortController()
  const interruption = { signal, undo() {}, beginWork() {} }
  return new Proof(
    { ...started, startNow: () => Promise.resolve(now) },
    options,
    context as unknown as ConstructorParameters<typeof Proof>[2],
    interruption,
    [...namedRequests(options.named.requests), ...recorded],
  ).run()
}
const verdictsOf = ({ routes }: ProveReport): string[] =>
  routes.map(({ method, path, verdict }) => `${method} ${path} ${verdict}`)
const codesOf = ({ missing }: ProveReport): string[] => missing.map(({ code }) => code)

describe('the proof of a route', () => {
  const rows = [beside('GET /x'), beside('GET /y')]
  const both = async (now = rows, legacy = rows): Promise<[Side, Side]> => [
    await side('legacy', legacy),
    await side('now', now),
  ]

  it('is whole with a lock, and equal answers', async () => {
    commit(...rows)
    const report = await proved(...(await both()), '/x')
    expect(report).toMatchObject({
      verdict: 'proved',
      missing: [],
      check: { ok: true },
      parity: { ok: true },
    })
    expect(verdictsOf(report)).toEqual(['GET /x proved'])
  })

  it('is missing for each route where nothing says what guarded them', async () => {
    const report = await proved(...(await both()), '/**')
    expect(report.check).toBeUndefined()
    expect(codesOf(report)).toEqual(['no-lock'])
    expect(verdictsOf(report)).toEqual(['GET /x unproved', 'GET /y unproved'])
  })

  it('is missing for each route where a request was not compared', async () => {
    commit(...rows)
    const closing: RequestListener = (req, res) =>
      void (req.headers.accept === 'text/html' && req.url === '/x' ? req.socket.destroy() : res.end('tea'))
    const [legacy, now] = [await side('legacy', rows, closing), await side('now', rows, closing)]
    const report = await proved(legacy, now, '/**')
    expect(report.missing).toMatchObject([{ code: 'incomplete', of: 'parity', route: undefined }])
    expect(verdictsOf(report)).toEqual(['GET /x unproved', 'GET /y unproved'])
  })

  it('fails where a guard is lost since the lock, or since the revision', async () => {
    const guarded = [beside('GET /x', [a, b]), rows[1]!]
    const withLock = async (locked: RouteRow[], legacy: RouteRow[]): Promise<ProveReport> => {
      commit(...locked)
      return proved(...(await both(rows, legacy)), '/**', '--base', 'HEAD')
    }
    for (const report of [await withLock(guarded, rows), await withLock(rows, guarded)]) {
      expect(report).toMatchObject({ verdict: 'different', check: { ok: false }, parity: { ok: true } })
      expect(verdictsOf(report)).toEqual(['GET /x different', 'GET /y proved'])
    }
    expect((await withLock(rows, rows)).verdict).toBe('proved')
  })

  it('fails where a route that the lock leaves out has lost a guard since the revision', async () => {
    const except = ['GET /x']
    writeFileSync(
      join(folder, 'routes.lock.json'),
      formatLock(createLock(inventory(rows), undefined, { except })),
    )
    const guarded = [beside('GET /x', [a, b]), rows[1]!]
    const report = await proved(...(await both(rows, guarded)), '/**', '--base', 'HEAD')
    expect(verdictsOf(report)).toEqual(['GET /x different', 'GET /y proved'])
  })

  it('says nothing of a guard that another route has lost', async () => {
    commit(rows[0]!, beside('GET /y', [a, b]))
    const report = await proved(...(await both()), '/x')
    expect(report).toMatchObject({ verdict: 'proved', check: { ok: true, routes: [] } })
  })

  it('fails where an answer is another one', async () => {
    commit(...rows)
    const other: RequestListener = (req, res) => void res.end(req.url === '/x' ? 'milk' : 'tea')
    const report = await proved(await side('legacy', rows), await side('now', rows, other), '/**')
    expect(report).toMatchObject({ verdict: 'different', check: { ok: true }, parity: { ok: false } })
    expect(verdictsOf(report)).toEqual(['GET /x different', 'GET /y proved'])
  })

  it('is missing where no request is known that reaches it', async () => {
    const unreached = [{ ...beside('GET /x'), witness: undefined }]
    commit(...unreached)
    const report = await proved(...(await both(unreached, unreached)), '/x')
    expect(codesOf(report)).toEqual(['no-request'])
  })

  it.each<[string, limited: readonly ('legacy' | 'now')[], ofAll: boolean, verdict: string]>([
    ['both sides', ['legacy', 'now'], true, 'unproved'],
    ['legacy alone', ['legacy'], true, 'different'],
    ['the other side alone', ['now'], true, 'different'],
    ['both sides, of a request that was given', ['legacy', 'now'], false, 'unproved'],
  ])(
    'is missing where a rate limit answers one of its requests: of %s',
    async (_of, sides, ofAll, verdict) => {
      commit(...rows)
      const limited: RequestListener = (req, res) => {
        const isIt = ofAll ? req.headers.accept === 'text/html' && req.url === '/x' : req.url === '/x?given'
        ;(isIt ? res.writeHead(429) : res).end('tea')
      }
      const of = (name: 'legacy' | 'now'): Promise<Side> =>
        side(name, rows, sides.includes(name) ? limited : answering)
      const given = ofAll ? [] : ['--request', 'GET /x?given']
      const report = await proved(await of('legacy'), await of('now'), '/x', ...given)
      expect([report.verdict, codesOf(report)]).toEqual([verdict, ['limited']])
    },
  )

  itSlow('is missing where a rate limit of the app answers for some of its requests', async () => {
    commit(...rows)
    const limited = (most: number): RequestListener => {
      let asked = 0
      return (_req, res) => void (asked++ < most ? res : res.writeHead(429)).end('tea')
    }
    const of = async (most: number, ...words: string[]): Promise<ProveReport> =>
      proved(
        await side('legacy', rows, limited(most)),
        await side('now', rows, limited(most)),
        '/x',
        ...words,
      )
    for (const report of [await of(3), await of(0), await of(0, '--request', 'GET /x?given')]) {
      expect(report).toMatchObject({ verdict: 'unproved', missing: [{ code: 'limited', route: 'GET /x' }] })
      expect(JSON.stringify(report)).toContain('answered 429 by both')
      expect(report.missing[0]!.remedy).toBe('raise the limit for this run, or prove fewer routes at once')
    }
    expect(await of(1000)).toMatchObject({ verdict: 'proved' })
    // Also of one side alone, which then differs by it.
    for (const [ofLegacy, ofNow] of [
      [3, 1000],
      [1000, 3],
    ] as const) {
      const legacy = await side('legacy', rows, limited(ofLegacy))
      const alone = await proved(legacy, await side('now', rows, limited(ofNow)), '/x')
      expect([alone.verdict, codesOf(alone)]).toEqual(['different', ['limited']])
      expect(JSON.stringify(alone)).not.toContain('by both')
    }
    const given: RequestListener = (req, res) =>
      void (req.url === '/x?given' ? res.writeHead(429) : res).end('tea')
    const sides = [await side('legacy', rows, given), await side('now', rows, given)] as const
    const report = await proved(...sides, '/x', '--request', 'GET /x?given')
    expect(codesOf(report)).toEqual(['limited'])
  })

  it('is missing where each request is answered by an error, as 400', async () => {
    commit(...rows)
    const answer = async (status: number): Promise<Side> =>
      side(String(status), rows, (_req, res) => void res.writeHead(status).end())
    expect(codesOf(await proved(await answer(400), await answer(400), '/x'))).toEqual(['no-success'])
    expect(codesOf(await proved(await answer(304), await answer(304), '/x'))).toEqual([])
  })

  itSlow('says what helps where a route fails whatever is asked', async () => {
    commit(...rows)
    const remedyOf = async (status: number): Promise<string> => {
      const failing: RequestListener = (_req, res) => void res.writeHead(status).end()
      const report = await proved(await side('legacy', rows, failing), await side('now', rows, failing), '/x')
      return report.missing[0]!.remedy
    }
    for (const status of [500, 410])
      expect(await remedyOf(status)).toMatch(
        /^look into the log of the app for the error\. .*FILE\. A route that answers nothing else is proved by no request: /,
      )
    expect(await remedyOf(404)).toMatch(/--recording FILE$/)
  })

  it('is made by a sample of a form with files, which the lock has as a text', async () => {
    const form = [{ ...beside('POST /x', [pass('multerMiddleware')]), witness: '/x' }]
    const reading: RequestListener = (req, res) => {
      let body = ''
      req.on('data', (part) => (body += String(part)))
      req.on('end', () => {
        const isForm = req.headers['content-type']?.startsWith('multipart/form-data') === true
        const [, file] = /filename="(.*?)"/.exec(body) ?? []
        res.writeHead(isForm && file !== undefined ? 201 : 400).end(JSON.stringify({ file }))
      })
    }
    const sides = async (): Promise<[Side, Side]> => [
      await side('legacy', form, reading),
      await side('now', form, reading),
    ]
    commit(...form)
    const report = await proved(...(await sides()), '/x', '--unsafe')
    expect(report.missing).toMatchObject([{ code: 'no-success', takesForm: true, statuses: [400] }])
    const { remedy, message } = report.missing[0]!
    // Apart from routes that other requests help.
    expect(message).toMatch(/^it reads a form with files, and each request to it was answered by 400, so /)
    expect(remedy).toMatch(/^give the route a sample of its form in routes\.lock\.json, with .*: "samples": /)
    const [sample] = JSON.parse(/\[.*\]$/.exec(remedy)![0]) as Sample[]
    const lock = createLock(inventory(form))
    const routes = lock.routes.map((one) => ({ ...one, samples: [sample!] }))
    writeFileSync(join(folder, 'routes.lock.json'), formatLock({ ...lock, routes }))
    expect(await proved(...(await sides()), '/x', '--unsafe')).toMatchObject({
      verdict: 'proved',
      missing: [],
    })
  })

  it('is missing where no request had what the code of the route reads', async () => {
    const source = "(req, res) => res.send(req.query.q + req.get('x-tenant'))"
    writeFileSync(join(folder, 'app.js'), `app.get('/x', ${source})\n`)
    const place = 'app.js:1'
    const reading = [row('GET /x', [a], { own: { stage: 'beside', at: place, definition: place, source } })]
    commit(...reading)
    const sides = await both(reading, reading)
    const missing = { code: 'no-input', route: 'GET /x' }
    expect((await proved(...sides, 'GET /x')).missing).toMatchObject([
      { ...missing, inputs: ['query.q', 'header.x-tenant'] },
    ])
    const named = ['GET /x', '--request', 'GET /x?q=1']
    expect((await proved(...sides, ...named)).missing).toMatchObject([
      { ...missing, inputs: ['header.x-tenant'] },
    ])
    expect((await proved(...sides, ...named, '--header', 'x-tenant: ada')).missing).toEqual([])
  })

  it('is missing where a guard has answered each request, by whatever status', async () => {
    commit(...rows)
    const guarding: RequestListener = (_req, res) => void res.writeHead(302, { location: '/login' }).end()
    const report = await proved(
      await side('legacy', rows, guarding, false),
      await side('now', rows, guarding, false),
      '/x',
    )
    expect(report.missing).toMatchObject([{ code: 'not-reached', route: 'GET /x', statuses: [302] }])
    // A revision decides by itself who answers.
    const answers = await side('now', rows, answering, false)
    expect(codesOf(await proved(await side('legacy', rows), answers, '/x', '--base', 'HEAD'))).toEqual([])
  })

  it.each(['GET /x', 'HEAD /x', 'GET /x/', 'GET /X?q=1'])('plays %s for GET /x', async (request) => {
    commit(...rows)
    const { routes } = await proved(...(await both()), '/x', '--request', request, '--request', 'GET /y')
    expect(routes.map(({ path, played }) => [path, played])).toEqual([['/x', 1]])
  })

  itSlow('says how far a long recording was played', async () => {
    commit(...rows)
    const others = Array.from({ length: 5000 }, () => ['--request', 'GET /y']).flat()
    const noteOf = async (...words: string[]): Promise<readonly string[]> =>
      (await proved(...(await both()), '/x', '--request', 'GET /x', ...words)).replay!.notes
    expect(await noteOf(...others)).toEqual([
      'The recording was played as far as 1 request: routecontrollers replay plays all of it.',
    ])
    expect(await noteOf(...others.slice(2))).toEqual([])
  })

  it.each<[answer: string, status: number, body: string, route: string, isProved: boolean]>([
    ['an empty object', 200, '{ }', 'GET /x', false],
    ['an empty list', 200, '[]', 'GET /x', false],
    ['null', 200, 'null', 'GET /x', false],
    ['an empty text of JSON', 200, '""', 'GET /x', false],
    ['nothing', 200, '', 'GET /x', false],
    ['204', 204, '', 'GET /x', false],
    ['204 to what deletes', 204, '', 'DELETE /x', true],
    ['a redirect', 302, '', 'GET /x', true],
    ['the head of an answer', 200, '', 'HEAD /x', true],
    ['an object with a member', 200, '{"tea":null}', 'GET /x', true],
  ])('that it answers with %s', async (_answer, status, body, route, isProved) => {
    const own = [beside(route)]
    commit(...own)
    const answering: RequestListener = (_req, res) => void res.writeHead(status).end(body)
    const [legacy, now] = [await side('legacy', own, answering), await side('now', own, answering)]
    const report = await proved(legacy, now, '/x', '--unsafe')
    expect(codesOf(report)).toEqual(isProved ? [] : ['empty'])
    expect(report.verdict).toBe(isProved ? 'proved' : 'unproved')
  })

  itSlow('is missing where all that it finds is nothing, until a request finds something', async () => {
    const own = [beside('GET /x/:id')]
    commit(...own)
    const finding: RequestListener = ({ url }, res) =>
      void res.writeHead(url === '/x/404' ? 404 : 200).end(url === '/x/tea' ? '{"id":"tea"}' : '{}')
    const [legacy, now] = [await side('legacy', own, finding), await side('now', own, finding)]
    const report = await proved(legacy, now, '/x/:id')
    expect(report.missing).toEqual([
      {
        code: 'empty',
        route: 'GET /x/:id',
        message:
          'each answer to it was an error or empty, as {} or [], so what it answers where there is something was not seen',
        remedy:
          "make a request that finds something: --request 'GET /x/7'; or play a recording: --recording FILE; or give the lock a sample of it",
      },
    ])
    const played = (target: string, text: string): RecordedExchange => ({
      ...namedRequests([`GET ${target}`])[0]!,
      answer: { status: 200, headers: [], body: { text } },
    })
    // The data of the recording need not be there.
    const gone = await provedBy([played('/x/gone', '{"id":"gone"}')], legacy, now, '/x/:id')
    expect(codesOf(gone)).toEqual(['empty'])
    for (const one of [played('/x/tea', '{"id":"tea"}'), played('/x/none', '{}')])
      expect(await provedBy([one], legacy, now, '/x/:id')).toMatchObject({ verdict: 'proved' })
    // Somebody says that this is what it answers.
    for (const target of ['/x/tea', '/x/none'])
      expect(await proved(legacy, now, '/x/:id', '--request', `GET ${target}`)).toMatchObject({
        verdict: 'proved',
      })
    const refused = await proved(legacy, now, '/x/:id', '--request', 'GET /x/404')
    expect(codesOf(refused)).toEqual(['empty'])
  })

  it('is missing where only a guard has answered with something, and the native callback with nothing', async () => {
    commit(...rows)
    const guarding: RequestListener = ({ url }, res) => {
      if (url === '/x?as=guest') return void res.end('please log in')
      res.setHeader(reachedHeader, '1')
      res.end('[]')
    }
    const sidesOf = async () =>
      [await side('legacy', rows, guarding, false), await side('now', rows, guarding, false)] as const
    const [named] = namedRequests(['GET /x?as=guest'])
    const answer = { status: 200, headers: [], body: { text: 'please log in' } }
    const report = await provedBy([{ ...named!, answer }], ...(await sidesOf()), '/x')
    expect(codesOf(report)).toEqual(['empty'])
    // A revision does not tell which of them have come to it.
    const based = await provedBy([{ ...named!, answer }], ...(await sidesOf()), '/x', '--base', 'HEAD')
    expect(codesOf(based)).toEqual([])
  })

  it('gives the header of a user to requests that are named, and of a recording to those that had it', async () => {
    commit(...rows)
    const asked = new Map<string, Set<string | undefined>>()
    const noting: RequestListener = (req, res) => {
      const { authorization } = req.headers
      asked.set(req.url!, (asked.get(req.url!) ?? new Set()).add(authorization))
      res.writeHead(authorization === undefined ? 401 : 200).end('tea')
    }
    const recorded = (
      target: string,
      headers: RecordedExchange['headers'],
      status: number,
    ): RecordedExchange => ({
      ...namedRequests([`GET ${target}`])[0]!,
      headers,
      answer: { status, headers: [], body: { text: 'tea' } },
    })
    const traffic = [recorded('/x?had', [['Authorization', '[redacted]']], 200), recorded('/x?open', [], 401)]
    const [legacy, now] = [await side('legacy', rows, noting), await side('now', rows, noting)]
    const words = ['/x', '--request', 'GET /x?named', '--header', 'authorization: Bearer abc']
    expect(await provedBy(traffic, legacy, now, ...words)).toMatchObject({ verdict: 'proved' })
    expect(['/x?named', '/x?had', '/x?open'].map((url) => [...asked.get(url)!])).toEqual([
      ['Bearer abc'],
      ['Bearer abc'],
      [undefined],
    ])
  })

  const recordedIn = (session: string, request: string, more: object = {}): RecordedExchange => ({
    ...namedRequests([request])[0]!,
    answer: { status: 200, headers: [], body: { text: 'tea' } },
    session,
    ...more,
  })
  /** Two sides that note what they are asked, of the recording alone. */
  async function noting(own = rows): Promise<{ sides: [Side, Side]; asked: IncomingMessage[] }> {
    const asked: IncomingMessage[] = []
    const note: RequestListener = (req, res) => {
      if (req.url!.includes('given')) asked.push(req)
      res.end('tea')
    }
    return { sides: [await side('legacy', own), await side('now', own, note)], asked }
  }

  it('needs what a session has sent up to its last request of the route, and compares that route alone', async () => {
    commit(...rows)
    const { sides, asked } = await noting()
    const recording = [
      recordedIn('a', 'GET /y?given=1'),
      recordedIn('b', 'GET /y?given=2'),
      recordedIn('a', 'GET /x?given=3'),
      recordedIn('a', 'GET /y?given=4'),
      recordedIn('a', 'GET /x?given=5'),
      recordedIn('a', 'GET /y?given=6'),
    ]
    const report = await provedBy(recording, ...sides, '/x')
    expect(asked.map(({ url }) => url!.at(-1))).toEqual(['1', '3', '4', '5'])
    expect(report).toMatchObject({ verdict: 'proved', replay: { ok: true, compared: 2, planned: 2 } })
    expect(report.routes).toMatchObject([{ path: '/x', played: 2 }])
  })

  it('sends of a recorded request what is not of its connection', async () => {
    commit(...rows)
    const { sides, asked } = await noting()
    const ofConnection = {
      ...{ Host: 'elsewhere', Connection: 'upgrade', 'Keep-Alive': '5', 'Content-Length': '3' },
      ...{ 'Transfer-Encoding': 'chunked', 'Accept-Encoding': 'br', Upgrade: 'h2c', Expect: '100-continue' },
    }
    const headers = Object.entries({ ...ofConnection, 'X-Own': '1', 'X-Secret': '[redacted]' })
    await provedBy([recordedIn('a', 'GET /x?given', { headers })], ...sides, '/x')
    const [got] = asked
    expect(got!.headers).toMatchObject({ 'x-own': '1', host: expect.not.stringContaining('elsewhere') })
    for (const [name, value] of Object.entries(ofConnection))
      expect([name, got!.headers[name.toLowerCase()]]).not.toEqual([name, value])
    expect(got!.headers).not.toHaveProperty('x-secret')
  })

  it.each<[route: string, request: string, isAsked: boolean]>([
    ['GET /x', 'POST /x?given', false],
    ['* /x', 'POST /x?given', true],
    ['* /x', 'GET /x?given', true],
    ['GET /x', 'HEAD /x?given', true],
    ['POST /x', 'HEAD /x?given', false],
    ['GET /x/:id', 'GET /x/7?given', true],
    ['GET /x/:id', 'GET /x?given', false],
    ['GET /x/:id', 'GET /x/7/8?given', false],
    ['GET /x/file-:id', 'GET /x/file-7?given', true],
    ['GET /x/a', 'GET /x/b?given', false],
    ['GET /x/*rest', 'GET /x/a/b?given', true],
    ['GET /x{/:id}', 'GET /x?given', true],
  ])('of %s is made by a recorded %s: %j', async (route, request, isAsked) => {
    const own = [beside(route)]
    commit(...own)
    const { sides } = await noting(own)
    const report = await provedBy([recordedIn('a', request)], ...sides, route, '--unsafe')
    expect(report.routes[0]!.played).toBe(isAsked ? 1 : 0)
  })

  it('counts a request for the first route that would answer it', async () => {
    const own = [beside('GET /x/a'), beside('GET /x/:id')]
    commit(...own)
    const { sides } = await noting(own)
    const { routes } = await provedBy([recordedIn('a', 'GET /x/a?given')], ...sides, '/x/**')
    expect(routes.map(({ path, played }) => [path, played])).toEqual([
      ['/x/a', 1],
      ['/x/:id', 0],
    ])
  })

  it.each<[string, is: string, again: string | undefined, verdict: string]>([
    ['by what legacy says in another way each time', '2', '3', 'proved'],
    ['by what legacy says alike each time', '2', '1', 'different'],
    ['and legacy was not started twice', '2', undefined, 'different'],
  ])('of what writes differs %s: says %s, and again %s', async (_how, is, again, verdict) => {
    const own = [beside('POST /x')]
    commit(...own)
    const saying = (name: string, id: string): Promise<Side> =>
      side(name, own, (req, res) => {
        // What is made up for the route alone is no matter here.
        const isGiven = req.url === '/x?given'
        res.setHeader('content-type', 'application/json')
        res.end(JSON.stringify({ id: isGiven ? id : 'same', all: 'tea' }))
      })
    const sides = [await saying('legacy', '1'), await saying('now', is)] as const
    const third = again === undefined ? undefined : await saying('again', again)
    const recorded = [recordedIn('a', 'POST /x?given {"a":1}')]
    const report = await provedWith({ recorded, again: third }, ...sides, '/x', '--unsafe')
    expect(report.verdict).toBe(verdict)
  })

  itSlow(
    'takes for noise what legacy gives another value as it is started twice, where a request writes too',
    async () => {
      const own = [beside('POST /x')]
      commit(...own)
      const saying =
        (is: string, all = 'tea'): RequestListener =>
        (_req, res) => {
          res.setHeader('content-type', 'application/json')
          res.end(JSON.stringify({ is, all }))
        }
      const verdict = async (...[legacy, now, again]: RequestListener[]): Promise<string> => {
        const sides = [await side('legacy', own, legacy), await side('now', own, now)] as const
        const third = again && (await side('again', own, again))
        const recorded = [recordedIn('a', 'POST /x {"a":1}')]
        return (await provedWith({ recorded, again: third }, ...sides, '/x', '--unsafe')).verdict
      }
      expect(await verdict(saying('1'), saying('2'), saying('3'))).toBe('proved')
      expect(await verdict(saying('1'), saying('2'), saying('1'))).toBe('different')
      expect(await verdict(saying('1'), saying('2', 'milk'), saying('3'))).toBe('different')
      expect(await verdict(saying('1'), saying('2'))).toBe('different')
    },
  )

  itSlow('says of what writes what no answer tells', async () => {
    const limitsOf = async (route: string, other: string, ...words: string[]): Promise<number> => {
      const own = [beside(route), beside(other)]
      commit(...own)
      return (await proved(...(await both(own, own)), '/**', ...words)).limits.length
    }
    expect(await limitsOf('GET /x', 'GET /y')).toBe(0)
    expect(await limitsOf('GET /x', 'POST /y')).toBe(1)
    expect(await limitsOf('POST /x', 'GET /y', '--unsafe')).toBe(2)
    expect(await limitsOf('POST /x', 'GET /y', '--unsafe', '--data', '.', '--data-env', 'D')).toBe(1)
  })

  it.each(['GET', 'HEAD', 'OPTIONS', '*', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'is missing where a method writes, unless it may: %s',
    async (method) => {
      const own = [beside(`${method} /x`)]
      commit(...own)
      const isSafe = ['GET', 'HEAD', 'OPTIONS', '*'].includes(method)
      expect(codesOf(await proved(...(await both(own, own)), '/x'))).toEqual(isSafe ? [] : ['unsafe'])
      expect(codesOf(await proved(...(await both(own, own)), '/x', '--unsafe'))).toEqual([])
    },
  )

  it('is missing where a request that was given has no answer', async () => {
    commit(...rows)
    const closing: RequestListener = (req, res) =>
      void (req.url === '/x?given' ? req.socket.destroy() : res.end('tea'))
    const [legacy, now] = [await side('legacy', rows, closing), await side('now', rows, closing)]
    const report = await proved(legacy, now, '/x', '--request', 'GET /x?given', '--request', 'GET /x?other')
    expect(report.missing).toMatchObject([{ code: 'incomplete', of: 'replay', compared: 1, planned: 2 }])
  })

  it('of a Controller in front of an app is missing where the app has not the route', async () => {
    const inFront = row('GET /x', [a], { own: { by: 'Controller' }, answer: { by: 'Controller' } })
    commit(inFront)
    const [now, behind, other] = [[inFront], [row('GET /x', [a])], [row('GET /other', [a])]]
    expect(codesOf(await proved(...(await both(now, other)), '/x'))).toEqual(['no-legacy'])
    expect(await proved(...(await both(now, behind)), '/x')).toMatchObject({ verdict: 'proved', missing: [] })
    const all = [row('* /x', [a])]
    expect(codesOf(await proved(...(await both(now, all)), '/x'))).toEqual([])
  })

  it('fails for a route that is gone since the revision', async () => {
    const gone: RequestListener = (_req, res) => void res.writeHead(404).end()
    const legacy = await side('legacy', rows)
    const now = await side('now', [rows[1]!], (req, res) =>
      (req.url!.startsWith('/y') ? answering : gone)(req, res),
    )
    const report = await proved(legacy, now, 'GET /x', '--base', 'HEAD')
    expect(verdictsOf(report)).toEqual(['GET /x different'])
    await expect(proved(legacy, now, 'GET /x')).rejects.toThrow('which is no route of the app')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer } from 'node:http2'
import { type AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import compression from 'compression'
import express, { type Express, json, urlencoded } from 'express'
import express4 from 'express4'
import { type RecordedExchange, recorder, type RecorderOptions } from '@routecontrollers/switch'
import { JsonComparison } from '../../../packages/compare/src/compare-json.js'
import { RecordFiles } from '../../../packages/switch/src/record/record-files.js'
import { CookieJars } from '../../../packages/cli/src/replay/cookie-jars.js'
import { listenOn, sendTo } from '../../support/describe-servings.js'
import { nodePair } from '../../support/node-pair.js'
import { type Command, createCommand } from '../run-command.js'
import { until } from './shop.js'
import { itSlow } from '../../support/counts.js'

const open: (() => Promise<void>)[] = []
let folder: string
let command: Command

beforeAll(() => {
  command = createCommand()
})
afterAll(() => command.remove())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorder-'))
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  rmSync(folder, { recursive: true, force: true })
})

/** A shop with a session, whose price is the first argument. */
function shop(price: number, make: () => Express = express): Express {
  const app = make()
  app.use(compression({ threshold: 0 }), json(), urlencoded({ extended: false }))
  app.get('/items/:id', (req, res) => {
    res.json({ id: req.params.id, price, at: new Date().toISOString(), nonce: Math.random() })
  })
  app.post('/login', (req, res) => {
    res.cookie('sid', `session-of-${(req.body as { name: string }).name}`).json({ ok: true })
  })
  app.get(
    '/me',
    (req, res) => void res.json({ sid: /sid=([^;]*)/.exec(req.headers.cookie ?? '')?.[1] ?? null }),
  )
  app.get('/page', (_req, res) => void res.send(`<b>${price}</b> <input name=csrf value="${Math.random()}">`))
  return app
}

async function serve(app: Express): Promise<{ port: number; send: ReturnType<typeof sendTo>; url: string }> {
  const { port, close } = await listenOn(app)
  open.push(close)
  return { port, send: sendTo(port), url: `http://127.0.0.1:${port}` }
}

async function recorded(
  options: RecorderOptions,
  make: () => Express = express,
): Promise<{ send: ReturnType<typeof sendTo>; done: (count: number) => Promise<void> }> {
  const recording = recorder(options)
  const app = make()
  app.use(recording)
  app.use(shop(5, make))
  const { send } = await serve(app)
  return {
    send,
    async done(count) {
      await until(() => recording.status().recorded + recording.status().dropped >= count)
      await recording.close()
    },
  }
}

async function visit(send: ReturnType<typeof sendTo>): Promise<number> {
  const login = async (name: string): Promise<string> => {
    const { cookies } = await send('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: 'open-sesame', iban: 'DE00' }),
    })
    return cookies[0]!.split(';')[0]!
  }
  const [ada, bob] = [await login('ada'), await login('bob')]
  await send('/items/7?tea=1&token=sesame', { headers: { cookie: ada, authorization: 'Bearer sesame' } })
  for (const cookie of [ada, bob, ada]) await send('/me', { headers: { cookie } })
  await send('/page', { headers: { 'accept-encoding': 'gzip' } })
  return 7
}

interface Har {
  readonly log: { readonly entries: readonly unknown[] }
}

const read = (file: string): RecordedExchange[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedExchange)

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as () => Express],
])('recorder – %s', (_name, make) => {
  it('writes requests and answers without secrets', async () => {
    const file = join(folder, 'traffic.jsonl')
    const { send, done } = await recorded({ file, redact: ['IBAN'] }, make)
    await done(await visit(send))
    const text = readFileSync(file, 'utf8')
    expect(text).not.toMatch(/sesame|session-of|DE00/)
    const all = read(file)
    expect(all).toHaveLength(7)
    expect(all.map(({ method, target }) => `${method} ${target}`)).toEqual(
      expect.arrayContaining(['POST /login', 'GET /items/7?tea=1&token=[redacted]', 'GET /me']),
    )
    const login = all.find(({ target }) => target === '/login')!
    expect(JSON.parse(login.body!.text!)).toEqual({ name: 'ada', password: '[redacted]', iban: '[redacted]' })
    // Whatever has packed it: what is written can be read.
    expect(all.find(({ target }) => target === '/page')!.answer.body!.text).toMatch(/^<b>5<\/b>/)
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  it('is played again: what differs is told, what is noise is not, and sessions are kept apart', async () => {
    const file = join(folder, 'traffic.jsonl')
    const { send, done } = await recorded({ file }, make)
    await done(await visit(send))
    const [same, dear] = [await serve(shop(5, make)), await serve(shop(6, make))]

    const clean = await command.run('replay', file, '--against', same.url, '--unsafe')
    expect(clean.stdout).toContain('✓ 7 requests answered alike by the recording')
    expect(clean.code).toBe(0)

    const found = await command.run('replay', file, '--against', dear.url, '--json')
    expect(found.code).toBe(1)
    const report = JSON.parse(found.stdout)
    expect(report.groups.flatMap(({ routes }: any) => routes)).toEqual(
      expect.arrayContaining(['GET /items/:id', 'GET /page']),
    )
    expect(report.groups[0].differences[0].changes).toContainEqual({
      what: 'body',
      name: '$.price',
      legacy: '5',
      now: '6',
    })
    expect(report.notes).toContain('2 requests left out that write: --unsafe makes them too.')

    const two = await command.run(
      'replay',
      file,
      '--against',
      dear.url,
      '--and',
      same.url,
      '--unsafe',
      '--rate',
      '500',
      '--json',
    )
    const compared = JSON.parse(two.stdout)
    expect(compared.compared).toBe(7)
    // The cookies of each client come back, so that /me says the same on both sides.
    expect(compared.groups.flatMap(({ routes }: any) => routes)).not.toContain('GET /me')
    expect(two.code).toBe(1)
  })
})

describe('recorder', () => {
  it('writes HAR that replay reads', async () => {
    const file = join(folder, 'traffic.har')
    const { send, done } = await recorded({ file, format: 'har' })
    await done(await visit(send))
    const { log } = JSON.parse(readFileSync(file, 'utf8'))
    expect(log.version).toBe('1.2')
    expect(log.entries).toHaveLength(7)
    const { url } = await serve(shop(5))
    const ran = await command.run('replay', file, '--against', url, '--unsafe')
    expect(ran.stdout).toContain('✓ 7 requests answered alike')
  })

  it('begins the next file when one is full, and keeps so many', async () => {
    const file = join(folder, 'traffic.jsonl')
    const { send, done } = await recorded({ file, maxFileBytes: 1500, files: 3 })
    for (let at = 0; at < 20; at++) await send(`/items/${at}`)
    await done(20)
    await until(() => readdirSync(folder).length === 3)
    expect(readdirSync(folder).sort()).toEqual(['traffic.jsonl', 'traffic.jsonl.1', 'traffic.jsonl.2'])
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1500)
      expect(read(join(folder, name)).length).toBeGreaterThan(0)
    }
  })

  it('goes on in a file that is there, and puts one aside whose last line was cut', async () => {
    const file = join(folder, 'traffic.jsonl')
    const line = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`
    writeFileSync(file, line)
    const one = await recorded({ file, maxFileBytes: 1500 })
    for (let at = 0; at < 4; at++) await one.send(`/items/${at}`)
    await one.done(4)
    expect(readFileSync(join(folder, readdirSync(folder).sort().at(-1)!), 'utf8').startsWith(line)).toBe(true)
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1500)

    const cut = join(folder, 'cut.jsonl')
    writeFileSync(cut, '{"cut')
    const two = await recorded({ file: cut })
    await two.send('/items/1')
    await two.done(1)
    expect([read(cut).length, readFileSync(`${cut}.1`, 'utf8')]).toEqual([1, '{"cut'])
  })

  it('keeps one file where it is to keep one, which no other user can read', async () => {
    const file = join(folder, 'traffic.jsonl')
    const { send, done } = await recorded({ file, maxFileBytes: 2000, files: 1 })
    // At once: as many lines go into a file as have room.
    await Promise.all(Array.from({ length: 12 }, (_, at) => send(`/items/${at}`)))
    await done(12)
    expect(readdirSync(folder)).toEqual(['traffic.jsonl'])
    expect(statSync(file).size).toBeLessThanOrEqual(2000)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('puts no more lines into a file at once than have room in it', async () => {
    const files = new RecordFiles({
      file: join(folder, 'traffic.jsonl'),
      isHar: false,
      maxFileBytes: 30,
      files: 9,
    })
    const lines = Array.from({ length: 8 }, (_, at) => `{"at": ${at}}`)
    await Promise.all(
      lines.map((line) => new Promise((resolve) => files.write(line.padEnd(9), () => resolve(undefined)))),
    )
    await files.close()
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
    expect(sizes.sort((a, b) => a - b)).toEqual([20, 30, 30])
  })

  it.each([false, true])(
    'gives each line that is larger than a file one of its own, and leaves none empty: HAR %s',
    async (isHar) => {
      const files = new RecordFiles({ file: join(folder, 'traffic'), isHar, maxFileBytes: 5, files: 9 })
      for (const at of [1, 2, 3]) {
        await new Promise((resolve) => files.write(`{"at": ${at}}`, () => resolve(undefined)))
      }
      await files.close()
      const found = readdirSync(folder).sort()
      expect(found).toEqual(['traffic', 'traffic.1', 'traffic.2'])
      expect(found.map((name) => /"at": (.)/.exec(readFileSync(join(folder, name), 'utf8'))?.[1])).toEqual([
        '3',
        '2',
        '1',
      ])
    },
  )

  type WriteAll = (fd: number, all: Buffer, from: number, length: number, ...more: unknown[]) => void

  it.each([true, false])('goes on where a disk has taken a part: HAR %s', async (isHar) => {
    const write = fs.write as unknown as WriteAll
    const writePart: WriteAll = (fd, all, from, length, ...more) =>
      write(fd, all, from, Math.ceil(length / 2), ...more)
    const writing = jest.spyOn(fs, 'write').mockImplementation(writePart as never)
    const file = join(folder, 'traffic')
    const files = new RecordFiles({ file, isHar, maxFileBytes: 1e9, files: 1 })
    try {
      for (const at of [1, 2, 3])
        await new Promise<unknown>((resolve) => files.write(`{"at":${at}}`, resolve))
      await files.close()
    } finally {
      writing.mockRestore()
    }
    const text = readFileSync(file, 'utf8')
    const entries: unknown = isHar
      ? JSON.parse(text).log.entries
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown)
    expect(entries).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }])
  })

  it('writes no more than 256 KiB at once, unless one line is longer', async () => {
    const sizes: number[] = []
    const write = fs.write as unknown as WriteAll
    const writeAndNote: WriteAll = (fd, all, ...more) => {
      sizes.push(Math.ceil(all.length / 1024))
      write(fd, all, ...more)
    }
    const writing = jest.spyOn(fs, 'write').mockImplementation(writeAndNote as never)
    try {
      const options = { isHar: false, maxFileBytes: 1e9, files: 1 }
      const files = new RecordFiles({ file: join(folder, 'traffic.jsonl'), ...options })
      for (const kib of [100, 100, 100, 300, 1]) files.write('x'.repeat(kib * 1024 - 1), () => {})
      await files.close()
    } finally {
      writing.mockRestore()
    }
    expect(sizes).toEqual([200, 100, 300, 1])
  })

  it('writes on however much it has written, within what may wait', async () => {
    const file = join(folder, 'traffic.jsonl')
    const recording = recorder({ file, maxHeldBytes: 4000 })
    open.push(() => recording.close())
    const app = express().use(recording).use(shop(5))
    const { send } = await serve(app)
    for (let at = 1; at <= 20; at++) {
      await send(`/items/${at}`)
      await until(() => recording.status().recorded === at)
    }
    expect(recording.status()).toEqual({ recorded: 20, dropped: 0 })
  })

  it('drops what has no room while much waits to be written', async () => {
    const recording = recorder({ file: join(folder, 'traffic.jsonl'), maxHeldBytes: 1000 })
    for (let at = 0; at < 20; at++) {
      const request = new IncomingMessage(new Socket())
      const response = new ServerResponse(request)
      recording(request, response)
      Object.defineProperty(response, 'writableFinished', { value: true })
      response.emit('close')
    }
    await recording.close()
    const { recorded, dropped } = recording.status()
    expect([recorded > 0, dropped > 0, recorded + dropped]).toEqual([true, true, 20])
    expect(statSync(join(folder, 'traffic.jsonl')).size).toBeLessThanOrEqual(1000 + recorded)
  })

  it('records no share of nothing by its former name, nothing once it is closed, and no secret in a path', async () => {
    const lines: string[] = []
    const sink = (line: string): void => void lines.push(line)
    const none = await recorded({ sink, sample: 0 })
    await none.send('/items/1')
    expect(lines).toEqual([])

    const recording = recorder({ sink })
    const app = express().use(recording)
    const reached = new Promise<() => void>((resolve) => {
      app.get('/later', (_req, res) => resolve(() => void res.end('late')))
    })
    const later = await serve(app)
    const answer = later.send('/later')
    const finish = await reached
    await recording.close()
    finish()
    await answer
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([lines, recording.status().recorded]).toEqual([[], 0])

    const one = await recorded({ sink, maxBodyBytes: 50 })
    await one.send('/items/a-value-of-ada?x=a-value-of-ada', { headers: { cookie: 'sid=a-value-of-ada' } })
    await one.send('/me')
    await one.done(2)
    const other = await recorded({ sink })
    await other.send('/me')
    await other.done(1)
    const [first, second, third] = lines.map((line) => JSON.parse(line) as RecordedExchange)
    expect(first!.target).toBe('/items/[redacted]?x=[redacted]')
    expect(first!.answer.body).toEqual({ isLeftOut: true })
    // An address cannot be told from its hash, which is another one each time.
    expect(second!.session).not.toBe(third!.session)
  })

  it('tells clients of one address apart by what they are authorized by, else by their cookies', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line) })
    const sent: Record<string, string>[] = [
      { authorization: 'Bearer 1' },
      { authorization: 'Bearer 2' },
      { authorization: 'Bearer 1', cookie: 'tea=green' },
      { cookie: 'tea=green' },
      { cookie: 'tea=black' },
      {},
      {},
    ]
    for (const headers of sent) await send('/items/1', { headers })
    await done(sent.length)
    const sessions = lines.map((line) => (JSON.parse(line) as RecordedExchange).session)
    expect(sessions.map((one) => sessions.indexOf(one))).toEqual([0, 1, 0, 3, 4, 5, 5])
  })

  it('has one session of a client that had a cookie before it got another one', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line) })
    const cookie = 'cart=1'
    await send('/me', { headers: { cookie } })
    const { cookies } = await send('/login', {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{"name":"ada"}',
    })
    await send('/me', { headers: { cookie: `${cookie}; ${cookies[0]!.split(';')[0]}` } })
    await done(3)
    expect(new Set(lines.map((line) => (JSON.parse(line) as RecordedExchange).session)).size).toBe(1)
  })

  it('knows the cookies of ten thousand sessions, and forgets the oldest ones', async () => {
    const lines: string[] = []
    const recording = recorder({ sink: (line) => lines.push(line) })
    const ask = async (cookie: string | undefined, set: readonly string[]): Promise<string> => {
      const pair = nodePair({ headers: cookie === undefined ? [] : ['Cookie', cookie], remoteAddress: '::1' })
      recording(pair.req, pair.res)
      if (set.length > 0) pair.res.setHeader('Set-Cookie', set)
      const finished = once(pair.res, 'finish')
      pair.res.end()
      await finished
      pair.res.emit('close')
      return (JSON.parse(lines.at(-1)!) as RecordedExchange).session
    }
    const cookies = Array.from({ length: 10_001 }, (_, at) => `c${at}=1`)
    const session = await ask(undefined, cookies)
    const known: boolean[] = []
    for (const one of [cookies[1], cookies.at(-1), cookies[0]]) known.push((await ask(one, [])) === session)
    expect(known).toEqual([true, true, false])
  })

  it('looks for the session of a client in its first fifty cookies', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line) })
    const { cookies } = await send('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"ada"}',
    })
    const behind = (count: number): string =>
      [...Array.from({ length: count }, (_, at) => `c${at}=1`), cookies[0]!.split(';')[0]].join('; ')
    for (const count of [49, 50]) await send('/me', { headers: { cookie: behind(count) } })
    await done(3)
    const [login, within, beyond] = lines.map((line) => (JSON.parse(line) as RecordedExchange).session)
    expect([within === login, beyond === login]).toEqual([true, false])
  })

  it('leaves large bodies out, and records the rest', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line), maxBodyBytes: 100 })
    const large = 'x'.repeat(1000)
    const answer = await send('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: large }),
    })
    expect(answer.json()).toEqual({ ok: true })
    await done(1)
    const [one] = lines.map((line) => JSON.parse(line) as RecordedExchange)
    expect(one!.body).toEqual({ isLeftOut: true })
    expect(one!.answer.body).toEqual({ text: '{"ok":true}' })
  })

  it('records bytes once and as they were, whoever writes them in whatever way', async () => {
    const lines: string[] = []
    const recording = recorder({ sink: (line) => lines.push(line), maxBodyBytes: 12 })
    const app = express()
    app.use((_req, res, next) => {
      const end = res.end.bind(res) as (...parameters: unknown[]) => typeof res
      // As middleware does that was there before.
      res.end = ((chunk?: unknown, ...rest: unknown[]) => {
        if (typeof chunk !== 'string') return end(chunk, ...rest)
        res.write(chunk)
        return end()
      }) as typeof res.end
      next()
    })
    app.use(recording)
    app.get('/text', (_req, res) => void res.type('text').end('tea'))
    app.get('/hex', (_req, res) => {
      res.type('text').write('746561', 'hex')
      res.end()
    })
    app.get('/reused', (_req, res) => {
      const bytes = Buffer.from('tea')
      res.type('text').write(bytes)
      bytes.fill('x')
      res.end()
    })
    app.get('/limit', (_req, res) => void res.type('text').end('a tea or two'))
    app.get('/beyond', (_req, res) => void res.type('text').end('a tea or more'))
    const { send } = await serve(app)
    for (const path of ['/text', '/hex', '/reused', '/limit', '/beyond']) await send(path)
    await until(() => lines.length === 5)
    expect(lines.map((line) => (JSON.parse(line) as RecordedExchange).answer.body)).toEqual([
      { text: 'tea' },
      { text: 'tea' },
      { text: 'tea' },
      { text: 'a tea or two' },
      { isLeftOut: true },
    ])
  })

  it('gives back what it has held: the last of many requests is recorded like the first', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line), maxHeldBytes: 2000 })
    const body = JSON.stringify({ name: 'x'.repeat(1000) })
    const headers = { 'content-type': 'application/json' }
    for (let at = 0; at < 10; at++) await send('/login', { method: 'POST', headers, body })
    await done(10)
    const bodies = lines.map((line) => (JSON.parse(line) as RecordedExchange).body)
    expect(bodies).toEqual(Array(10).fill({ text: body }))
  })

  it('gives back what it has held of bodies that are too large', async () => {
    const lines: string[] = []
    const sink = (line: string): void => void lines.push(line)
    const { send, done } = await recorded({ sink, maxBodyBytes: 50, maxHeldBytes: 200 })
    const headers = { 'content-type': 'application/json' }
    const large = JSON.stringify({ name: 'x'.repeat(60) })
    const small = JSON.stringify({ name: 'x'.repeat(10) })
    for (let at = 0; at < 5; at++)
      await send('/login', { method: 'POST', headers, body: large, chunked: true })
    await send('/login', { method: 'POST', headers, body: small })
    await done(6)
    const bodies = lines.map((line) => (JSON.parse(line) as RecordedExchange).body)
    expect(bodies).toEqual([...Array(5).fill({ isLeftOut: true }), { text: small }])
  })

  it('changes nothing for a client when nothing can be written', async () => {
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const { send, done } = await recorded({
      sink: () => {
        throw new Error('planted')
      },
      logger: { info: note, warn: note, error: note },
    })
    for (let at = 0; at < 3; at++) expect((await send('/items/1')).status).toBe(200)
    await done(3)
    expect(logged).toHaveLength(1)
  })

  itSlow('goes on once a disk that was full has room again', async () => {
    const file = join(folder, 'traffic.jsonl')
    symlinkSync('/dev/full', file)
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const recording = recorder({ file, logger: { info: note, warn: note, error: note } })
    const app = express()
    app.use(recording)
    app.use(shop(5))
    const { send } = await serve(app)
    await send('/items/1')
    await until(() => recording.status().dropped > 0)
    expect(logged).toEqual([expect.stringContaining('ENOSPC')])
    await send('/items/2')
    await until(() => recording.status().dropped === 2)
    rmSync(file)
    const before = recording.status().recorded
    while (recording.status().recorded === before) {
      expect((await send('/items/3')).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await recording.close()
    expect(read(file).map(({ target }) => target)).toContain('/items/3')
    expect(logged).toHaveLength(1)
  })

  it('leaves a file alone for five seconds that could not be written', async () => {
    const file = join(folder, 'traffic.jsonl')
    symlinkSync('/dev/full', file)
    const files = new RecordFiles({ file, isHar: false, maxFileBytes: 1000, files: 1 })
    const now = jest.spyOn(performance, 'now').mockReturnValue(10_000)
    const write = (text: string): Promise<unknown> => new Promise((resolve) => files.write(text, resolve))
    expect(await write('a')).toMatchObject({ code: 'ENOSPC' })
    rmSync(file)
    now.mockReturnValue(14_999)
    expect(await write('b')).toMatchObject({ code: 'ENOSPC' })
    expect(readdirSync(folder)).toEqual([])
    now.mockReturnValue(15_000)
    expect(await write('c')).toBeUndefined()
    await files.close()
    expect(readFileSync(file, 'utf8')).toBe('c\n')
    now.mockRestore()
  })

  it('has written all that has come when it is closed', async () => {
    const file = join(folder, 'traffic.jsonl')
    const recording = recorder({ file })
    let ended = 0
    const app = express()
    app.use(recording)
    app.use((_req, res) => {
      res.once('close', () => ended++)
      res.send('x'.repeat(60_000))
    })
    const { send } = await serve(app)
    await Promise.all(Array.from({ length: 20 }, () => send('/x')))
    await until(() => ended === 20)
    await recording.close()
    expect(recording.status()).toEqual({ recorded: 20, dropped: 0 })
    expect(read(file)).toHaveLength(20)
  })

  it('counts what is in the file, and not what it was asked to write', async () => {
    const file = join(folder, 'traffic.jsonl')
    symlinkSync('/dev/full', file)
    const recording = recorder({ file, logger: { info() {}, warn() {}, error() {} } })
    const app = express()
    app.use(recording)
    app.use(shop(5))
    const { send } = await serve(app)
    await Promise.all(Array.from({ length: 5 }, (_, at) => send(`/items/${at}`)))
    await until(() => recording.status().dropped === 5)
    expect(recording.status()).toEqual({ recorded: 0, dropped: 5 })
    await recording.close()
  })

  it('counts what a sink has not taken as dropped', async () => {
    let isFull = true
    const recording = recorder({
      sink: () => (isFull ? Promise.reject(new Error('full')) : Promise.resolve()),
      logger: { info() {}, warn() {}, error() {} },
    })
    const app = express()
    app.use(recording)
    app.use(shop(5))
    const { send } = await serve(app)
    await send('/items/1')
    await until(() => recording.status().dropped === 1)
    isFull = false
    await send('/items/2')
    await until(() => recording.status().recorded === 1)
    expect(recording.status()).toEqual({ recorded: 1, dropped: 1 })
  })

  it('keeps a HAR closed while it is written, also where the process is killed', async () => {
    const file = join(folder, 'traffic.har')
    const entry = join(folder, 'record.ts')
    writeFileSync(
      entry,
      `import express from ${JSON.stringify(require.resolve('express'))}
      import { recorder } from ${JSON.stringify(join(__dirname, '../../../packages/switch/src/index.ts'))}
      const recording = recorder({ file: ${JSON.stringify(file)}, format: 'har' })
      const app = express()
      app.use(recording)
      app.get('/items/:id', (req, res) => { res.json({ id: req.params.id }) })
      const server = app.listen(0, '127.0.0.1', async () => {
        for (let at = 0; at < 4; at++) await (await fetch('http://127.0.0.1:' + server.address().port + '/items/' + at)).text()
        while (recording.status().recorded < 4) await new Promise((resolve) => setTimeout(resolve, 5))
        process.kill(process.pid, 'SIGKILL')
      })`,
    )
    const tsx = require.resolve('tsx')
    const child = spawn(process.execPath, ['--import', tsx, entry], {
      stdio: 'inherit',
      cwd: join(__dirname, '../../..'),
    })
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
    const { log } = JSON.parse(readFileSync(file, 'utf8')) as {
      log: { entries: { request: { url: string } }[] }
    }
    expect(log.entries.map(({ request }) => new URL(request.url).pathname)).toEqual([
      '/items/0',
      '/items/1',
      '/items/2',
      '/items/3',
    ])
  })

  it('closes a HAR that was cut, and replay reads what is whole of one', async () => {
    const file = join(folder, 'traffic.har')
    const one = await recorded({ file, format: 'har' })
    await one.done(await visit(one.send))
    const whole = readFileSync(file, 'utf8')
    const cut = whole.slice(0, whole.lastIndexOf('"cache"'))
    writeFileSync(file, cut)
    const { url } = await serve(shop(5))
    const ran = await command.run('replay', file, '--against', url, '--unsafe')
    expect(ran.stdout).toContain('✓ 6 requests answered alike')
    expect(ran.stdout).toContain('1 line could not be read.')
    const two = await recorded({ file, format: 'har' })
    await two.send('/items/1')
    await two.done(1)
    const read = (name: string): number => JSON.parse(readFileSync(name, 'utf8')).log.entries.length as number
    expect([read(file), read(`${file}.1`)]).toEqual([1, 6])
  })

  it('puts the HAR of another program aside as it is', async () => {
    const file = join(folder, 'traffic.har')
    const own = '{"log": {"version": "1.2", "creator": {"name": "browser"}, "entries": [\n{"a": 1},\n{"b'
    writeFileSync(file, own.padEnd(400))
    const { send, done } = await recorded({ file, format: 'har' })
    await send('/items/1')
    await done(1)
    expect(readFileSync(`${file}.1`, 'utf8')).toBe(own.padEnd(400))
  })

  it('keeps each HAR closed when one is full', async () => {
    const file = join(folder, 'traffic.har')
    const { send, done } = await recorded({ file, format: 'har', maxFileBytes: 6000, files: 3 })
    for (let at = 0; at < 12; at++) await send(`/items/${at}`)
    await done(12)
    const names = readdirSync(folder).sort()
    expect(names).toEqual(['traffic.har', 'traffic.har.1', 'traffic.har.2'])
    const counts = names.map(
      (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Har).log.entries.length,
    )
    // How many go into the last one is for their times to say, which are written, too.
    expect(Math.min(...counts)).toBeGreaterThan(0)
    expect(Math.max(...counts)).toBeGreaterThan(1)
  })

  it('records a request whose host is no host', async () => {
    const lines: string[] = []
    const { send, done } = await recorded({ sink: (line) => lines.push(line), format: 'har' })
    expect((await send('/items/1', { headers: { host: 'a b:c' } })).status).toBe(200)
    await done(1)
    expect(JSON.parse(lines[0]!).request.url).toBe('http://localhost/items/1')
  })

  it('records of HTTP/2 by a server of Node what is a header', async () => {
    const lines: string[] = []
    const recording = recorder({ sink: (line) => lines.push(line) })
    const server = createServer((req, res) => recording(req as never, res as never, () => res.end('tea')))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push(async () => void server.close())
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    client.request({ ':path': '/x?a=1', 'x-a': '1' }).resume()
    await until(() => lines.length === 1)
    client.close()
    const { method, target, headers } = JSON.parse(lines[0]!) as RecordedExchange
    expect([method, target, headers]).toEqual(['GET', '/x?a=1', [['x-a', '1']]])
  })

  it('does not unpack what is too large', async () => {
    const lines: string[] = []
    const recording = recorder({ sink: (line) => lines.push(line) })
    const app = express()
    app.use(recording)
    const packed = gzipSync('tea '.repeat(1_000_000))
    app.get(
      '/x',
      (_req, res) => void res.set({ 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(packed),
    )
    const { send } = await serve(app)
    await send('/x', { headers: { 'accept-encoding': 'gzip' } })
    await until(() => lines.length === 1)
    expect((JSON.parse(lines[0]!) as RecordedExchange).answer.body).toEqual({ isLeftOut: true })
  })

  it('survives a sink that rejects', async () => {
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const { send, done } = await recorded({
      sink: () => Promise.reject(new Error('planted')),
      logger: { info: note, warn: note, error: note },
    })
    expect((await send('/items/1')).status).toBe(200)
    await done(1)
    await until(() => logged.length === 1)
    expect(logged).toEqual([expect.stringContaining('planted')])
  })

  it('leaves out secrets in the query of a Referer and of a Location, and of cookies without number', async () => {
    const lines: string[] = []
    const recording = recorder({ sink: (line) => lines.push(line), redact: ['iban'] })
    const app = express()
    app.use(recording)
    app.get('/go', (req, res) => {
      res.redirect(`/next?token=sesame&cookie=${(req.headers.cookie ?? '').slice(0, 9)}`)
    })
    app.get('/echo', (req, res) => void res.type('text').send(String(req.headers.cookie).repeat(5)))
    const { send } = await serve(app)
    const cookie = Array.from({ length: 700 }, (_, at) => `a=value${at}`).join('; ')
    await send('/go', { headers: { referer: 'http://x/reset?token=sesame&iban=DE00&page=2' } })
    await send('/echo', { headers: { cookie } })
    await until(() => lines.length === 2)
    expect(lines.join()).not.toMatch(/sesame|DE00|value\d/)
    expect(lines[0]).toContain('page=2')
  })

  it('leaves out what a request sends as cookies and password in each header that shows it', async () => {
    const lines: string[] = []
    const app = express()
    app.use(recorder({ sink: (line) => lines.push(line) }))
    app.get('/a', (req, res) => {
      res.set('X-Visitor', `v=${String(req.headers.cookie).slice(8)}`).set('X-User', 'hunter2-hunter2')
      res.cookie('seen', 'k7Gq2zPw9').end()
    })
    const { send } = await serve(app)
    const authorization = `Basic ${Buffer.from('ada:hunter2-hunter2').toString('base64')}`
    const headers = { cookie: 'visitor=k7Gq2zPw9', authorization, referer: 'http://x/k7Gq2zPw9/page' }
    await send('/a', { headers })
    await until(() => lines.length === 1)
    expect(lines[0]).not.toMatch(/k7Gq2zPw9|hunter2/)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      headers: expect.arrayContaining([['referer', 'http://x/[redacted]/page']]),
      answer: { headers: expect.arrayContaining([['x-visitor', 'v=[redacted]']]) },
    })
  })

  it.each([
    [{}, 'either file or sink'],
    [{ file: 'a', sink: () => {} }, 'either file or sink'],
    [{ file: 'a', share: 2 }, 'share is a share'],
    [{ file: 'a', sample: 2 }, 'sample is a share'],
    [{ file: 'a', tea: 1 }, 'has no option "tea"'],
  ])('refuses %j', (options, message) => {
    expect(() => recorder(options)).toThrow(message)
  })
})

describe('replay', () => {
  it.each([
    [['replay'], 'needs a recording'],
    [['replay', 'x.jsonl', '--cwd', __dirname], 'replay needs the entry of the app'],
    [['replay', 'x.jsonl', '--cwd', __dirname], 'routecontrollers replay x.jsonl --entry server.js'],
    [['replay', 'x.jsonl', '--entry', 'server.js', '--against', 'http://127.0.0.1:1'], 'give one of them'],
    [['replay', 'x.jsonl', 'y.jsonl', '--entry', 'server.js'], 'takes one recording, not "y.jsonl"'],
    [['replay', 'x.jsonl', '--against', 'http://127.0.0.1:1', '--and', 'server.js'], '--and takes a URL'],
    [['replay', 'x.jsonl', '--against', 'http://127.0.0.1:1', '--rate', '-1'], '--rate'],
    [['replay', 'x.jsonl', '--against', 'http://127.0.0.1:1'], 'There is no file'],
    [['replay', tmpdir(), '--against', 'http://127.0.0.1:1'], 'There is no file'],
  ])('refuses %j', async (parameters, message) => {
    const { code, stderr } = await command.run(...parameters)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  describe('of a recording', () => {
    interface Line {
      readonly session?: string
      readonly method?: string
      readonly target: string
      readonly headers?: [string, string][]
      readonly body?: object
      readonly answer: { headers?: [string, string][]; body?: object; status?: number }
    }
    interface Told {
      readonly ok: boolean
      readonly compared: number
      readonly planned: number
      readonly groups: { remedy?: string; differences: { target: string; changes: object[] }[] }[]
      readonly notes: string[]
      readonly noise: object
    }

    /** Plays these lines with an app, and gives what is told. */
    async function played(lines: readonly Line[], app: Express, ...more: string[]) {
      const file = join(folder, 'traffic.jsonl')
      const texts = lines.map(({ answer, ...one }) =>
        JSON.stringify({
          session: 'a',
          method: 'GET',
          headers: [],
          ...one,
          answer: { status: 200, ...answer, headers: [type, ...(answer.headers ?? [])] },
        }),
      )
      writeFileSync(file, texts.join('\n'))
      const { url } = await serve(app.disable('etag').disable('x-powered-by'))
      const { code, stdout } = await command.run('replay', file, '--against', url, '--json', ...more)
      const told = JSON.parse(stdout) as Told
      const differences = told.groups.flatMap((group) => group.differences)
      return { code, told, differences }
    }
    const type: [string, string] = ['content-type', 'text/plain; charset=utf-8']
    const says = (text: string) => ({ body: { text } })

    it('names a route by its path, where a version and a short word are no params', async () => {
      const app = express().use((_req, res) => void res.type('text').send('now'))
      const [word, long] = ['a'.repeat(24), 'a'.repeat(25)]
      const routes = {
        '/api/v1/teas/7?page=2': '/api/v1/teas/:id',
        '/V2/teas/tea-7': '/V2/teas/:id',
        [`/teas/${word}`]: `/teas/${word}`,
        [`/teas/${long}`]: '/teas/:id',
      }
      const { differences } = await played(
        Object.keys(routes).map((target) => ({ target, answer: says('before') })),
        app,
      )
      expect(differences).toEqual(
        Object.entries(routes).map(([target, path]) =>
          expect.objectContaining({ target, route: `GET ${path}` }),
        ),
      )
    })

    it('tells what is missing, new and other now, and not the other way round', async () => {
      const app = express()
      app.get(
        '/x',
        (_req, res) => void res.type('text').set({ 'x-new': '1', 'x-both': 'now' }).send('served'),
      )
      const headers: [string, string][] = [
        ['x-old', '1'],
        ['x-both', 'then'],
      ]
      const { code, differences } = await played(
        [{ target: '/x', answer: { headers, ...says('recorded') } }],
        app,
      )
      expect([code, differences.length]).toEqual([1, 1])
      expect(differences[0]!.changes).toHaveLength(4)
      expect(differences[0]!.changes).toEqual(
        expect.arrayContaining([
          { what: 'missing header', name: 'x-old', legacy: '1' },
          { what: 'header', name: 'x-both', legacy: 'then', now: 'now' },
          { what: 'new header', name: 'x-new', now: '1' },
          { what: 'body', legacy: 'recorded', now: 'served' },
        ]),
      )
    })

    it.each([[], ['--rate', '5000']])(
      'sends each session the cookies that it was given: %j',
      async (...more) => {
        const app = express()
        app.get('/login', (req, res) => {
          // Somebody else is quicker.
          const answer = (): void => void res.cookie('sid', req.query['as']).type('text').send('in')
          if (req.query['as'] === 'ada') setTimeout(answer, 30)
          else answer()
        })
        app.get(
          '/logout',
          (_req, res) => void res.set('set-cookie', 'sid=; Max-Age=0').type('text').send('out'),
        )
        app.get('/me', (req, res) => void res.type('text').send(req.headers.cookie ?? 'nobody'))
        const cookie: [string, string] = ['set-cookie', 'sid=[redacted]']
        const lines = ['ada', 'bob'].flatMap((session): Line[] => [
          { session, target: `/login?as=${session}`, answer: { headers: [cookie], ...says('in') } },
          { session, target: '/me', answer: says(`sid=${session}`) },
          { session, target: '/logout', answer: { headers: [cookie], ...says('out') } },
          { session, target: '/me', answer: says('nobody') },
        ])
        const { code, told, differences } = await played(lines, app, ...more)
        expect(differences).toEqual([])
        expect([code, told.ok, told.compared]).toEqual([0, true, 8])
      },
    )

    it('adds the cookies that it was told to those that a session was given', async () => {
      const app = express()
      app.get('/login', (_req, res) => void res.cookie('sid', 'ada').type('text').send('in'))
      app.get('/me', (req, res) => void res.type('text').send(req.headers.cookie ?? 'nobody'))
      const lines: Line[] = [
        { target: '/me', answer: says('theme=dark') },
        { target: '/login', answer: { headers: [['set-cookie', 'sid=[redacted]']], ...says('in') } },
        { target: '/me', answer: says('theme=dark; sid=ada') },
      ]
      const { code, differences } = await played(lines, app, '--header', 'cookie: theme=dark')
      expect([code, differences]).toEqual([0, []])
    })

    it('puts a secret on the requests that were recorded with one, and other headers on all', async () => {
      const app = express()
      app.get('/me', (req, res) => {
        const { authorization = 'nobody', 'x-number': number = '' } = req.headers
        res.type('text').send([authorization, number, req.headers['x-tenant'] ?? 'none'].join())
      })
      const lines: Line[] = [
        { target: '/me', answer: says('nobody,,main') },
        {
          target: '/me',
          headers: [
            ['Authorization', '[redacted]'],
            ['X-Number', '[redacted]'],
          ],
          answer: says('Bearer ada,7,main'),
        },
      ]
      const headers = ['authorization: Bearer ada', 'x-number: 7', 'x-tenant: main']
      const given = headers.flatMap((one) => ['--header', one])
      const { code, differences } = await played(lines, app, ...given)
      expect([code, differences]).toEqual([0, []])
      const bare = [{ target: '/me', answer: says('Bearer ada,7,main') }]
      expect((await played(bare, app, ...given)).differences).toEqual([])
    })

    it('blames no guard where one token stands for those of several users', async () => {
      const app = express()
      app.get('/orders', (_req, res) => void res.type('text').send('orders'))
      const refused = { status: 403, ...says('not yours') }
      const headers: [string, string][] = [['authorization', '[redacted]']]
      const given = ['--header', 'authorization: Bearer ada']
      const remedies = async (lines: readonly Line[]) =>
        (await played(lines, app, ...given)).told.groups.map(({ remedy }) => remedy)
      expect(await remedies([{ target: '/orders', headers, answer: refused }])).toEqual([
        'perhaps as --header gives all users of the recording one authorization: --and URL asks two servers with it',
      ])
      const anonymous = { target: '/orders', answer: refused }
      expect(await remedies([anonymous, { target: '/orders', headers, answer: says('orders') }])).toEqual([
        'a guard is not asked any more: routecontrollers check says which',
      ])
    })

    it('compares no header that says how an answer was packed', async () => {
      const app = express()
      app.get('/x', (_req, res) => void res.set({ etag: '"now"', vary: 'origin' }).type('text').send('x'))
      const headers: [string, string][] = [
        ['etag', '"then"'],
        ['vary', 'accept-encoding'],
        ['content-encoding', 'gzip'],
      ]
      const { code, differences } = await played([{ target: '/x', answer: { headers, ...says('x') } }], app)
      expect([code, differences]).toEqual([0, []])
    })

    it('tells of JSON what differs, and nothing of what was left out beside it', async () => {
      const app = express()
      const now = { id: 1, price: 6, password: 'sesame', to: 'token=sesame', card: { pin: 7 } }
      app.get('/x', (_req, res) => void res.type('text').send(JSON.stringify(now)))
      const left = { password: '[redacted]', to: 'token=[redacted]', card: { pin: '[redacted]' } }
      const answer = says(JSON.stringify({ id: 1, price: 5, ...left }))
      const { differences } = await played([{ target: '/x', answer }], app)
      const price = { what: 'body', name: '$.price', legacy: '5', now: '6' }
      expect(differences.map(({ changes }) => changes)).toEqual([[price]])
    })

    it('tells what it took for noise', async () => {
      let count = 0
      const app = express()
      app.get('/x', (_req, res) => void res.set('x-number', String(count++)).type('text').send('x'))
      const answer = { headers: [['x-number', 'seven']] as [string, string][], ...says('x') }
      const { code, told } = await played(
        [1, 2, 3].map(() => ({ target: '/x', answer })),
        app,
      )
      expect([code, told.noise]).toEqual([0, { 'x-number': 1 }])
    })

    it('of two servers compares what looks like a secret that was left out', async () => {
      const saying = (secret: string): Express => {
        const app = express().disable('etag').disable('x-powered-by')
        return app.get('/x', (_req, res) => void res.json({ secret }))
      }
      const { url } = await serve(saying('[redacted]'))
      const lines: Line[] = [{ target: '/x', answer: says('') }]
      const { code, differences } = await played(lines, saying('shown'), '--and', url)
      expect([code, differences.map(({ target }) => target)]).toEqual([1, ['/x']])
    })

    it('makes no request that writes unless it may, and none whose body is not known', async () => {
      const asked: string[] = []
      const app = express()
      app.use((req, res) => {
        asked.push(`${req.method} ${req.url} ${req.headers.authorization}`)
        res.type('text').send('x')
      })
      const left = { isLeftOut: true }
      const headers: [string, string][] = [['authorization', '[redacted]']]
      const lines: Line[] = [
        { target: '/a', headers, answer: says('x') },
        { method: 'POST', target: '/b', headers, body: { text: '1' }, answer: says('x') },
        { method: 'POST', target: '/c', body: left, answer: says('x') },
      ]
      const safe = await played(lines, app)
      expect(asked.splice(0)).toEqual(['GET /a undefined'])
      expect(safe.told.notes).toHaveLength(2)
      await played(lines, app, '--unsafe')
      expect(asked).toEqual(['GET /a undefined', 'POST /b undefined'])
    })

    it('compares a text around what was left out of it', async () => {
      const app = express()
      app.get('/:name', (_req, res) => void res.type('text').send('token=abc and the price is 5, really'))
      const texts: [string, string][] = [
        ['/same', 'token=[redacted] and the price is 5, really'],
        ['/price', 'token=[redacted] and the price is 6, really'],
        ['/before', 'A token=[redacted] and the price is 5, really'],
        ['/order', 'token=[redacted], really and the price is 5'],
        ['/begin', 'and the price is 5, [redacted]'],
      ]
      const { differences } = await played(
        texts.map(([target, text]) => ({ target, answer: says(text) })),
        app,
      )
      expect(differences.map(({ target }) => target)).toEqual(['/price', '/before', '/order', '/begin'])
    })

    it('of two servers tells of one that does not answer, and of a recording that not all was compared', async () => {
      const broken = express()
      broken.get('/x', (_req, res) => void res.destroy())
      broken.get('/y', (_req, res) => void res.type('text').send('y'))
      const whole = express().disable('etag').disable('x-powered-by')
      whole.use((req, res) => void res.type('text').send(req.path.slice(1)))
      const lines = ['x', 'y'].map((name): Line => ({ target: `/${name}`, answer: says(name) }))
      const recording = await played(lines, broken)
      expect([recording.code, recording.told.ok, recording.told.compared]).toEqual([3, false, 1])
      const { url } = await serve(whole)
      const two = await played(lines, broken, '--and', url)
      expect([two.code, two.told.compared]).toEqual([1, 2])
      expect(two.differences.map(({ target }) => target)).toEqual(['/x'])
      // What neither has answered is not known.
      const other = await serve(broken)
      const neither = await played(lines, broken, '--and', other.url)
      expect([neither.code, neither.told.ok, neither.told.compared]).toEqual([3, false, 1])
    })
  })

  it('counts lines of which no request can be made, and asks nobody else than it was told to', async () => {
    const file = join(folder, 'traffic.jsonl')
    const answer = {
      status: 200,
      headers: [['content-type', 'text/plain; charset=utf-8']],
      body: { text: 'hello' },
    }
    const fine = { session: 'a', method: 'GET', target: '/hello', headers: [], answer }
    const hostile: unknown[] = [
      null,
      [],
      { ...fine, method: 'GET /hello HTTP/1.1\r\nx: y' },
      { ...fine, method: '' },
      { ...fine, target: 'http://127.0.0.1:1/hello' },
      { ...fine, target: '/hello x' },
      { ...fine, target: '/\r\nhello' },
      { ...fine, target: '/tee\u2615' },
      { ...fine, headers: [null] },
      { ...fine, headers: [['x', 'a\r\nb: c']] },
      { ...fine, headers: [['x y', 'a']] },
      { ...fine, headers: [['x', { length: 3 }]] },
      { ...fine, headers: { length: 1 } },
      { ...fine, body: 'text' },
      { ...fine, body: { text: 7 } },
      { ...fine, answer: { status: 200 } },
      { ...fine, answer: { ...answer, headers: ['x'] } },
      { ...fine, answer: { ...answer, body: { base64: {} } } },
    ]
    const odd = [
      { ...fine, target: '//127.0.0.1:1/hello' },
      { ...fine, session: '__proto__', headers: [['__proto__', 'x']] },
    ]
    const lines = [...hostile, ...odd, fine].map((one) => JSON.stringify(one))
    const deep = `${'['.repeat(100_000)}`
    writeFileSync(file, [...lines, 'no JSON', deep].join('\n'))
    const app = express().disable('etag')
    const asked: string[] = []
    app.use((req, res) => {
      asked.push(req.url)
      res.type('text/plain').send('hello')
    })
    const { url } = await serve(app)
    const ran = await command.run('replay', file, '--against', url)
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toContain(`${hostile.length + 2} lines could not be read.`)
    expect(ran.stdout).toContain('✓ 3 requests answered alike')
    expect(asked).toEqual(['//127.0.0.1:1/hello', '/hello', '/hello'])
  })

  it('reports what it has when one answer cannot be compared, and ends with 3', async () => {
    const file = join(folder, 'traffic.jsonl')
    const headers = [['content-type', 'text/plain; charset=utf-8']]
    const of = (target: string, text: string): string =>
      JSON.stringify({
        session: 'a',
        method: 'GET',
        target,
        headers: [],
        answer: { status: 200, headers, body: { text } },
      })
    const most = 'y'.repeat(4 * 1024 * 1024)
    const app = express().disable('etag')
    app.get(['/most', '/more'], (req, res) => {
      res.type('text/plain').send(req.path === '/most' ? most : `${most}y`)
    })
    app.use((_req, res) => void res.type('text/plain').send('hello'))
    const { url } = await serve(app)
    const played = [
      of('/a', 'hello'),
      of('/most', most),
      of('/recorded', `${most}y`),
      of('/more', most),
      of('/b', 'hello'),
    ]
    writeFileSync(file, played.join('\n'))
    const ran = await command.run('replay', file, '--against', url, '--json')
    const report = JSON.parse(ran.stdout)
    expect(report).toMatchObject({ ok: false, compared: 3, planned: 5, groups: [] })
    expect(report.notes).toContain('2 requests could not be compared: a body has more than 4 MiB.')
    expect(ran.code).toBe(3)
  })

  it.each(['inOrder', 'atRate'])('goes on where a comparison throws: %s', async (how) => {
    const file = join(folder, 'traffic.jsonl')
    const of = (target: string): string =>
      JSON.stringify({
        session: 'a',
        method: 'GET',
        target,
        headers: [],
        answer: { status: 200, headers: [['content-type', 'application/json']], body: { text: '{"a":1}' } },
      })
    writeFileSync(file, ['/a', '/b', '/c'].map(of).join('\n'))
    const app = express().disable('etag')
    app.use((_req, res) => void res.json({ a: 1, b: 2 }))
    const { url } = await serve(app)
    // Nothing that a recording holds is known to do this.
    const throwing = jest.spyOn(JsonComparison.prototype, 'compare').mockImplementationOnce(() => {
      throw new Error('planted')
    })
    const rate = how === 'atRate' ? ['--rate', '100'] : []
    const ran = await command.run('replay', file, '--against', url, '--json', ...rate)
    throwing.mockRestore()
    const report = JSON.parse(ran.stdout)
    expect(report).toMatchObject({ compared: 2, planned: 3, ok: false })
    expect(report.notes).toContain('1 request could not be compared: Error: planted.')
    expect(ran.code).toBe(1)
  })

  it('leaves out that a request had trailers, and goes on where one cannot be made', async () => {
    const file = join(folder, 'traffic.jsonl')
    const answer = { status: 200, headers: [['content-type', 'application/json']], body: { text: '{"a":1}' } }
    const one = { session: 'a', method: 'GET', target: '/a', headers: [['Trailer', 'x-sum']], answer }
    writeFileSync(file, JSON.stringify(one))
    const app = express().disable('etag')
    app.use((_req, res) => void res.json({ a: 1 }))
    const { url } = await serve(app)
    const run = async (...more: string[]): Promise<unknown[]> => {
      const ran = await command.run('replay', file, '--against', url, '--json', ...more)
      const { ok, notes } = JSON.parse(ran.stdout)
      return [ran.code, ok, notes.join()]
    }
    expect(await run()).toEqual([0, true, ''])
    // Node makes no request with this header and without trailers.
    const failed = expect.stringContaining('1 request could not be compared: ')
    expect(await run('--header', 'trailer: x-sum')).toEqual([3, false, failed])
  })

  it('ends with 3 where nothing was found, and not all could be compared', async () => {
    const file = join(folder, 'traffic.jsonl')
    const answer = { status: 200, headers: [['content-type', 'application/json']], body: { text: '{"a":1}' } }
    const one = { session: 'a', method: 'GET', target: '/a', headers: [], answer }
    writeFileSync(file, [one, one].map((each) => JSON.stringify(each)).join('\n'))
    const app = express().disable('etag')
    let asked = 0
    app.use((_req, res) => void res.json(asked++ === 0 ? { a: 2 } : { a: 1 }))
    const { url } = await serve(app)
    const throwing = jest.spyOn(JsonComparison.prototype, 'compare').mockImplementationOnce(() => {
      throw new Error('planted')
    })
    const ran = await command.run('replay', file, '--against', url)
    throwing.mockRestore()
    expect(ran.stdout).toContain('1 request could not be compared: Error: planted.')
    expect(ran.code).toBe(3)
  })

  it('keeps so many cookies of a session, and so many sessions', () => {
    const jars = new CookieJars()
    for (let at = 0; at < 5000; at++) jars.take('a', `c${at}=${at}; Path=/`)
    expect(jars.headerOf('a').split('; ')).toHaveLength(100)
    expect(jars.headerOf('a')).toMatch(/; c4999=4999$/)
    for (let at = 0; at < 50; at++) jars.take('b', `c${at}=${'x'.repeat(1000)}`)
    const namesOfB = (): string[] => jars.headerOf('b').match(/c\d+(?==)/g)!
    expect(jars.headerOf('b').length).toBeLessThanOrEqual(8192)
    expect(namesOfB()).toEqual(['c42', 'c43', 'c44', 'c45', 'c46', 'c47', 'c48', 'c49'])
    jars.take('b', 'c49=; Max-Age=0')
    jars.take('b', 'c48=x; max-age=-1')
    jars.take('b', 'c47=; Expires=Thu, 01 Jan 1970 00:00:00 GMT')
    expect(namesOfB()).toEqual(['c42', 'c43', 'c44', 'c45', 'c46'])
    for (let at = 0; at < 20_000; at++) jars.take(`s${at}`, 'a=1')
    expect([jars.headerOf('s0'), jars.headerOf('s19999')]).toEqual(['', 'a=1'])
    // One that is still at work stays.
    jars.take('s10000', 'b=2')
    jars.take('one more', 'a=1')
    expect([jars.headerOf('s10000'), jars.headerOf('s10001')]).toEqual(['a=1; b=2', ''])
    for (const name of ['__proto__', 'constructor']) jars.take(name, `${name}=1`)
    expect(jars.headerOf('__proto__') + jars.headerOf('toString')).toBe('__proto__=1')
  })

  it('refuses a file that is too large to be read at once', async () => {
    const file = join(folder, 'traffic.jsonl')
    writeFileSync(file, '')
    // It has holes, and takes no room.
    truncateSync(file, 600 * 1024 * 1024)
    const { code, stderr } = await command.run('replay', file, '--against', 'http://127.0.0.1:1')
    expect([code, stderr]).toEqual([2, expect.stringContaining('split it')])
  })

  it('starts an entry, and reads what of a file can be read', async () => {
    const file = join(folder, 'traffic.jsonl')
    const one = {
      version: 1,
      at: '2030-01-01T00:00:00Z',
      ms: 1,
      session: 'a',
      method: 'GET',
      target: '/hello',
      headers: [['accept', 'text/plain']],
      answer: {
        status: 200,
        headers: [['content-type', 'text/plain; charset=utf-8']],
        body: { text: 'hello' },
      },
    }
    writeFileSync(file, `${JSON.stringify(one)}\n{"version":1,"meth`)
    const entry = join(folder, 'server.cjs')
    writeFileSync(
      entry,
      `const app = require(${JSON.stringify(require.resolve('express'))})()
      app.get('/hello', (req, res) => res.type('text/plain').send('hello'))
      app.disable('etag').listen(0)`,
    )
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"start":"node server.cjs"}}')
    for (const given of [['--entry', 'server.cjs'], ['--against', 'server.cjs'], []]) {
      const ran = await command.run('replay', file, ...given, '--cwd', folder)
      expect(ran.stderr + ran.stdout).toContain('1 line could not be read.')
      expect(ran.stdout).toContain('✓ 1 request answered alike by the recording, and server.cjs')
      expect(ran.stderr.includes('so the entry is server.cjs')).toBe(given.length === 0)
    }
  })
})

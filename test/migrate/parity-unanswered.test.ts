// What `parity` makes of requests that a side does not answer, refuses or answers with a field that is not compared.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParityReport } from '@routecontrollers/cli'
import { closeHosted, host } from '../support/hosting.js'
import { type Command, createCommand, type Ran } from './run-command.js'

type Listener = (req: IncomingMessage, res: ServerResponse) => void

let command: Command
let folder: string
beforeAll(() => {
  command = createCommand()
  folder = mkdtempSync(join(tmpdir(), 'parity-unanswered-'))
})
afterEach(closeHosted)
afterAll(() => {
  command.remove()
  rmSync(folder, { recursive: true })
})

const serve = async (listener: Listener): Promise<string> => {
  const { port } = await host(listener)
  return `http://127.0.0.1:${port}`
}
const writeRoutes = (...paths: string[]): void => {
  const routes = paths.map((path) => ({ method: 'GET', path, witness: `GET ${path}` }))
  writeFileSync(join(folder, 'routes.lock.json'), JSON.stringify({ version: 1, routes }))
}
const parity = (...words: string[]): Promise<Ran> => command.run('parity', ...words, '--cwd', folder)
const reportOf = async (...words: string[]): Promise<ParityReport> => {
  const { stdout, stderr } = await parity(...words, '--json')
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as ParityReport
}
const isOf = (path: string, { url }: IncomingMessage): boolean => url!.toLowerCase().includes(path)

describe('routecontrollers parity of a side that', () => {
  it('answers a route with 401 or 403 alone: names the route', async () => {
    writeRoutes('/forbidden', '/open')
    const side = await serve((req, res) => res.writeHead(isOf('forbidden', req) ? 403 : 200).end())
    const { ok, notes } = await reportOf(side, side)
    expect([ok, notes.at(-1)]).toEqual([
      true,
      '1 route answered nothing but 401 or 403, so that only what guards them was compared: GET /forbidden. --header lets requests in.',
    ])
  })

  it('answers a route with 401 but where all that was given is there: does not name the route', async () => {
    writeRoutes('/guarded')
    const side = await serve(({ headers: { user, key } }, res) =>
      res.writeHead(user && key ? 200 : 401).end(),
    )
    const { ok, notes } = await reportOf(side, side, '--header', 'user: ada', '--header', 'key: 1')
    expect([ok, notes.filter((note) => note.includes('401'))]).toEqual([true, []])
  })

  it('does not answer a route in time: asks it once, and the others to their end', async () => {
    writeRoutes('/open', '/slow')
    let asked = 0
    const legacy = await serve((req, res) => void (isOf('slow', req) ? asked++ : res.end('a')))
    const now = await serve((_, res) => res.end('a'))
    const { compared, planned, notes, groups } = await reportOf(legacy, now, '--answer-limit-ms', '1500')
    // Once for the answer, and once to learn what is noise.
    expect(asked).toBe(2)
    expect(groups.map(({ routes }) => routes)).toEqual([['GET /slow']])
    expect(compared).toBe(planned / 2 + 1)
    expect(notes.slice(1)).toEqual([
      `${planned - compared} requests not compared: there was no answer to compare.`,
      'GET /slow did not answer in time, and was not asked again.',
    ])
  })

  it('breaks an answer off: is another one, with another end', async () => {
    writeRoutes('/a')
    const side = (end: (res: ServerResponse) => void): Promise<string> =>
      serve((_req, res) => {
        res.flushHeaders()
        res.write('part')
        setTimeout(() => end(res), 5)
      })
    const [whole, broken] = [await side((res) => res.end()), await side((res) => res.destroy())]
    const { groups, compared, planned } = await reportOf(whole, broken)
    const differences = groups.flatMap((group) => group.differences)
    const plain = differences.find(({ variant }) => variant === '')
    expect([plain?.changes, compared]).toEqual([
      [{ what: 'status', legacy: '200', now: 'the answer broke off' }],
      planned,
    ])
    // A side that always does so is compared to its end.
    const same = await reportOf(broken, broken)
    expect([same.ok, same.compared]).toEqual([true, same.planned])
  })

  it('answers nothing from the first request on: gives up after ten', async () => {
    writeRoutes('/a', '/b', '/c')
    let asked = 0
    const silent = await serve((req) => (asked++, req.socket.destroy()))
    const other = await serve((req) => req.socket.destroy())
    const { code, stderr } = await parity(silent, other)
    expect([code, asked]).toEqual([3, 10])
    expect(stderr).toContain('has answered no request: nothing can be compared with it.')
  })

  it('answers what is no HTTP, where the other closes the connection: tells both', async () => {
    writeRoutes('/open', '/broken')
    const side = (answer: Listener): Promise<string> =>
      serve((req, res) => void (isOf('broken', req) ? answer(req, res) : res.end('a')))
    const legacy = await side((req) => req.socket.end('no HTTP\r\n\r\n'))
    const now = await side((req) => req.socket.destroy())
    const { groups, compared, planned } = await reportOf(legacy, now)
    expect(compared).toBe(planned)
    expect(groups.map(({ routes }) => routes)).toEqual([['GET /broken']])
    expect(groups[0]!.cause).toContain('the connection was closed')
  })
})

describe('routecontrollers parity --resume', () => {
  it('asks again what legacy has left without an answer', async () => {
    writeRoutes('/open', '/late')
    let isUp = false
    const legacy = await serve(
      (req, res) => void (isUp || !isOf('late', req) ? res.end('a') : req.socket.destroy()),
    )
    const now = await serve((_, res) => res.end('a'))
    const first = await reportOf(legacy, now, '--resume', 'late.jsonl')
    expect(first.groups.map(({ routes }) => routes)).toEqual([['GET /late']])
    isUp = true
    // Of a run that was killed as it wrote.
    appendFileSync(join(folder, 'late.jsonl'), '["GET /op')
    expect(await reportOf(legacy, now, '--resume', 'late.jsonl')).toMatchObject({ ok: true, groups: [] })
    // What was cut stands within the file by now.
    expect(await reportOf(legacy, now, '--resume', 'late.jsonl')).toMatchObject({ ok: true, groups: [] })
    const [, ...lines] = readFileSync(join(folder, 'late.jsonl'), 'utf8').split('\n')
    expect(lines.filter((line) => line.startsWith('["GET /op'))).toEqual(['["GET /op'])
  })

  it('tells of what legacy leaves without an answer from then on, and not that it has answered nothing', async () => {
    writeRoutes('/open', '/late')
    let asked = 0
    const legacy = await serve((req, res) => void (asked++ < 10 ? res.end('a') : req.socket.destroy()))
    const now = await serve((_, res) => res.end('a'))
    const first = await reportOf(legacy, now, '--resume', 'ended.jsonl')
    expect(first.compared).toBe(first.planned)
    const { code, stdout } = await parity(legacy, now, '--resume', 'ended.jsonl', '--json')
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ compared: first.planned })])
  })

  it('refuses the file of a run that has compared other fields', async () => {
    writeRoutes('/open')
    const side = await serve((_, res) => res.end('{"a":1}'))
    expect(await reportOf(side, side, '--resume', 'fields.jsonl')).toMatchObject({ ok: true })
    const { code, stderr } = await parity(side, side, '--resume', 'fields.jsonl', '--ignore', 'GET /open $.a')
    rmSync(join(folder, 'routes.parity.json'))
    expect([code, stderr]).toEqual([2, expect.stringContaining('fields.jsonl is of another command line')])
    // No side is started for that.
    writeFileSync(join(folder, 'fails.cjs'), "throw new Error('It was started.')")
    const other = await parity('fails.cjs', '--resume', 'fields.jsonl')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('is of another command line') })
    const { code: failed } = await parity('fails.cjs', '--resume', 'none.jsonl')
    expect([failed, existsSync(join(folder, 'none.jsonl'))]).toEqual([3, false])
  })
})

describe('routecontrollers parity --ignore', () => {
  it('takes a field out of the second answer of legacy too, which else would hide how the rest is written', async () => {
    writeRoutes('/open')
    let count = 0
    const answer = (rest: string) => (_: IncomingMessage, res: ServerResponse) =>
      res.setHeader('content-type', 'application/json').end(`{"now":{"count":${count++}},${rest}}`)
    const [legacy, now] = [await serve(answer('"tea": "green"')), await serve(answer('"tea":"green"'))]
    const { noise, groups, ignored } = await reportOf(legacy, now, '--ignore', 'GET /open $.now')
    rmSync(join(folder, 'routes.parity.json'))
    expect(Object.keys(ignored)).toEqual(['GET /open $.now'])
    const changes = groups.flatMap(({ differences }) => differences.flatMap((one) => one.changes))
    expect(new Set(changes.map(({ what, name }) => `${what} ${name}`))).toEqual(new Set(['body $']))
    expect(Object.keys(noise)).toEqual([])
  })
})

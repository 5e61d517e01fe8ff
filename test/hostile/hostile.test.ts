import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '../support/compile.js'
import { isWhole } from '../support/counts.js'
import { closeHosted, host } from '../support/hosting.js'
import { type HostileRequest, judge, type Outcome, sendHostile } from './client.js'
import { allowReset, type Http2Form, sendHostileHttp2, toHttp2, withoutForm } from './http2.js'

const program = compile(join(__dirname, 'serve.ts'))
const requests = JSON.parse(readFileSync(join(__dirname, 'requests.json'), 'utf8')) as HostileRequest[]
const byName = new Map(requests.map((request) => [request.name, request]))

/** How many of them are on their way to one server at a time; of HTTP/2 each has to be encrypted here as well. */
const atOnce = { http1: 12, http2: 4 }

type Decided = Record<string, { result: string; wrong: string; because: string }>

// CVE-2026-58044: until then Node drops the fields after the 1000th, which it has obeyed, in silence; now it answers 431.
const mended: Record<string, [minor: number, patch: number]> = {
  20: [Infinity, 0],
  22: [23, 2],
  24: [18, 1],
  26: [5, 1],
}
const [major, minor, patch] = process.versions.node.split('.').map(Number) as [number, number, number]
const [sinceMinor, sincePatch] = mended[major] ?? [0, 0]
const dropsFields = minor < sinceMinor || (minor === sinceMinor && patch < sincePatch)

const decidedByNode: Decided = {
  'over-1000-chunked': {
    result: '200',
    wrong: 'lacks "len": *5',
    because:
      "Node drops fields after the 1000th, here the body's; our own server lifts that limit and counts itself",
  },
  'over-1000-guard-key': {
    result: '401',
    wrong: '401 is not among',
    because: 'the same, with the key of the guard: the guard still refuses',
  },
}

// What is decided before a request comes to us, or after our answer has gone to the host: what the host does, and why.
const decidedByExpress: Decided = {
  ...(dropsFields && decidedByNode),
  'http20-version': {
    result: '200',
    wrong: '200 is not among',
    because: 'Node reads any version line, and Express never looks at it; our own server does',
  },
  'cl-2p53': {
    result: 'hang',
    wrong: 'hang is not among',
    because:
      'our error goes to next(), and finalhandler reads the announced body to its end before it answers',
  },
  'cl-over-limit-no-body': {
    result: 'hang',
    wrong: 'hang is not among',
    because: 'the same',
  },
}

// nghttp2 leaves out a field that is malformed, and says so to nobody: neither a guard nor a handler sees it.
const leavesOut = (name: string): Decided => ({
  [name]: {
    result: '200',
    wrong: '200 is not among 400',
    because: 'nghttp2 leaves the malformed field out, for everybody alike',
  },
})
const decidedByNghttp2: Decided = {
  ...leavesOut('header-name-nul'),
  ...leavesOut('header-name-latin1'),
  ...leavesOut('header-empty-name'),
  ...leavesOut('header-value-nul'),
  ...leavesOut('header-value-bare-cr'),
  ...leavesOut('cl-space-before-colon'),
  ...leavesOut('cl-leading-space-name'),
}

interface Way {
  name: string
  way: string
  isHttp2: boolean
  /** What is decided before a request comes to us, or after our answer has gone. */
  decidedByHost: Decided
}
const ways: readonly Way[] = [
  { name: 'standalone', way: 'standalone', isHttp2: false, decidedByHost: {} },
  { name: 'in front of Express 5', way: 'in-front', isHttp2: false, decidedByHost: {} },
  { name: 'over HTTP/2, standalone', way: 'http2', isHttp2: true, decidedByHost: decidedByNghttp2 },
  {
    name: 'over HTTP/2, in front of Express 5',
    way: 'http2-in-front',
    isHttp2: true,
    decidedByHost: decidedByNghttp2,
  },
  { name: 'inside Express 5', way: 'express5', isHttp2: false, decidedByHost: decidedByExpress },
  { name: 'inside Express 4', way: 'express4', isHttp2: false, decidedByHost: decidedByExpress },
]
const sentBy = (isHttp2: boolean): HostileRequest[] =>
  isHttp2 ? requests.filter(({ name }) => !(name in withoutForm)).map(allowReset) : requests

const children: ChildProcess[] = []
/** What came of each request, and what the server said of itself after it, where it was asked. */
const outcomesOf: Record<string, Map<string, Outcome & { health: string | undefined }>> = {}

// All of them to all servers first, many at a time: most of the time is spent waiting for what must not come.
beforeAll(async () => {
  await Promise.all(
    ways.map(
      async ({ way, isHttp2, decidedByHost }) =>
        (outcomesOf[way] = await sendAll(await startServer(way), isHttp2, decidedByHost)),
    ),
  )
}, 300_000)

afterAll(async () => {
  for (const child of children) {
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
})

async function sendAll(
  port: number,
  isHttp2: boolean,
  decidedByHost: Decided,
): Promise<(typeof outcomesOf)[string]> {
  const outcomes: (typeof outcomesOf)[string] = new Map()
  const waiting = [...sentBy(isHttp2)]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { strict, status } = next
      const hangs = decidedByHost[next.name]?.result === 'hang' || (strict ?? status).includes('hang')
      const outcome = isHttp2
        ? await sendHostileHttp2(port, toHttp2(next), next.then)
        : await sendHostile(port, next, hangs ? 'silence' : 'answer')
      // It counts all that has gone wrong since it started. In the loop it is asked now and then, and after the last requests.
      const isAsked = isWhole || waiting.length % 20 === 0
      outcomes.set(next.name, { ...outcome, health: isAsked ? await readHealth(port, isHttp2) : undefined })
    }
  }
  await Promise.all(Array.from({ length: isHttp2 ? atOnce.http2 : atOnce.http1 }, work))
  return outcomes
}

describe.each(ways)('A hostile request $name', ({ way, isHttp2, decidedByHost }) => {
  const ours = sentBy(isHttp2).filter(({ name }) => !(name in decidedByHost))
  it.each(ours)('$name ($source): $expectation', (request) => {
    const outcome = outcomesOf[way]!.get(request.name)!
    expect({ wrong: judge(request, outcome), ...shown(outcome) }).toEqual({ wrong: [], ...shown(outcome) })
  })

  const hosts = Object.entries(decidedByHost)
  if (hosts.length > 0) {
    it.each(hosts)('%s is decided by the host: $because', (name, { result, wrong }) => {
      const outcome = outcomesOf[way]!.get(name)!
      expect(outcome.result).toBe(result)
      expect(judge(byName.get(name)!, outcome)).toEqual([expect.stringContaining(wrong)])
    })
  }

  it('leaves the server answering, without an unhandled error and with clean prototypes', () => {
    const healthy = JSON.stringify({ unhandled: 0, uncaught: 0, polluted: false })
    const outcomes = [...outcomesOf[way]!]
    expect(outcomes).toHaveLength(sentBy(isHttp2).length)
    const asked = outcomes.filter(([, { health }]) => health !== undefined)
    expect(asked.length).toBeGreaterThan(outcomes.length / 20)
    expect(asked.filter(([, { health }]) => health !== healthy)).toEqual([])
  })
})

describe('What has no HTTP/2 form', () => {
  it.each(Object.entries(withoutForm))('%s: %s', (name) => {
    expect(byName.get(name)?.category).toMatch(/^(?:protocol|framing|abort)$/)
  })
})

describe('The judge of hostile requests', () => {
  afterEach(closeHosted)

  it('finds fault with a server that says hello to everybody', async () => {
    const { port } = await host((req, res) => void req.resume().on('end', () => res.end('hello')))
    const wrong = async (name: string): Promise<string[]> =>
      judge(byName.get(name)!, await sendHostile(port, byName.get(name)!))
    expect(await wrong('baseline-get')).toEqual([])
    expect(await wrong('split-crlf')).toEqual([])
    expect(await wrong('baseline-root')).toEqual(['lacks "root"'])
    expect(await wrong('baseline-404')).toEqual(['200 is not among 404'])
    expect(await wrong('get-with-body-then-next')).toEqual([])
    const pipeline = { ...byName.get('pipeline-3')!, must: 'HTTP' }
    const outcome = await sendHostile(port, pipeline)
    expect(judge(pipeline, outcome)).toEqual([])
    expect(judge({ ...pipeline, min: 4 }, outcome)).toEqual(['3 answers are fewer than 4'])
    expect(judge({ ...pipeline, max: 2 }, outcome)).toEqual(['3 answers are more than 2'])
    expect(judge({ ...pipeline, mustNot: 'HELLO' }, outcome)).toEqual(['has HELLO'])
    expect(judge({ ...pipeline, minBytes: 1e6 }, outcome)).toEqual([
      expect.stringContaining('bytes are fewer than 1000000'),
    ])
    expect(judge({ ...pipeline, strict: ['4xx', 'hang'] }, outcome)).toEqual(['200 is not among 4xx, hang'])
  })

  it('tells a connection that was closed from one that hangs, and an answer that was cut off from none', async () => {
    const { port } = await host((req, res) => {
      if (req.url === '/close') req.socket.destroy()
      if (req.url === '/cut') res.writeHead(200, { 'Content-Length': 5 }).write('he', () => res.destroy())
    })
    const send = async (path: string): Promise<string> =>
      (
        await sendHostile(
          port,
          { raw: `GET ${path} HTTP/1.1\r\nHost: t\r\n\r\n` },
          path === '/hang' ? 'silence' : 'answer',
        )
      ).result
    expect(await Promise.all(['/close', '/cut', '/hang'].map(send))).toEqual(['closed', '200', 'hang'])
  })
})

function shown({ result, statuses, received }: Outcome): object {
  return { result, statuses, received: received.slice(0, 300) }
}

async function startServer(way: string): Promise<number> {
  const child = fork(program, [way, '0'], {
    cwd: join(__dirname, '../..'),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  children.push(child)
  let errors = ''
  child.stderr!.on('data', (text) => (errors += String(text)))
  const ready = once(child, 'message') as Promise<[number]>
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`It did not start: ${errors}`)))
  const [port] = await Promise.race([ready, ended])
  ended.catch(() => {})
  return port
}

const health: Http2Form = {
  fields: Object.entries({ ':method': 'GET', ':scheme': 'https', ':authority': 't', ':path': '/__health' }),
  body: undefined,
  isWhole: true,
}

/** What `/__health` says on a new connection; nothing when nobody is there. */
async function readHealth(port: number, isHttp2: boolean): Promise<string> {
  const { received } = isHttp2
    ? await sendHostileHttp2(port, health)
    : await sendHostile(port, { raw: 'GET /__health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n' })
  return /\{.*\}/s.exec(received)?.[0] ?? ''
}

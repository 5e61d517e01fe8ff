import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openClient } from '../support/client.js'
import { compile } from '../support/compile.js'
import { type Received, type Served, sendTo } from '../support/describe-servings.js'
import { readMarked, toTable } from '../support/doc-table.js'
import { type HostName, hostNames } from './hosts/names.js'

const root = join(__dirname, '../..')
const names = Object.keys(hostNames) as HostName[]

const program = compile(join(__dirname, 'hosts/main.ts'))

let child: ChildProcess
let ports: Record<HostName, number>
let printed = ''

beforeAll(async () => {
  child = fork(program, {
    cwd: root,
    execArgv: [],
    // Where hosts show no stack.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (printed += String(text)))
  const ready = once(child, 'message') as Promise<[{ ports: typeof ports }]>
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error(`The hosts did not start: ${printed}`)),
  )
  ;[{ ports }] = await Promise.race([ready, ended])
})

afterAll(async () => {
  const gone = once(child, 'exit')
  child.disconnect()
  await gone
})

function send(name: HostName, ...parameters: Parameters<Served['send']>): Promise<Received> {
  return sendTo(ports[name])(...parameters)
}

const json = (text: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: text,
})

describe.each(names)('RouteControllers.middleware in %s', (name) => {
  const hasNext = name !== 'node:http, without'

  it('answers with JSON, its params and the URL', async () => {
    const answer = await send(name, '/users/7?x=1')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.json()).toEqual({ id: '7', url: '/users/7?x=1', originalUrl: '/users/7?x=1' })
  })

  it('answers HEAD with the Content-Length of GET', async () => {
    const [head, get] = [await send(name, '/users/7', { method: 'HEAD' }), await send(name, '/users/7')]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String(get.body.length))
  })

  it('reads a body', async () => {
    const answer = await send(name, '/notes', json('{"text":"tea"}'))
    expect([answer.status, answer.json()]).toEqual([201, { text: 'tea' }])
  })

  it('streams: the first chunk is there before the second is made', async () => {
    const client = openClient({ port: ports[name] } as Served, '/stream')
    expect((await client.head).status).toBe(200)
    expect(await client.read()).toBe('one')
    expect((await send(name, '/release')).text).toBe('released')
    expect(await client.read()).toBe('two')
    expect(await client.read()).toBeUndefined()
  })

  it('tells a client of its malformed body', async () => {
    const expected = name === 'node:http, with a `next`' ? 500 : 400
    expect((await send(name, '/notes', json('{"text":'))).status).toBe(expected)
  })

  if (hasNext) {
    it("leaves the host's own route to the host", async () => {
      expect(await send(name, '/host')).toMatchObject({ status: 200, text: 'the host' })
    })
  } else {
    it('answers 404 itself', async () => {
      expect(await send(name, '/host')).toMatchObject({ status: 404, text: 'Not Found' })
    })
  }

  it('lets the host answer what a controller throws, and goes on serving', async () => {
    expect((await send(name, '/throws')).status).toBe(500)
    expect((await send(name, '/rejects')).status).toBeGreaterThanOrEqual(400)
    expect((await send(name, '/users/7')).status).toBe(200)
  })
})

it('No host was left with an unhandled rejection', async () => {
  const told = once(child, 'message') as Promise<[{ unhandled: number }]>
  child.send('how many?')
  expect((await told)[0]).toEqual({ unhandled: 0 })
})

it.each(names.filter((name) => hostNames[name] !== undefined))('%s is what is installed', (name) => {
  const { version } = createRequire(__filename)(`${hostNames[name]!}/package.json`) as { version: string }
  const [, named] = / v?([\d.]+)/.exec(name.replace("'s", ''))!
  expect(version.replace(/^v/, '').startsWith(`${named!}.`)).toBe(true)
})

describe('The table of hosts in docs/connect.md', () => {
  it('is what the hosts do', async () => {
    const head = [
      'host',
      'no match',
      'a throw',
      'a rejection with `status: 418`',
      'below `/api`',
      '`%252F` in a param',
    ]
    const measured = toTable([head, ...(await Promise.all(names.map(measure)))])
    expect(readMarked(join(root, 'docs/connect.md'), 'hosts', measured)).toBe(measured)
  })
})

/** What a host makes of what is not answered here, and what it does to the URL. */
async function measure(name: HostName): Promise<string[]> {
  const mounted = await send(name, '/api/users/7')
  const escaped = await send(name, '/users/a%252Fb')
  return [
    name,
    describeAnswer(await send(name, '/nowhere')),
    describeAnswer(await send(name, '/throws'), 'secret'),
    describeAnswer(await send(name, '/rejects'), 'short and stout'),
    mounted.status !== 200
      ? 'is not stripped'
      : `\`url\` ${mounted.json().url}, \`originalUrl\` ${mounted.json().originalUrl}`,
    escaped.json().id === 'a%2Fb' ? '`a%2Fb`' : `decoded twice: \`${escaped.json().id}\``,
  ]
}

function describeAnswer(answer: Received, message?: string): string {
  const type = answer.headers['content-type']?.split(';', 1)[0] ?? 'no type'
  const shown = message !== undefined && answer.text.includes(message) ? ', with its message' : ''
  return `${answer.status} ${type}${shown}`
}

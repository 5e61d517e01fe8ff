import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from '../support/compile.js'

const compiled = pathToFileURL(compile(join(__dirname, '../../src/index.ts'))).href

// In a process of its own: Jest, and other tests, use AsyncLocalStorage.
function run(code: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim()
}

const serve = `
import { AsyncLocalStorage } from 'node:async_hooks'
import { Controller, RouteControllers, Server } from '${compiled}'
const isTracked = () => Object.getOwnPropertySymbols(new Promise(() => {})).length > 0
const store = new AsyncLocalStorage()
const routeControllers = new RouteControllers([
  new Controller('POST', '/', () => ({ store: store.getStore() ?? null, isTracked: isTracked() })),
])
const server = new Server()
const ask = async () => {
  const response = await fetch(server.getURL(), { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  console.log(await response.text())
}
// As a parser does: from an event of the socket.
const parser = (req, res, next) => {
  req.on('data', () => {})
  req.once('end', next)
}
`

describe('AsyncLocalStorage among hooks', () => {
  it('is not entered, which makes a whole process slower up to Node 22, where nobody uses one', () => {
    const printed = run(`${serve}
      routeControllers.addGlobal(parser).addGlobal((req, res, next) => next())
      await server.start({ port: 0, routeControllers })
      await ask()
      await server.stop({ graceMs: 0 })`)
    expect(JSON.parse(printed)).toEqual({ store: null, isTracked: false })
  })

  it('reaches from a hook to the callback past a parser, from the first request that uses one on', () => {
    const printed = run(`${serve}
      routeControllers.addGlobal((req, res, next) => store.run('kept', next)).addGlobal(parser)
      await server.start({ port: 0, routeControllers })
      await ask()
      await ask()
      await server.stop({ graceMs: 0 })`)
    expect(printed.split('\n').map((line) => (JSON.parse(line) as { store: unknown }).store)).toEqual([
      'kept',
      'kept',
    ])
  })

  it('reaches from a hook to the source of an event stream, and from a middleware by a snapshot', () => {
    const printed = run(`${serve}
      import { around } from '${compiled}'
      const events = (path) => new Controller('GET', path, (req, res) => {
        const inContext = AsyncLocalStorage.snapshot()
        return res.sse(async function* () {
          await new Promise((resolve) => setTimeout(resolve, 1))
          yield [store.getStore(), inContext(() => store.getStore())].join()
        })
      })
      const inside = events('/middleware').use(around((req, res, next) => store.run('kept', next)))
      const streams = new RouteControllers([events('/hook'), inside])
      streams.addGlobal('/hook', (req, res, next) => store.run('kept', next))
      await server.start({ port: 0, routeControllers: streams })
      for (const path of ['/hook', '/middleware']) {
        console.log((await (await fetch(server.getURL() + path)).text()).trim())
      }
      await server.stop({ graceMs: 0 })`)
    expect(printed.split('\n')).toEqual(['data: kept,kept', 'data: ,kept'])
  })

  it('is what the hook has entered itself before an asynchronous next()', () => {
    const printed = run(`${serve}
      routeControllers
        .addGlobal((req, res, next) => store.run('first', next))
        .addGlobal(async (req, res, next) => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          store.run('second', next)
        })
        .addGlobal(parser)
      await server.start({ port: 0, routeControllers })
      await ask()
      await server.stop({ graceMs: 0 })`)
    expect((JSON.parse(printed) as { store: unknown }).store).toBe('second')
  })
})

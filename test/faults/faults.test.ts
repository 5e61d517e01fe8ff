import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Controller, fromConnect, type Logger, RouteControllers, Server } from 'routecontrollers'
import { compile } from '../support/compile.js'
import { describeServings, sendTo } from '../support/describe-servings.js'
import { closeHosted, closeLater } from '../support/hosting.js'
import { openRaw } from '../support/raw-socket.js'

afterEach(closeHosted)

const hello = new Controller('GET', '/hello', () => 'hello')
const broken = (): never => {
  throw new Error('broken')
}
const failing = new Controller('GET', '/fail', broken)

describeServings('Where everything fails that an error goes to', (serving) => {
  it('a logger that throws takes no answer with it', async () => {
    const logger: Logger = { info: broken, warn: broken, error: broken }
    const midway = new Controller('GET', '/midway', (_req, res) =>
      res.stream(
        (async function* () {
          yield 'first'
          broken()
        })(),
      ),
    )
    const twice = new Controller('GET', '/twice', () => 'twice')
    const { send } = await serving.serve([hello, failing, midway, twice], {
      logger,
      answerTimeoutMs: 5_000,
      setup: (routeControllers) =>
        void routeControllers.addGlobal('/twice', (_req, _res, next) => {
          next()
          next()
        }),
    })
    expect((await send('/fail')).status).toBe(500)
    expect((await send('/twice')).text).toBe('twice')
    await expect(send('/midway')).rejects.toThrow()
    expect((await send('/hello')).text).toBe('hello')
  })

  it('a callback that throws behind Connect middleware of its own is answered as any other', async () => {
    const behind = new Controller('GET', '/behind', broken).use(fromConnect((_req, _res, next) => next()))
    const { send } = await serving.serve([behind, hello])
    expect((await send('/behind')).status).toBe(500)
    expect((await send('/hello')).text).toBe('hello')
  })

  it.each([
    ['an error hook that throws', broken],
    ['an error hook that rejects', () => Promise.reject(new Error('broken'))],
  ])('%s leaves the error to the default', async (_what, act) => {
    const { send } = await serving.serve([hello, failing], {
      setup: (routeControllers) =>
        void routeControllers.addGlobal((_error: unknown, _req: unknown, _res: unknown, _next: unknown) =>
          act(),
        ),
    })
    expect((await send('/fail')).status).toBe(500)
    expect((await send('/hello')).text).toBe('hello')
  })

  it.each([
    ['throws', broken],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['answers with what cannot be sent', () => 7 as never],
  ])('an onError that %s leaves the error to the default', async (_how, onError) => {
    const { send } = await serving.serve([hello, failing], { onError })
    expect((await send('/fail')).status).toBe(500)
    expect((await send('/hello')).text).toBe('hello')
  })
})

describeServings('A clock that jumps', (serving) => {
  afterEach(() => jest.restoreAllMocks())

  it.each([1, -1])('(%i year) hurries nobody and holds nobody', async (years) => {
    const now = Date.now()
    const { send, logged } = await serving.serve(
      [
        hello,
        new Controller('GET', '/jump', () => {
          jest.spyOn(Date, 'now').mockReturnValue(now + years * 365 * 86_400_000)
          return new Promise((resolve) => setTimeout(resolve, 30, 'jumped'))
        }),
        new Controller('GET', '/never', () => new Promise<string>(() => {})),
      ],
      { answerTimeoutMs: 300 },
    )
    expect((await send('/jump')).text).toBe('jumped')
    expect(logged).toEqual([])
    expect((await send('/never')).status).toBe(503)
    expect((await send('/hello')).text).toBe('hello')
  })

  it('does not hold a server that stops', async () => {
    const server = new Server()
    await server.start({ port: 0, host: '127.0.0.1', routeControllers: new RouteControllers([hello]) })
    const silent = await openRaw(server.getPort())
    jest.spyOn(Date, 'now').mockReturnValue(0)
    await server.stop({ lameDuckMs: 10, graceMs: 10 })
    expect(await silent.untilClosed()).toBe('')
  })
})

describe('A response whose setHeader throws, as some hook has left it', () => {
  it('ends with its connection and a line for each try, and the server goes on', async () => {
    const logged: string[] = []
    const note = (line: string): void => void logged.push(line)
    const routeControllers = new RouteControllers([hello, new Controller('GET', '/patched', () => 'never')], {
      logger: { info: note, warn: note, error: note },
    })
    routeControllers.addGlobal('/patched', (_req, res, next) => {
      res.setHeader = broken
      next()
    })
    const server = new Server()
    await server.start({ port: 0, host: '127.0.0.1', routeControllers })
    closeLater(() => server.stop())
    await expect(sendTo(server.getPort())('/patched')).rejects.toThrow('socket hang up')
    expect(logged).toHaveLength(2)
    for (const line of logged) expect(line).toMatch(/^GET \/patched.*: Error: broken/)
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
  })
})

describe('A server that has no descriptors left', () => {
  const program = compile(join(__dirname, '../hostile/serve.ts'))

  it('goes on when there are some again', async () => {
    const child = spawn(
      '/bin/sh',
      ['-c', `ulimit -n 48; exec "${process.execPath}" "${program}" standalone 0`],
      { cwd: join(__dirname, '../..'), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    )
    closeLater(async () => {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    })
    const [port] = (await once(child, 'message')) as [number]
    const sockets: Socket[] = []
    const closed: Promise<unknown>[] = []
    // Each sends half a request: those that were taken are held.
    for (let count = 0; count < 100; count++) {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /hello HTTP/1.1\r\n')).on(
        'error',
        () => {},
      )
      sockets.push(socket)
      closed.push(new Promise((resolve) => socket.once('close', resolve)))
      await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed.at(-1)])
    }
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    // Not at once: it has yet to hear of each that its client is gone, and until then its process refuses those that come.
    let answer: string | undefined
    while (answer === undefined) {
      answer = await sendTo(port)('/hello').then(
        ({ text }) => text,
        () => sleep(50, undefined),
      )
    }
    expect(answer).toBe('hello')
    expect((await sendTo(port)('/__health')).json()).toEqual({ unhandled: 0, uncaught: 0, polluted: false })
    expect(child.exitCode).toBeNull()
  })
})

describe('Clients that reset their connections', () => {
  it('while they are answered and while they send leave the server as it was', async () => {
    const errors: unknown[] = []
    const big = 'x'.repeat(1024 * 1024)
    const server = new Server()
    await server.start({
      port: 0,
      host: '127.0.0.1',
      routeControllers: new RouteControllers(
        [
          hello,
          new Controller('GET', '/big', () => big),
          new Controller('POST', '/body', (req) => String(req.body)),
        ],
        { logger: { info() {}, warn() {}, error: (line) => void errors.push(line) } },
      ),
    })
    closeLater(() => server.stop({ graceMs: 0 }))
    for (let count = 0; count < 20; count++) {
      const reading = await openRaw(server.getPort())
      await reading.write('GET /big HTTP/1.1\r\nHost: t\r\n\r\n').until('200 OK')
      reading.reset()
      const sending = await openRaw(server.getPort())
      const begun = once(server.nodeServer!, 'request')
      sending.write(
        'POST /body HTTP/1.1\r\nHost: t\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf',
      )
      await begun
      sending.reset()
    }
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    // That a client goes away is no failure here.
    expect(errors).toEqual([])
  })
})

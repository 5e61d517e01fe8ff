import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Controller, RouteControllers, Server, type ShutdownOptions } from 'routecontrollers'
import { compile } from '../support/compile.js'
import { type Received, sendTo } from '../support/describe-servings.js'

const program = compile(join(__dirname, 'serve.ts'))

let child: ChildProcess
let port: number
let ended: Promise<[code: number | null, signal: string | null]>

async function serve(shutdown: ShutdownOptions): Promise<void> {
  child = fork(program, [JSON.stringify(shutdown)], {
    cwd: join(__dirname, '../..'),
    execArgv: [],
  })
  ended = once(child, 'exit') as typeof ended
  ;[port] = (await once(child, 'message')) as [number]
}
afterEach(() => void child.kill('SIGKILL'))

/** An answer that waits until it is released. */
async function openSlow(): Promise<{ answer: Promise<Received> }> {
  const arrived = once(child, 'message')
  const answer = sendTo(port)('/slow')
  answer.catch(() => {})
  await arrived
  return { answer }
}

async function untilRefused(): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (!isOpen) return
    await sleep(5)
  }
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (name) => {
  it('stops a server that asks for it: the answer in flight is sent, then the process ends by itself', async () => {
    await serve({ signals: ['SIGTERM', 'SIGINT'] })
    const { answer } = await openSlow()
    child.kill(name)
    await untilRefused()
    child.send('release')
    const { text, headers } = await answer
    expect([text, headers['connection']]).toEqual(['slow', 'close'])
    expect(await ended).toEqual([0, null])
  })

  it('ends the process at once when it comes again', async () => {
    await serve({ signals: [name] })
    await openSlow()
    child.kill(name)
    await untilRefused()
    // Later than npm, which sends a Ctrl+C once more.
    await sleep(250)
    expect(child.exitCode).toBeNull()
    child.kill(name)
    expect(await ended).toEqual([128 + constants.signals[name], null])
  })

  it('that comes twice in one moment, as under npm, is one', async () => {
    await serve({ signals: [name] })
    const { answer } = await openSlow()
    const ready = once(child, 'message')
    child.send([name, name])
    expect(await ready).toEqual([false, undefined])
    child.send('release')
    expect((await answer).text).toBe('slow')
    expect(await ended).toEqual([0, null])
  })

  it('is left alone by a server that does not ask for it', async () => {
    await serve({ signals: name === 'SIGTERM' ? ['SIGINT'] : ['SIGTERM'] })
    await openSlow()
    child.kill(name)
    expect(await ended).toEqual([null, name])
  })
})

it('Of two signals the second ends the process, unless it comes in the same moment', async () => {
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000)
  const server = await new Server().start({
    port: 0,
    routeControllers: new RouteControllers([]),
    shutdown: { signals: ['SIGTERM'] },
  })
  const closed = once(server.nodeServer!, 'close')
  const emitter: NodeJS.EventEmitter = process
  const signal = (): unknown => emitter.emit('SIGTERM', 'SIGTERM', constants.signals.SIGTERM)
  signal()
  now.mockReturnValue(1_200)
  signal()
  expect([server.isReady, exit.mock.calls]).toEqual([false, []])
  now.mockReturnValue(1_201)
  signal()
  expect(exit.mock.calls).toEqual([[143]])
  await closed
  jest.restoreAllMocks()
})

it('A server listens for signals only from its start to its end', async () => {
  const count = (): number => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
  const before = count()
  const options = {
    port: 0,
    routeControllers: new RouteControllers([new Controller('GET', '/', () => 'root')]),
  }
  const server = await new Server().start(options)
  expect(count()).toBe(before)
  await server.stop()
  await server.start({ ...options, shutdown: { signals: ['SIGTERM', 'SIGINT', 'SIGINT'] } })
  expect(count()).toBe(before + 2)
  const taken = { ...options, port: server.getPort(), shutdown: { signals: ['SIGTERM', 'SIGINT'] } } as const
  await expect(new Server().start(taken)).rejects.toMatchObject({ code: 'ERR_PORT_UNAVAILABLE' })
  expect(count()).toBe(before + 2)
  await server.stop()
  expect(count()).toBe(before)
})

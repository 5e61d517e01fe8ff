import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { sendTo } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

describe('RouteControllers.listen', () => {
  let taken: HttpServer
  let takenPort: number

  beforeAll(async () => {
    taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    takenPort = (taken.address() as AddressInfo).port
  })

  afterAll(() => new Promise((resolve) => taken.close(resolve)))

  const hello = (): RouteControllers => new RouteControllers([new Controller('GET', '/hello', () => 'hello')])

  it('starts a Server of its own, and resolves with it when it listens', async () => {
    const server = await hello().listen(0)
    if (!(server instanceof Server)) throw new Error('not a Server')
    expect(server.nodeServer?.listening).toBe(true)
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    await server.stop()
  })

  it('says that it listens already when it is called again', async () => {
    const routeControllers = hello()
    const server = (await routeControllers.listen(0)) as Server
    await expect(routeControllers.listen(0)).rejects.toEqual(refusal('ERR_SERVER_STATE', 'listening already'))
    await server.stop()
  })

  it('says that the server of setServer listens already', async () => {
    const server = createServer()
    const routeControllers = hello().setServer(server)
    await routeControllers.listen(0)
    await expect(routeControllers.listen(0)).rejects.toEqual(refusal('ERR_SERVER_STATE', 'listening already'))
    await new Promise((resolve) => server.close(resolve))
  })

  it('can be called again after its Server has stopped', async () => {
    const routeControllers = hello()
    await ((await routeControllers.listen(0)) as Server).stop()
    const server = (await routeControllers.listen(0)) as Server
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    await server.stop()
  })

  it.each([
    ['a Server of its own', () => hello()],
    ['a node:http server', () => hello().setServer(createServer())],
    ['a Server', () => hello().setServer(new Server())],
  ])('rejects with a sentence when the port is in use, with %s', async (_name, make) => {
    const routeControllers = make()
    await expect(routeControllers.listen(takenPort)).rejects.toEqual(
      refusal('ERR_PORT_UNAVAILABLE', `Port ${takenPort} is in use`, '0 picks a free one'),
    )
    const server = await routeControllers.listen(0)
    await new Promise<unknown>((resolve) =>
      'stop' in server ? resolve(server.stop()) : server.close(resolve),
    )
  })

  it.each([[-1], [65_536], [1.5], [NaN], ['3000'], ['http'], [undefined], [null]])(
    'refuses the port %p',
    async (port) => {
      await expect(hello().listen(port as number)).rejects.toEqual(
        refusal('ERR_OPTION_INVALID', 'port', '65535'),
      )
      await expect(
        hello()
          .setServer(createServer())
          .listen(port as number),
      ).rejects.toEqual(refusal('ERR_OPTION_INVALID', 'port', '65535'))
    },
  )
})

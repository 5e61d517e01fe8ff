import { createServer, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Controller, RouteControllers, Server } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { sendTo } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

const hello = (): RouteControllers =>
  new RouteControllers([
    new Controller('GET', '/hello', () => 'hello'),
    new Controller('GET', '/throws', () =>
      Promise.reject(Object.assign(new Error('no tea'), { status: 418 })),
    ),
  ])

const portOf = (server: HttpServer): number => (server.address() as AddressInfo).port

const closed = (server: HttpServer): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

describe('RouteControllers.setServer', () => {
  it('answers on a node:http server, which listen() starts', async () => {
    const server = createServer()
    const routeControllers = hello()
    expect(routeControllers.setServer(server)).toBe(routeControllers)
    expect(server.listening).toBe(false)
    expect(await routeControllers.listen(0)).toBe(server)
    const send = sendTo(portOf(server))
    expect((await send('/hello')).text).toBe('hello')
    expect((await send('/nowhere')).status).toBe(404)
    expect(await send('/throws')).toMatchObject({ status: 418, text: 'no tea' })
    await closed(server)
  })

  it('answers on a node:http server that somebody else starts', async () => {
    const server = createServer()
    hello().setServer(server)
    await new Promise<void>((resolve) => server.listen(0, resolve))
    expect((await sendTo(portOf(server))('/hello')).text).toBe('hello')
    await closed(server)
  })

  it('answers on a node:https server', async () => {
    const server = createHttpsServer({ key, cert })
    await hello().setServer(server).listen(0)
    const text = await new Promise<string>((resolve, reject) => {
      const options = { port: portOf(server), path: '/hello', ca: cert, agent: false } as const
      httpsRequest(options, (incoming) => {
        let body = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
        incoming.on('end', () => resolve(body))
      })
        .on('error', reject)
        .end()
    })
    expect(text).toBe('hello')
    await closed(server)
  })

  it('answers on our own Server, which listen() starts', async () => {
    const server = new Server()
    const routeControllers = hello().setServer(server)
    expect(await routeControllers.listen(0)).toBe(server)
    expect((await sendTo(server.getPort())('/hello')).text).toBe('hello')
    await server.stop()
  })

  it('refuses a server that has a request listener already, and leaves that one alone', () => {
    const listener = (): void => {}
    const server = createServer(listener)
    expect(() => hello().setServer(server)).toThrow(
      refusal('ERR_SERVER_STATE', 'has a request listener already', 'middleware()'),
    )
    expect(server.listeners('request')).toEqual([listener])
  })

  it('refuses the same server a second time', () => {
    const server = createServer()
    const routeControllers = hello().setServer(server)
    expect(() => routeControllers.setServer(server)).toThrow(refusal('ERR_SERVER_STATE'))
    expect(server.listenerCount('request')).toBe(1)
  })

  it.each([[undefined], [null], [3000], ['http://localhost'], [{}], [() => {}]])('refuses %p', (server) => {
    expect(() => hello().setServer(server as never)).toThrow(
      refusal('ERR_OPTION_INVALID', 'setServer takes a server of node:http or node:https, or a Server'),
    )
  })
})

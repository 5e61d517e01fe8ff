import type { IncomingMessage, ServerResponse } from 'node:http'
import express5 from 'express'
import { Controller, type Hook, RouteControllers, toListener } from 'routecontrollers'
import { closeHosted, host } from '../support/hosting.js'

type Req = IncomingMessage & Record<string, unknown>
type Res = ServerResponse & { locals: Record<string, unknown> }

/** What a controller behind these hooks answers with. */
async function valuesBehind(hooks: readonly Hook[], read: (req: Req, res: Res) => unknown): Promise<unknown> {
  let seen: unknown
  const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'done')])
  for (const hook of hooks) routeControllers.addGlobal(hook)
  routeControllers.addGlobal((req, res, next) => {
    seen = read(req as Req, res as Res)
    next()
  })
  const { send } = await host(toListener(routeControllers.getCallback()))
  expect((await send('/')).status).toBe(200)
  return seen
}

describe('The members that hooks find on req and res', () => {
  afterEach(closeHosted)

  it.each([
    ['secure', true],
    ['protocol', 'https'],
    ['ip', '10.0.0.1'],
    ['path', '/elsewhere'],
  ])('req.%s is what a hook has assigned', async (name, value) => {
    const assign: Hook = (req, _res, next) => {
      ;(req as Req)[name] = value
      next()
    }
    expect(await valuesBehind([assign], (req) => req[name])).toBe(value)
  })

  it('res.locals is what a hook has assigned', async () => {
    const locals = { user: 'ada' }
    const assign: Hook = (_req, res, next) => {
      ;(res as Res).locals = locals
      next()
    }
    expect(await valuesBehind([assign], (_req, res) => res.locals)).toBe(locals)
  })

  it('res.locals is the same object for every hook', async () => {
    const note: Hook = (_req, res, next) => {
      ;(res as Res).locals['user'] = 'ada'
      next()
    }
    expect(await valuesBehind([note], (_req, res) => ({ ...res.locals }))).toEqual({ user: 'ada' })
  })

  it.each(['status', 'json', 'send', 'redirect'])('a hook replaces res.%s', async (name) => {
    const replaced = (): void => undefined
    const assign: Hook = (_req, res, next) => {
      ;(res as unknown as Record<string, unknown>)[name] = replaced
      next()
    }
    expect(await valuesBehind([assign], (_req, res) => (res as never)[name])).toBe(replaced)
  })

  it('an assigned value belongs to its request alone', async () => {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([new Controller('GET', '*', () => 'done')])
    routeControllers.addGlobal((req, _res, next) => {
      if (req.url === '/first') (req as Req)['secure'] = true
      seen.push((req as Req)['secure'])
      next()
    })
    const { send } = await host(toListener(routeControllers.getCallback()))
    await send('/first')
    await send('/second')
    expect(seen).toEqual([true, false])
  })

  it('req.ip is spelled as in Express, IPv4 that is mapped into IPv6 included', async () => {
    const address: Hook = (req, _res, next) => {
      Object.defineProperty(req.socket, 'remoteAddress', { value: '::ffff:192.0.2.7' })
      next()
    }
    const app = express5()
    app.use(address as never, (req, res) => void res.send(req.ip))
    const { send } = await host(app)
    const inExpress = (await send('/')).text

    const values = await valuesBehind([address], (req) => [req['ip'], req['realIp']])
    expect(values).toEqual([inExpress, '192.0.2.7'])
  })

  it('are read without an error when a hook has taken the socket off', async () => {
    const detach: Hook = (req, _res, next) => {
      Object.defineProperty(req, 'socket', { value: undefined, configurable: true })
      next()
    }
    const values = await valuesBehind([detach], (req) => [req['ip'], req['secure'], req['protocol']])
    expect(values).toEqual([undefined, false, 'http'])
  })
})

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Controller, RouteControllers, toListener } from 'routecontrollers'
import { closeHosted, host } from '../support/hosting.js'

describe('A stream whose middleware listens for drain elsewhere', () => {
  afterEach(closeHosted)

  it('waits with one listener, however many chunks there are', async () => {
    const chunks = 100
    const elsewhere = new EventEmitter()
    const routeControllers = new RouteControllers([
      new Controller('GET', '/', (_req, res) => res.stream(Readable.from(Array<string>(chunks).fill('x')))),
    ])
    // What compression does: drain listeners go to the stream that it writes to, where removeListener does not look.
    routeControllers.addGlobal((_req, res: ServerResponse, next) => {
      const on = res.on.bind(res)
      const write = res.write.bind(res)
      res.on = ((name: string, listener: (...all: unknown[]) => void) => {
        if (name !== 'drain') return on(name, listener)
        elsewhere.on(name, listener)
        return res
      }) as typeof res.on
      res.write = (chunk: unknown) => {
        write(chunk)
        setImmediate(() => elsewhere.emit('drain'))
        return false
      }
      next()
    })
    const { send } = await host(toListener(routeControllers.getCallback()))
    expect((await send('/')).text).toBe('x'.repeat(chunks))
    expect(elsewhere.listenerCount('drain')).toBe(1)
  })
})

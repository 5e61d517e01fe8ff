import type { IncomingMessage } from 'node:http'
import { Controller, type Hook, RouteControllers, toListener } from 'routecontrollers'
import { closeHosted, host } from '../support/hosting.js'

const originalUrl = (req: unknown): string | undefined =>
  (req as IncomingMessage & { originalUrl?: string }).originalUrl

const rewriteTo =
  (url: string): Hook =>
  (req, _res, next) => {
    req.url = url
    next()
  }

describe('req.originalUrl among hooks', () => {
  afterEach(closeHosted)

  async function seenBy(setup: (routeControllers: RouteControllers, seen: unknown[]) => void) {
    const seen: unknown[] = []
    const routeControllers = new RouteControllers([
      new Controller('GET', '*', (req) => {
        seen.push(req.originalUrl)
        return 'done'
      }),
    ])
    setup(routeControllers, seen)
    const { send } = await host(toListener(routeControllers.getCallback()))
    expect((await send('/sent?x=1')).status).toBe(200)
    return seen
  }

  it('is the URL as it was sent, for the first hook too', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal((req, _res, next) => {
        notes.push(originalUrl(req))
        next()
      })
    })
    expect(seen).toEqual(['/sent?x=1', '/sent?x=1'])
  })

  it('stays that when a hook has rewritten req.url, for all after it', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal(rewriteTo('/rewritten'))
      routeControllers.addGlobal((req, _res, next) => {
        notes.push([req.url, originalUrl(req)])
        next()
      })
    })
    expect(seen).toEqual([['/rewritten', '/sent?x=1'], '/sent?x=1'])
  })

  it('is whole where the path of a mount is taken off req.url', async () => {
    const seen = await seenBy((routeControllers, notes) => {
      routeControllers.addGlobal('/sent', (req, _res, next) => {
        notes.push([req.url, originalUrl(req)])
        next()
      })
    })
    expect(seen).toEqual([['/?x=1', '/sent?x=1'], '/sent?x=1'])
  })

  it('is what a hook has assigned', async () => {
    const seen = await seenBy((routeControllers) => {
      routeControllers.addGlobal((req, _res, next) => {
        ;(req as IncomingMessage & { originalUrl?: string }).originalUrl = '/assigned'
        next()
      })
    })
    expect(seen).toEqual(['/assigned'])
  })

  it('is written for a controller that no hook has been asked for', async () => {
    const seen = await seenBy((routeControllers) => {
      routeControllers.addGlobal('/elsewhere', (_req, _res, next) => next())
    })
    expect(seen).toEqual(['/sent?x=1'])
  })

  // As on a bare server: what it calls inside itself goes by the URL that it has made.
  it.each(['/rewritten', undefined])(
    'is no other than the URL that the first hook has given itself: %s',
    async (url) => {
      let seen: unknown = 'nothing'
      const routeControllers = new RouteControllers([])
      routeControllers.addGlobal((req, res) => {
        req.url = url
        seen = originalUrl(req)
        res.end()
      })
      const { send } = await host(toListener(routeControllers.getCallback()))
      await send('/sent')
      expect(seen).toBe(url)
    },
  )
})

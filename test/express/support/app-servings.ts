// Ways to serve one app of Express: by Express, on the classes of createServer, and in front of itself.
import type { AddressInfo } from 'node:net'
import { createServer, serve } from 'routecontrollers/express'
import { type Served, sendTo } from '../../support/describe-servings.js'
import { closeLater, host } from '../../support/hosting.js'

export type Send = Served['send'] & { readonly port: number }
type ServeApp = (app: any) => Promise<Send>

const sendsTo = (port: number): Send => Object.assign(sendTo(port), { port })

/** Serves an app as Express does, until `closeHosted` is called. */
export const byExpress: ServeApp = async (app) => sendsTo((await host(app)).port)

async function inFront(app: any, options: object): Promise<Send> {
  const server = await serve(app, { port: 0, ...options })
  closeLater(() => server.stop())
  return sendsTo(server.getPort())
}

/** Each serves until `closeHosted` is called. */
export const appServings = {
  'by Express': byExpress,
  async 'by createServer'(app) {
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closeLater(() => new Promise((resolve) => server.close(resolve)))
    return sendsTo((server.address() as AddressInfo).port)
  },
  'in front of itself': (app) => inFront(app, {}),
  // With a logger of its own the engine runs the app.
  'taken over': (app) => inFront(app, { logger: { info() {}, warn() {}, error() {} } }),
} satisfies Readonly<Record<string, ServeApp>>

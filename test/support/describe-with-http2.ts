import { RouteControllers } from 'routecontrollers'
import { openSession, sendOn } from '../server/http2-client.js'
import { serveHttp2 } from '../server/serve-http2.js'
import { closeAll, type Serving, servings, servingsOf } from './describe-servings.js'
import { closeHosted } from './hosting.js'

/** The same Controllers over HTTP/2. `port` is undefined: what speaks HTTP/1.1 to one has no use for it. */
const overHttp2: Omit<Serving, 'name'> & { name: string } = {
  name: 'over HTTP/2',
  misses: 'us',
  errors: 'us',
  onNode: true,
  async serve(controllers, { setup, upstream: _upstream, downstream: _downstream, ...options } = {}) {
    const logged: string[] = []
    const note =
      (level: string) =>
      (message: string): void =>
        void logged.push(`${level} ${message}`)
    const logger = { info: note('info'), warn: note('warn'), error: note('error') }
    const routeControllers = new RouteControllers(controllers, { logger, ...options })
    setup?.(routeControllers)
    const { port } = await serveHttp2(routeControllers)
    const session = await openSession(port)
    return {
      routeControllers,
      send: (target, sent) => sendOn(session, target, sent),
      port: undefined,
      logged,
    }
  },
}

/** `describeServings`, and over HTTP/2. */
export function describeServingsAndHttp2(
  name: string,
  define: (serving: Serving) => void,
  only: (serving: Serving) => boolean = () => true,
): void {
  const some = servingsOf(name, only, [...servings, overHttp2 as Serving])
  describe.each(some.map((one) => [one.name, one] as const))(`${name} – %s`, (_name, one) => {
    afterEach(closeAll)
    afterEach(closeHosted)
    define(one)
  })
}

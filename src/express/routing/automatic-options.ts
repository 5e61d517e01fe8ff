import type { ServerResponse } from 'node:http'
import { type RunnableController, withNodeCallback } from '../../controller.js'
import { parsePattern } from '../../routing/pattern.js'
import type { Application, ExpressVersion } from '../application.js'
import type { Entry } from './ordered-index.js'
import type { RoutePath } from './path.js'

/** The methods that the routes of a path name when nobody answers OPTIONS, as the router of this version lists them. */
export function allowedMethods(version: ExpressVersion, entries: readonly Entry[]): readonly string[] {
  const allowed = new Set<string>()
  for (const { methods, route } of entries) {
    // Of a live app: its own routers answer, behind its middleware.
    if ((route.pattern.foreign as RoutePath | undefined)?.live !== undefined) continue
    // A route that takes OPTIONS, as one for all methods does, has passed the request on.
    if (methods.has('*') || methods.has('OPTIONS')) continue
    for (const method of methods) allowed.add(method)
    if (methods.has('GET')) allowed.add('HEAD')
  }
  return version === 4 ? [...allowed] : [...allowed].sort()
}

const pattern = parsePattern('*')

/** Answers OPTIONS with the methods of a path. */
export function createOptionsController(
  application: Application,
  allowed: readonly string[],
): RunnableController {
  const callback = withNodeCallback({
    extendClasses: (classes) => classes,
    run: (_incoming, outgoing) =>
      (application.version === 4 ? answer4 : answer5)(outgoing as Response, allowed),
  })
  return { method: 'OPTIONS', pattern, options: {}, callback, middleware: [] }
}

interface Response extends ServerResponse {
  set(name: string, value: string): this
  send(body: string): this
}

function answer4(response: Response, allowed: readonly string[]): void {
  const list = allowed.join(',')
  response.set('Allow', list)
  response.send(list)
}

function answer5(response: Response, allowed: readonly string[]): void {
  const list = allowed.join(', ')
  response.setHeader('Allow', list)
  response.setHeader('Content-Length', Buffer.byteLength(list))
  response.setHeader('Content-Type', 'text/plain')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.end(list)
}

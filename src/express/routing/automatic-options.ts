import type { ServerResponse } from 'node:http'
import { type RunnableController, withNodeCallback } from '../../controller.js'
import { parsePattern } from '../../routing/pattern.js'
import type { Application, ExpressVersion } from '../application.js'
import { defaultSurface } from '../members/surface.js'
import type { Entry } from './ordered-index.js'
import type { RoutePath } from './path.js'

/** The methods that the routes of a path name when nobody answers OPTIONS. */
export function allowedMethods(entries: readonly Entry[]): ReadonlySet<string> {
  const allowed = new Set<string>()
  for (const { methods, route } of entries) {
    // Of a live app: its own routers answer, behind its middleware.
    if ((route.pattern.foreign as RoutePath | undefined)?.live !== undefined) continue
    // A route that takes OPTIONS, as one for all methods does, has passed the request on.
    if (methods.has('*') || methods.has('OPTIONS')) continue
    for (const method of methods) allowed.add(method)
    if (methods.has('GET')) allowed.add('HEAD')
  }
  return allowed
}

const pattern = parsePattern('*')

/** Answers OPTIONS with the methods of a path. */
export function createOptionsController(
  application: Application,
  allowed: ReadonlySet<string>,
): RunnableController {
  const callback = withNodeCallback({
    extendClasses: defaultSurface.extendClasses,
    run: (_incoming, outgoing) => answerOptions(application.version, outgoing, allowed),
  })
  return { method: 'OPTIONS', pattern, options: {}, callback, middleware: [] }
}

interface Response extends ServerResponse {
  set(name: string, value: string): this
  send(body: string): this
}

/** Answers as the router of this version does for routes that have these methods. */
export function answerOptions(
  version: ExpressVersion,
  outgoing: ServerResponse,
  methods: ReadonlySet<string>,
): void {
  const response = outgoing as Response
  if (version === 4) {
    const list = [...methods].join(',')
    response.set('Allow', list)
    response.send(list)
    return
  }
  const list = [...methods].sort().join(', ')
  response.setHeader('Allow', list)
  response.setHeader('Content-Length', Buffer.byteLength(list))
  response.setHeader('Content-Type', 'text/plain')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.end(list)
}

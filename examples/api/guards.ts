import { SpanKind, type Tracer } from '@opentelemetry/api'
import type { Logger } from 'pino'
import { around, guard, type RouteRequest } from 'routecontrollers'
import type { Store } from './store.js'

/** Lets those in who show the token of a user, and puts that user on `req`. */
export const requireUser = (users: Store['users']) =>
  guard(function requireUser(req, res) {
    const [, token = ''] = /^Bearer (\w+)$/.exec(req.get('authorization') ?? '') ?? []
    const user = users.get(token)
    return user ? { user } : res.status(401).json({ error: 'Who are you?' })
  })

/** Lets the members of an org in, and puts the org on `req`. To others it does not exist. */
export const requireMember = (orgs: Store['orgs']) =>
  guard(function requireMember(req: RouteRequest<'/orgs/:org', { user: { name: string } }>, res) {
    const org = orgs.get(req.params.org)
    if (!org?.members.includes(req.user.name)) return res.status(404).json({ error: 'There is no such org' })
    return { org }
  })

/** Makes a span and a line of the log of each request that a Controller answers, both by its route. */
export const observe = (tracer: Tracer, logger: Pick<Logger, 'info'>) =>
  around(async ({ method, route: { path: route } }, _res, next) =>
    tracer.startActiveSpan(`${method} ${route}`, { kind: SpanKind.SERVER }, async (span) => {
      const start = performance.now()
      try {
        const answer = await next()
        const { traceId } = span.spanContext()
        logger.info({ method, route, status: answer.status, ms: performance.now() - start, traceId })
        span.setAttributes({ 'http.route': route, 'http.response.status_code': answer.status })
        return answer
      } finally {
        span.end()
      }
    }),
  )

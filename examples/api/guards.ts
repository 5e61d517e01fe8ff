import type { Logger } from 'pino'
import type { NextAnswer, ResponseBuilder, RouteRequest } from 'routecontrollers'
import type { Store } from './store.js'

/** Lets those in who show the token of a user, and puts that user on `req`. */
export const requireUser = (users: Store['users']) => (req: RouteRequest, res: ResponseBuilder) => {
  const [, token = ''] = /^Bearer (\w+)$/.exec(req.get('authorization') ?? '') ?? []
  const user = users.get(token)
  return user ? { user } : res.status(401).json({ error: 'Who are you?' })
}

type OfUser = RouteRequest<'/orgs/:org', { user: { name: string } }>

/** Lets the members of an org in, and puts the org on `req`. To others it does not exist. */
export const requireMember = (orgs: Store['orgs']) => (req: OfUser, res: ResponseBuilder) => {
  const org = orgs.get(req.params.org)
  if (!org?.members.includes(req.user.name)) return res.status(404).json({ error: 'There is no such org' })
  return { org }
}

/** Logs each request that a Controller answers, by its route. */
export const logRequests =
  (logger: Pick<Logger, 'info'>) => async (req: RouteRequest, _res: ResponseBuilder, next: NextAnswer) => {
    const start = performance.now()
    const answer = await next()
    const { method, path: route } = req.route
    logger.info({ method, route, status: answer.status, ms: performance.now() - start })
    return answer
  }

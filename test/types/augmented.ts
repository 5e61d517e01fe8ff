// Compiles, or does not: what packages declare for `Express.Request` is on `req`, and what a middleware adds replaces it.
import type {} from 'express-session'
import type {} from 'multer'
import type {} from 'passport'
import { Controller, group, type Middleware, type ResponseBuilder, type RouteRequest } from 'routecontrollers'
import { expectType } from './equal.js'

interface Account {
  id: number
}

new Controller('GET', '/', (req, res) => {
  expectType<typeof req.user, Express.User | undefined>()
  const file: Express.Multer.File | undefined = req.file
  return res.json({ session: req.session.id, file: file?.size, isKnown: req.isAuthenticated() })
})

const requireAccount = (req: RouteRequest, res: ResponseBuilder) =>
  req.get('authorization') === undefined ? res.status(401).end() : { user: { id: 1 } }
group('/a', requireAccount).get('/', (req) => {
  expectType<typeof req.user, Account>()
  return { id: req.user.id, session: req.session.id }
})
new Controller<'/b', { user: Account }>('GET', '/b', (req) => req.user)

// Middleware that needs nothing of it fits a route whose user is another.
const mark: Middleware = (req) => ({ seen: req.url })
new Controller<'/b', { user: Account }>('GET', '/b', (req) => req.user).use(mark)
group('/a', requireAccount, mark)

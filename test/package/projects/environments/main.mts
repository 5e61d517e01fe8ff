// Run by Node as it is: it takes the types away.
import * as core from 'routecontrollers'
import { type AnyController, Controller, type Middleware } from 'routecontrollers'
import * as express from 'routecontrollers/express'
import uses from './uses.cjs'

interface WithUser {
  user: string
}
const authenticate: Middleware<string, WithUser> = (req) => void (req.user = 'ada')
const me = new Controller<'/me/:id', WithUser>('GET', '/me/:id', (req, res) => res.text(req.user)).use(
  authenticate,
)
const controllers: AnyController[] = [me]
const answer = await new core.RouteControllers(controllers).getCallback()(new Request('http://x/me/7'))
if ((await answer.text()) !== 'ada') throw new Error('Not the answer of the middleware')

console.log(await uses.inMemory(core, express), await uses.onServer(core))

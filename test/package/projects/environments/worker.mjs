import * as core from 'routecontrollers'
import { bindings, toWorker } from 'routecontrollers/workers'
import uses from './uses.cjs'

const { Controller, group, RouteControllers } = core
const hello = new Controller('GET', '/hello/:name', (req, res) => res.json({ hello: req.params.name }))
const bound = group('/bound').with(bindings())
const greeting = bound.get('/', (req, res) => {
  req.platform.waitUntil(Promise.resolve())
  return res.json([req.env.GREETING, req.realIp])
})
const used = new Controller('GET', '/uses', () => uses.withoutHooks(core))

export default toWorker(new RouteControllers([hello, greeting, used]))

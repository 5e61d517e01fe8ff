import * as core from 'routecontrollers'
import uses from './uses.cjs'

const hello = new core.Controller('GET', '/hello/:name', (req, res) => res.json({ hello: req.params.name }))
const fetchHandler = new core.RouteControllers([hello]).getCallback()

export default {
  fetch: async (request) =>
    new URL(request.url).pathname === '/uses'
      ? new Response(await uses.withoutHooks(core))
      : fetchHandler(request),
}

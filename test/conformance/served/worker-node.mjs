// The same by the node:http of workerd.
import { createServer } from 'node:http'
import { env } from 'cloudflare:workers'
import { httpServerHandler } from 'cloudflare:node'
import * as core from 'routecontrollers'
import made from './apps.cjs'
import { packages } from 'connect-packages'

const app = made.apps[env.APP](core, packages)
createServer(core.toListener(app.getCallback())).listen(8080)

export default httpServerHandler({ port: 8080 })

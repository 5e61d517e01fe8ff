// The apps of apps.cjs as a Worker: its binding APP names the one that it serves.
import { env } from 'cloudflare:workers'
import * as core from 'routecontrollers'
import { toWorker } from 'routecontrollers/workers'
import made from './apps.cjs'
import { packages } from 'connect-packages'

export default toWorker(made.apps[env.APP](core, packages))

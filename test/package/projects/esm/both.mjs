// An application in ESM and a plugin in CommonJS: two copies of the package meet in one process.
import { createRequire } from 'node:module'
import { Controller } from 'routecontrollers'
import use from '../use.cjs'

const { RouteControllers, Server } = createRequire(import.meta.url)('routecontrollers')

console.log(await use({ Controller, RouteControllers, Server }))

import { Controller, RouteControllers, Server } from 'routecontrollers'
import use from '../use.cjs'

console.log(await use({ Controller, RouteControllers, Server }))

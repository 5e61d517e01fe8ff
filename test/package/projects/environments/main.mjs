import * as core from 'routecontrollers'
import * as express from 'routecontrollers/express'
import uses from './uses.cjs'

console.log(await uses.inMemory(core, express), await uses.onServer(core))

import * as core from 'routecontrollers'
import uses from './uses.cjs'

uses.inMemory(core).then(async (inMemory) => console.log(inMemory, await uses.onServer(core)))

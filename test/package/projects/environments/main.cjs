const uses = require('./uses.cjs')
const core = require('routecontrollers')

uses
  .inMemory(core, require('routecontrollers/express'))
  .then(async (inMemory) => console.log(inMemory, await uses.onServer(core)))

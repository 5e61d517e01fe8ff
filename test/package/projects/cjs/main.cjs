const { Controller, RouteControllers, Server } = require('routecontrollers')
const use = require('../use.cjs')

use({ Controller, RouteControllers, Server }).then(console.log)

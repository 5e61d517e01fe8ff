#!/usr/bin/env node
import { Controller, RouteControllers } from 'routecontrollers'
import { expressPath, fromApp, fromExpress } from 'routecontrollers/express'
// Loads what it serves.
const { default: express } = await import('express')
const load = async (text) => (req, res) => res.send(text)

const app = express()
app.use(new RouteControllers([
new Controller('GET', expressPath('/a'), fromExpress(await load('a'))),
new Controller('GET', expressPath('/b'), fromExpress(await load('b'), (req, res, next) => next())),
], { profile: fromApp(app) }).middleware())

export { app as default }

#!/usr/bin/env node
import { fromExpress, native } from 'routecontrollers/express'
// Loads what it serves.
const { default: express } = await import('express')
const load = async (text) => (req, res) => res.send(text)

const app = express()
const getTopLevelAwaitA = await load('a')
app.get('/a', native(fromExpress(getTopLevelAwaitA)), getTopLevelAwaitA)
app.get('/b', await load('b'),
  native(fromExpress((req, res, next) => next())),
  (req, res, next) => next())

export { app as default }

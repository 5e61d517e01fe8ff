#!/usr/bin/env node
// Loads what it serves.
const { default: express } = await import('express')
const load = async (text) => (req, res) => res.send(text)

const app = express()
app.get('/a', await load('a'))
app.get('/b', await load('b'), (req, res, next) => next())

export { app as default }

// The groups in front of the app, with what stands before and behind all of its routes.
const express = require('express4')
const { RouteControllers, Server } = require('routecontrollers')
const { fromApp } = require('routecontrollers/express')
const app = require('./app.cjs')

const controllers = ['account', 'pages'].flatMap((name) => require(`./routes/${name}.cjs`).controllers)
const teas = require('./routes/api.cjs').teas.controllers

const routeControllers = new RouteControllers([...controllers, ...teas], { profile: fromApp(app) })
routeControllers.addGlobal(express.json())
routeControllers.addGlobal((error, req, res, next) => {
  res.status(error.status ?? 500).json({ error: error.message })
})
const marked = (req, res) => {
  res.setHeader('X-Behind', 'yes')
  app(req, res)
}
// The command looks into an app alone.
const fallback = process.env.MARK === undefined ? app : marked
const server = new Server()
server
  .start({ port: 0, host: '127.0.0.1', routeControllers, fallback })
  .then(() => process.stdout.write(`${new URL(server.getURL()).port}\n`))
// Ends with who has started it.
if (process.send !== undefined) process.on('disconnect', () => process.exit())

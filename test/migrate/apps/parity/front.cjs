// The same app, with Controllers in front of it that stand for some of its routes; what those have lost is meant to be found.
const { appendFileSync } = require('node:fs')
const { randomUUID } = require('node:crypto')
const { Controller, RouteControllers, Server } = require('routecontrollers')
const { app, read, users } = require('./legacy.cjs')

let left = 1000
const routeControllers = new RouteControllers([
  new Controller('GET', '/admin/users', () => read()),
  new Controller('GET', '/ping', (req, res) =>
    req.method === 'HEAD' ? res.status(204).end() : res.text('pong'),
  ),
  new Controller('GET', '/orders/:id', (req, res) => {
    res.header('RateLimit-Remaining', String(--left))
    return res.json({ id: req.params.id, receipt: randomUUID(), at: new Date(), items: '.'.repeat(left % 7) })
  }),
  new Controller('POST', '/users', (req, res) => {
    appendFileSync(users, `${req.body?.name}\n`)
    return res.status(200).json({ users: read().length })
  }),
])
new Server().start({ port: 3000, routeControllers, fallback: app })

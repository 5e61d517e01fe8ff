// The app after its users have moved: nothing is left of them in Express.
const { readFileSync } = require('node:fs')
const express = require('express')
const { Controller, RouteControllers, Server } = require('routecontrollers')

const app = express()
app.get('/ping', (req, res) => res.send(process.env.PONG ?? 'pong'))
app.get('/{*page}', (req, res) => res.send('<h1>The page</h1>'))
const read = () => readFileSync(`${__dirname}/data/users.txt`, 'utf8').trim().split('\n')
const routeControllers = new RouteControllers([
  new Controller('GET', '/users', (req, res) => res.json(read())),
])
new Server().start({ port: 3000, routeControllers, fallback: app })

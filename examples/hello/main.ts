import { Controller, serve } from 'routecontrollers'

const hello = new Controller('GET', '/hello', (_req, res) => res.json({ message: 'Hello' }))
const user = new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId }))
const anythingElse = new Controller('*', '*', (_req, res) => res.status(404).text('Try GET /hello'))

const server = await serve([hello, user, anythingElse], { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${server.getURL()}`)

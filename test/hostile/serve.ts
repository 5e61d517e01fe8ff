// Serves the contract in one way: `npx tsx test/hostile/serve.ts standalone|in-front|express5|express4 [PORT]`.
import express5 from 'express'
import express4 from 'express4'
import { Server } from 'routecontrollers'
import { createContract, watchProcess } from './contract.js'

const [way = 'standalone', port = '3900'] = process.argv.slice(2)
process.env['NODE_ENV'] = 'production'
watchProcess()
const routeControllers = createContract()
if (way === 'standalone' || way === 'in-front') {
  const server = new Server()
  await server.start({
    port: Number(port),
    RouteControllers: routeControllers,
    ...(way === 'in-front' && { fallback: express5() }),
  })
} else {
  const app = (way === 'express4' ? express4 : express5)()
  app.use(routeControllers.middleware())
  app.listen(Number(port))
}
console.log(`${way} listens on ${port}`)

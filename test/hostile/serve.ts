// Serves the contract in one way: `npx tsx test/hostile/serve.ts standalone|in-front|http2|http2-in-front|express5|express4 [PORT]`.
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { Server } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { createContract, watchProcess } from './contract.js'

const [way = 'standalone', port = '3900'] = process.argv.slice(2)
process.env['NODE_ENV'] = 'production'
watchProcess()
// A test that started it may end before it can say so.
process.once('disconnect', () => process.exit())

const logged: string[] = []
const note = (line: string): void => void logged.push(line)

const listening = await listen(Number(port))
console.log(`${way} listens on ${listening}`)
// What it has logged since it was last asked.
process.on('message', () => void process.send!(logged.splice(0)))
process.send?.(listening)

async function listen(port: number): Promise<number> {
  const routeControllers = createContract({ info: note, warn: note, error: note })
  const host = '127.0.0.1'
  if (/^(?:standalone|in-front|http2|http2-in-front)$/.test(way)) {
    const server = new Server()
    await server.start({
      port,
      host,
      routeControllers,
      ...(way.endsWith('in-front') && { fallback: express5() }),
      ...(way.startsWith('http2') && {
        tls: { key, cert },
        http2: true,
        // For so long Node 20 keeps a connection whose client has broken the protocol and gone.
        limits: { keepAliveTimeoutMs: 5_000 },
      }),
    })
    return server.getPort()
  }
  const app = (way === 'express4' ? express4 : express5)()
  app.use(routeControllers.middleware())
  return new Promise((resolve) => {
    const server = app.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

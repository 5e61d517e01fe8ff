// The entries for Bun and Deno over their own servers: addresses, and bodies up to the limit and over it.
import { Controller, RouteControllers } from 'routecontrollers'
import { toBun } from 'routecontrollers/bun'
import { toDeno } from 'routecontrollers/deno'

const routeControllers = new RouteControllers(
  [
    new Controller('GET', '/ip', (req, res) => res.json([req.realIp, req.platform.raw !== undefined])),
    new Controller('POST', '/length', (req) => String(req.body.length)),
  ],
  { bodyLimit: 1000 },
)
const server =
  typeof Bun === 'undefined'
    ? Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, toDeno(routeControllers).fetch)
    : Bun.serve({ port: 0, hostname: '127.0.0.1', ...toBun(routeControllers) })
const origin = `http://127.0.0.1:${typeof Bun === 'undefined' ? server.addr.port : server.port}`

console.log(await (await fetch(`${origin}/ip`)).text())
const headers = { 'Content-Type': 'text/plain' }
const chunked = (length) => ({ body: new Blob(['x'.repeat(length)]).stream(), duplex: 'half' })
for (const init of [{ body: 'x'.repeat(1000) }, { body: 'x'.repeat(1001) }, chunked(1000), chunked(1001)]) {
  const answer = await fetch(`${origin}/length`, { method: 'POST', headers, ...init })
  console.log(answer.status, await answer.text())
}
await (typeof Bun === 'undefined' ? server.shutdown() : server.stop(true))

// What a server of Bun or Deno makes of HEAD, and how a Server there stops while an event stream is open.
import { Controller, RouteControllers, Server } from 'routecontrollers'

const pieces = async function* () {
  yield 'one'
  yield 'two'
}
const make = () =>
  new RouteControllers([
    new Controller('GET', '/stream', (_req, res) => res.stream(pieces())),
    new Controller('GET', '/response', () => new Response('own')),
    new Controller('GET', '/text', () => 'text'),
  ])
const handlers = [make(), make().addGlobal((_req, _res, next) => next())].map((made) => made.getCallback())
for (const fetch of handlers) {
  const server =
    typeof Bun === 'undefined' ? Deno.serve({ port: 0, onListen() {} }, fetch) : Bun.serve({ port: 0, fetch })
  const port = typeof Bun === 'undefined' ? server.addr.port : server.port
  const lengths = []
  for (const path of ['/stream', '/response', '/text']) {
    const answer = await globalThis.fetch(`http://127.0.0.1:${port}${path}`, { method: 'HEAD' })
    lengths.push(answer.headers.get('content-length'))
  }
  const isRight = lengths[0] === null && [null, '3'].includes(lengths[1]) && lengths[2] === '4'
  console.log(isRight ? 'lengths' : JSON.stringify(lengths))
  await (typeof Bun === 'undefined' ? server.shutdown() : server.stop(true))
}

const ticks = async function* (signal) {
  for (let tick = 0; !signal.aborted; tick++) {
    yield String(tick)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const server = new Server()
const events = new Controller('GET', '/events', (_req, res) => res.sse(ticks))
await server.start({ port: 0, host: '127.0.0.1', routeControllers: new RouteControllers([events]) })
const answer = await fetch(`${server.getURL()}/events`)
const text = answer.text().catch((error) => `failed: ${error.message}`)
await new Promise((resolve) => setTimeout(resolve, 100))
const begun = performance.now()
await server.stop({ graceMs: 10_000 })
const isQuick = performance.now() - begun < 5_000
console.log(
  isQuick ? 'stopped' : 'stopped after graceMs',
  (await text).startsWith('data: 0') ? 'whole' : await text,
)
globalThis.process?.exit(0)

// What serves for a Server: the runtime's own server where it can. How that refuses a port, and how it stops.
import { Controller, RouteControllers, Server } from 'routecontrollers'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let tellBegun
/** A promise that resolves when the next request has come to its callback. */
const begun = () => new Promise((resolve) => (tellBegun = resolve))
const say = (...words) => console.log(words.join(' '))
const routeControllers = new RouteControllers([
  new Controller('GET', '/ip', (req) => req.realIp),
  new Controller('GET', '/slow', async () => {
    tellBegun()
    await sleep(500)
    return 'slow'
  }),
  new Controller('GET', '/endless', (_req, res) =>
    res.stream(
      (async function* () {
        tellBegun()
        for (;;) {
          yield 'x'
          await sleep(20)
        }
      })(),
    ),
  ),
  new Controller('POST', '/echo', (req) => req.body),
])
const start = (options = {}) =>
  new Server().start({
    port: 0,
    host: '127.0.0.1',
    routeControllers,
    logger: { info: (line) => say(line), warn: say, error: say },
    ...options,
  })

const server = await start({ host: undefined })
say(server.lane, server.nodeServer === undefined, server.isReady)
for (const host of ['127.0.0.1', '[::1]'])
  say(await (await fetch(`http://${host}:${server.getPort()}/ip`)).text())
const echo = await fetch(`${server.getURL()}/echo`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"tea":"Assam"}',
})
say(await echo.text())
await start({ port: server.getPort() }).catch(({ code }) => say(code))
const slowBegun = begun()
const slow = fetch(`${server.getURL()}/slow`).then((answer) => answer.text())
await slowBegun
const url = server.getURL()
const stopped = server.stop()
say('ready:', server.isReady)
say(await slow)
await stopped
say(
  'after stop:',
  server.lane,
  await fetch(url).then(
    () => 'served',
    () => 'refused',
  ),
)

for (const path of ['/slow', '/endless']) {
  const cut = await start()
  const hasBegun = begun()
  const answer = fetch(`${cut.getURL()}${path}`).then((one) =>
    one.ok ? one.text() : Promise.reject(new Error()),
  )
  const outcome = answer.then(
    () => 'whole',
    () => 'cut',
  )
  await hasBegun
  await cut.stop({ graceMs: 50 })
  say(path, await outcome)
}

const hooked = new RouteControllers([new Controller('GET', '/', () => 'x')]).addGlobal((_req, _res, next) =>
  next(),
)
for (const options of [
  { lane: 'node:http' },
  { fallback: (_req, res) => res.end() },
  { limits: { maxHeaderFields: 10 } },
  { trustProxy: 'loopback' },
  { routeControllers: hooked },
]) {
  const one = await start(options)
  say(one.lane)
  await one.stop()
}
globalThis.process?.exit(0)

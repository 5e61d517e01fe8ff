// A server in a process of its own, for signals: `/slow` is answered when the one who has started it says so.
import { Controller, RouteControllers, Server, type ServerOptions } from 'routecontrollers'

const shutdown = JSON.parse(process.argv[2]!) as NonNullable<ServerOptions['shutdown']>
let release = (): void => {}
const released = new Promise<void>((resolve) => (release = resolve))

const server = new Server()
await server.start({
  port: 0,
  host: '127.0.0.1',
  routeControllers: new RouteControllers([
    new Controller('GET', '/slow', async () => {
      process.send!('arrived')
      await released
      return 'slow'
    }),
  ]),
  shutdown,
})
process.on('message', (said) => {
  if (said === 'release') {
    release()
    // From here on only the server keeps the process.
    process.off('disconnect', exit).disconnect()
  } else {
    for (const name of said as NodeJS.Signals[]) process.emit(name, name)
    process.send!(server.isReady)
  }
})
// A test that started it may end before it can say so.
const exit = (): void => process.exit()
process.on('disconnect', exit)
process.send!(server.getPort())

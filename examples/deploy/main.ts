import { Controller, RouteControllers, Server } from 'routecontrollers'

const { PORT = 3000, WORKERS, LAME_DUCK_MS = 0, LISTEN_FDS } = process.env
const server = new Server()
await server.start({
  // The first socket that systemd hands over is always descriptor 3.
  port: LISTEN_FDS === undefined ? Number(PORT) : { fd: 3 },
  ...(WORKERS !== undefined && { workers: WORKERS === 'auto' ? 'auto' : Number(WORKERS) }),
  routeControllers: new RouteControllers([
    new Controller('GET', '/hello', () => 'hello'),
    new Controller('GET', '/health/live', () => 'alive'),
    new Controller('GET', '/health/ready', (_req, res) =>
      server.isReady ? res.text('ready') : res.status(503).text('stopping'),
    ),
  ]),
  shutdown: { signals: ['SIGTERM', 'SIGINT'], lameDuckMs: Number(LAME_DUCK_MS), graceMs: 20_000 },
})
// For PM2, which has asked to be told.
process.send?.('ready')

import { Controller, RouteControllers } from 'routecontrollers'

/** What every host mounts. */
export function createApp(): RouteControllers {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  return new RouteControllers([
    new Controller('GET', '/users/:id', (req, res) =>
      res.json({ id: req.params.id, url: req.url, originalUrl: req.originalUrl }),
    ),
    new Controller('POST', '/notes', (req, res) => res.status(201).json(req.body)),
    new Controller('GET', '/stream', (_req, res) =>
      res.stream(
        (async function* () {
          yield 'one'
          await released
          yield 'two'
        })(),
      ),
    ),
    new Controller('GET', '/release', () => {
      release()
      return 'released'
    }),
    new Controller('GET', '/throws', () => {
      throw new Error('secret')
    }),
    new Controller('GET', '/rejects', async () => {
      throw Object.assign(new Error('short and stout'), { status: 418, expose: true })
    }),
  ])
}

import { get } from 'http'
import { Controller, RouteControllers } from 'routecontrollers'

it('serves Controllers and hooks', async () => {
  const routeControllers = new RouteControllers([
    new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId })),
  ])
  routeControllers.addGlobal((req, res, next) => next())
  const server: any = await routeControllers.listen(0)
  const text = await new Promise((resolve, reject) => {
    get(`${server.getURL()}/users/7`, (res) => res.setEncoding('utf8').on('data', resolve)).on(
      'error',
      reject,
    )
  })
  await server.stop()
  expect(text).toBe('{"userId":"7"}')
})

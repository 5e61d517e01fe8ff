// What a user does with the package, in a few lines; each project brings the package in its own way.
const assert = require('node:assert/strict')
const { createServer } = require('node:http')

module.exports = async function use({ Controller, RouteControllers, Server }) {
  const user = new Controller('GET', '/users/:userId', (req, res) => res.json({ userId: req.params.userId }))
  const routeControllers = new RouteControllers([user])

  const answer = await routeControllers.getCallback()(new Request('http://localhost/users/7'))
  assert.deepEqual([answer.status, await answer.text()], [200, '{"userId":"7"}'])

  const middleware = routeControllers.middleware()
  const nodeServer = createServer((req, res) =>
    middleware(req, res, () => {
      res.statusCode = 418
      res.end('next')
    }),
  )
  await new Promise((resolve) => nodeServer.listen(0, resolve))
  const address = `http://localhost:${nodeServer.address().port}`
  assert.deepEqual(await get(`${address}/users/8`), [200, '{"userId":"8"}'])
  assert.deepEqual(await get(`${address}/nowhere`), [418, 'next'])
  nodeServer.closeAllConnections()
  nodeServer.close()

  const server = new Server()
  await server.start({ port: 0, routeControllers })
  assert.deepEqual(await get(new URL('/users/9', server.getURL())), [200, '{"userId":"9"}'])
  await server.stop()
  return 'used'
}

async function get(url) {
  const answer = await fetch(url, { headers: { connection: 'close' } })
  return [answer.status, await answer.text()]
}

import pkg = require('routecontrollers')

const { Controller, RouteControllers } = pkg

const user = new Controller('GET', '/users/:userId', async (req, res) => {
  const userId: string = req.params.userId
  // @ts-expect-error the pattern has no such name
  void req.params.userName
  return res.json({ userId })
})

const routeControllers: pkg.RouteControllers = new RouteControllers([user])
const answer: Promise<Response> = routeControllers.getCallback()(new Request('http://localhost/users/7'))

export = { routeControllers, answer }

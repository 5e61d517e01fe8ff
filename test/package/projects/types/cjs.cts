import { Controller, RouteControllers, Server } from 'routecontrollers'

const user = new Controller('GET', '/users/:userId', async (req, res) => {
  const userId: string = req.params.userId
  // @ts-expect-error the pattern has no such name
  void req.params.userName
  return res.json({ userId })
})

export const server: Server = new Server()
export const routeControllers: RouteControllers = new RouteControllers([user])
export const answer: Promise<Response> = routeControllers.getCallback()(
  new Request('http://localhost/users/7'),
)

import { STATUS_CODES } from 'node:http'
import { Controller, RouteControllers } from 'routecontrollers'

// RFC 9110 has named two anew.
const renamed = new Map([
  [413, 'Content Too Large'],
  [422, 'Unprocessable Content'],
])
// No callback has these: they are of proxies, of networks, or of no standard that is in use.
const unnamed = [407, 418, 506, 508, 509, 510, 511]
const statuses = Object.keys(STATUS_CODES)
  .map(Number)
  .filter((status) => status >= 400)

it('gives an error the name of its status', async () => {
  const controller = new Controller('GET', '/:status', (req) => {
    throw Object.assign(new Error('secret'), { status: Number(req.params.status), expose: false })
  })
  const answer = new RouteControllers([controller], {
    logger: { error() {}, warn() {}, info() {} },
  }).getCallback()
  const titles = new Map<number, unknown>()
  for (const status of statuses) {
    const response = await answer(
      new Request(`http://x/${status}`, { headers: { accept: 'application/json' } }),
    )
    titles.set(response.status, await response.json())
  }
  expect([...titles.keys()]).toEqual(statuses)
  for (const [status, problem] of titles) {
    const title = unnamed.includes(status) ? 'Error' : (renamed.get(status) ?? STATUS_CODES[status])
    expect(problem).toEqual({ type: 'about:blank', title, status })
  }
})

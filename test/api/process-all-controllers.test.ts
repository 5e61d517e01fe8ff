import { Controller } from 'routecontrollers'
import { describeServings } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'

describeServings('RouteControllers.processAllControllers', ({ serve }) => {
  const answers = (path: string): Controller => new Controller('GET', path, () => path)

  it('takes in what has been added to the list since, and gives the instance back', async () => {
    const list = [answers('/a')]
    const { routeControllers, send } = await serve(list)
    list.push(answers('/b'))
    expect((await send('/b')).status).toBe(404)
    expect(routeControllers.processAllControllers()).toBe(routeControllers)
    expect(await send('/b')).toMatchObject({ status: 200, text: '/b' })
    expect(await send('/a')).toMatchObject({ status: 200, text: '/a' })
  })

  it('lets go of what has been taken from the list', async () => {
    const list = [answers('/a'), answers('/b')]
    const { routeControllers, send } = await serve(list)
    list.pop()
    routeControllers.processAllControllers()
    expect((await send('/b')).status).toBe(404)
    expect(routeControllers.checkRoute('GET:/b').exists).toBe(false)
  })

  it('changes nothing when nothing has changed', async () => {
    const { routeControllers, send } = await serve([answers('/a')])
    routeControllers.processAllControllers().processAllControllers()
    expect((await send('/a')).text).toBe('/a')
  })

  it('refuses a list that is wrong now, and goes on with the routes that it had', async () => {
    const list = [answers('/a')]
    const { routeControllers, send } = await serve(list)
    list.push(answers('/b'), answers('/a'))
    expect(() => routeControllers.processAllControllers()).toThrow(
      refusal('ERR_ROUTE_CONFLICT', "'GET /a' and 'GET /a'"),
    )
    list[2] = 'a path' as never
    expect(() => routeControllers.processAllControllers()).toThrow(refusal('ERR_CONTROLLER_INVALID', 'at 2'))
    expect((await send('/a')).text).toBe('/a')
    expect((await send('/b')).status).toBe(404)
  })

  it('goes on with the names that it had, too', async () => {
    const named = (path: string, name: string): Controller =>
      new Controller('GET', path, () => path, { name })
    const list = [named('/a', 'first')]
    const { routeControllers } = await serve(list)
    list.push(named('/b', 'second'), answers('/a'))
    expect(() => routeControllers.processAllControllers()).toThrow(refusal('ERR_ROUTE_CONFLICT'))
    expect(() => routeControllers.url('second')).toThrow(refusal('ERR_ROUTE_NAME'))
    expect(routeControllers.url('first')).toBe('/a')
    list.pop()
    expect(routeControllers.processAllControllers().url('second')).toBe('/b')
  })
})

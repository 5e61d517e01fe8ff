import type * as Package from 'routecontrollers'

type Module = typeof Package

/** The package as a process that has just begun sees it. */
function fresh(): Module {
  let module: Module | undefined
  jest.isolateModules(() => {
    module = require('routecontrollers') as Module // eslint-disable-line @typescript-eslint/no-require-imports
  })
  return module!
}

describe('RouteControllers.getInstance', () => {
  it('is one instance for the process', async () => {
    const { Controller, RouteControllers } = fresh()
    const list = [new Controller('GET', '/', () => 'x')]
    const instance = RouteControllers.getInstance(list)
    expect(instance).toBeInstanceOf(RouteControllers)
    expect(RouteControllers.getInstance()).toBe(instance)
    expect(RouteControllers.getInstance(list)).toBe(instance)
    expect(RouteControllers.getInstance([...list])).toBe(instance)
    expect(await (await instance.getCallback()(new Request('http://test/'))).text()).toBe('x')
  })

  it('takes options the first time', async () => {
    const { Controller, RouteControllers } = fresh()
    const logged: string[] = []
    const logger = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
    const list = [
      new Controller('GET', '/', () => {
        throw new Error('secret')
      }),
    ]
    await RouteControllers.getInstance(list, { logger }).getCallback()(new Request('http://test/'))
    expect(logged).toHaveLength(1)
  })

  it('refuses another list, and other options, later', () => {
    const { Controller, RouteControllers } = fresh()
    const make = (): Package.Controller => new Controller('GET', '/', () => 'x')
    const list = [make()]
    const instance = RouteControllers.getInstance(list)
    const already = expect.objectContaining({
      code: 'ERR_INSTANCE_EXISTS',
      message: expect.stringContaining('call it without arguments'),
    })
    expect(() => RouteControllers.getInstance([make()])).toThrow(already)
    expect(() => RouteControllers.getInstance([])).toThrow(already)
    expect(() => RouteControllers.getInstance([...list, make()])).toThrow(already)
    expect(() => RouteControllers.getInstance(list, { bodyLimit: 1 })).toThrow(already)
    expect(RouteControllers.getInstance()).toBe(instance)
  })

  it('needs a list the first time', () => {
    const { RouteControllers } = fresh()
    expect(() => RouteControllers.getInstance()).toThrow(
      expect.objectContaining({
        code: 'ERR_CONTROLLER_INVALID',
        message: expect.stringContaining('not undefined'),
      }),
    )
    expect(RouteControllers.getInstance([])).toBe(RouteControllers.getInstance())
  })

  it('is not made by a list that is refused', () => {
    const { Controller, RouteControllers } = fresh()
    expect(() => RouteControllers.getInstance('controllers' as never)).toThrow(
      expect.objectContaining({ code: 'ERR_CONTROLLER_INVALID' }),
    )
    const list = [new Controller('GET', '/', () => 'x')]
    expect(RouteControllers.getInstance(list).checkRoute('GET:/').exists).toBe(true)
  })

  it('has nothing to do with instances made with new', () => {
    const { RouteControllers } = fresh()
    const own = new RouteControllers([])
    expect(RouteControllers.getInstance([])).not.toBe(own)
  })
})

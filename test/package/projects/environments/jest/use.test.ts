import * as core from 'routecontrollers'
import * as express from 'routecontrollers/express'
import uses from '../uses.cjs'

it('works in memory, with hooks, Express handlers and compressed bodies', async () => {
  expect(await uses.inMemory(core, express)).toBe('used')
})

it('works on a server', async () => {
  expect(await uses.onServer(core)).toBe('used')
})

it('has errors that are told by their brand', () => {
  let thrown: unknown
  try {
    new core.Controller('GET', 'no-slash', () => null)
  } catch (error) {
    thrown = error
  }
  expect(core.isRouteControllersError(thrown)).toBe(true)
})

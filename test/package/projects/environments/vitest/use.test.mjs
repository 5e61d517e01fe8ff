import * as core from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { expect, it } from 'vitest'
import uses from '../uses.cjs'

it('works in memory, with hooks, Express handlers and compressed bodies', async () => {
  expect(await uses.inMemory(core, express)).toBe('used')
})

it('works on a server', async () => {
  expect(await uses.onServer(core)).toBe('used')
})

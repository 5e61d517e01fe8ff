const pkg = require('routecontrollers')
const express = require('routecontrollers/express')
const uses = require('../environments/uses.cjs')
const use = require('../use.cjs')

it('works under Jest', async () => {
  expect(await use(pkg)).toBe('used')
})

it('works under Jest with hooks, streams, compressed bodies and Express handlers', async () => {
  expect(await uses.inMemory(pkg, express)).toBe('used')
  expect(await uses.onServer(pkg)).toBe('used')
})

it('makes responses that Jest can look into', async () => {
  const { Controller, RouteControllers } = pkg
  const hello = new Controller('*', '*', (req, res) => res.text('Hello'))
  const answer = await new RouteControllers([hello]).getCallback()(new Request('http://localhost/'))
  expect(answer).toBeInstanceOf(Response)
  expect(await answer.text()).toBe('Hello')
})

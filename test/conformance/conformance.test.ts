// The promises of docs/behaviour.md, asked of this process. `npm run test:environments` asks each runtime.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import compression from 'compression'
import cookieParser from 'cookie-parser'
import cors from 'cors'
import express from 'express'
import session from 'express-session'
import helmet from 'helmet'
import * as core from 'routecontrollers'
import { fromApp, toControllers } from 'routecontrollers/express'
import type { AppName } from './promises.js'
import { differencesIn, unexplained } from './results.js'
import { apps } from './served/apps.cjs'
import { toRequest, writeResponse } from './served/web.cjs'

const open: (() => unknown)[] = []
afterAll(() => Promise.all(open.map((close) => close())))

async function portOf(listener: core.NodeHandler): Promise<number> {
  const server = createServer(listener).listen(0)
  open.push(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

const ways = {
  async Server(routeControllers: core.RouteControllers) {
    const server = await new core.Server().start({ port: 0, routeControllers })
    open.push(() => server.stop())
    return server.getPort()
  },
  async getCallback(routeControllers: core.RouteControllers) {
    const fetchHandler = routeControllers.getCallback()
    return portOf((req, res) => {
      const platform = core.platform({ ip: req.socket.remoteAddress! })
      void fetchHandler(toRequest(req, res), platform).then((response) => writeResponse(res, response))
    })
  },
}

it.each([
  ['Server', 'Server'],
  ['getCallback', 'fetch'],
] as const)('Each promise of the list holds by %s', async (way, kind) => {
  const ports: Partial<Record<AppName, number>> = {}
  for (const [name, create] of Object.entries(apps)) {
    ports[name as AppName] = await ways[way](
      create(core, { compression, cookieParser, cors, express, fromApp, helmet, session, toControllers }),
    )
  }
  expect(unexplained(`Node 20: ${way}`, await differencesIn(kind, { ports }))).toEqual([])
})

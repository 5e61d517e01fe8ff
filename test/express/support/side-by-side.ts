// An Express app on a plain server of Node beside the same app on `createServer`: the same bytes over a socket.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { createServer } from 'routecontrollers/express'
import { closeLater, createExpress, expresses } from '../../support/hosting.js'
import { openRaw } from '../../support/raw-socket.js'
import { testedExpress } from '../versions/tested.js'

/** Sends a request on a connection of its own. Gives all that came back, without the Date. */
export type Ask = (
  target?: string,
  headers?: Readonly<Record<string, string>>,
  method?: string,
) => Promise<string>

export interface Side {
  express: typeof express5
  version: 4 | 5
  /** True on `createServer`. */
  isOnClasses: boolean
  /** An app whose errors are told without a stack. */
  createApp: () => Express
  /** Serves an app on the server of this side. */
  serve: (app: Express) => Promise<Ask>
}

/** What each side is asked, and what came back: texts that are to be equal. */
export type Scenario = (side: Side) => Promise<unknown>

/** Those that are tested: by test/express/versions one of them. */
export const sides = expresses.filter(
  ([name]) => testedExpress === undefined || name === `Express ${testedExpress.major}`,
)

async function listen(server: http.Server): Promise<Ask> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return async (target = '/', headers = {}, method = 'GET') => {
    const client = await openRaw(port)
    const fields = Object.entries({ Host: 'test', Connection: 'close', ...headers })
    const lines = [`${method} ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
    client.write(`${lines.join('\r\n')}\r\n\r\n`)
    return (await client.untilClosed()).replace(/^Date: .*$/m, 'Date: (masked)')
  }
}

/** What a scenario gives on both sides. */
export async function onBothSides(
  express: typeof express5,
  scenario: Scenario,
): Promise<{ plain: unknown; onClasses: unknown }> {
  const run = (isOnClasses: boolean): Promise<unknown> =>
    scenario({
      express,
      version: express === (express4 as unknown) ? 4 : 5,
      isOnClasses,
      createApp: () => createExpress(express),
      serve: (app) => listen(isOnClasses ? createServer(app) : http.createServer(app)),
    })
  return { plain: await run(false), onClasses: await run(true) }
}

/** Asks both sides the same, for each scenario and each Express, and expects the same. */
export function describeSideBySide(topic: string, scenarios: Readonly<Record<string, Scenario>>): void {
  describe.each(sides)(`${topic}, with %s, on createServer as on a plain server`, (_name, express) => {
    it.each(Object.entries(scenarios))('%s', async (_title, scenario) => {
      const { plain, onClasses } = await onBothSides(express, scenario)
      expect(plain).toBeDefined()
      expect(onClasses).toEqual(plain)
    })
  })
}

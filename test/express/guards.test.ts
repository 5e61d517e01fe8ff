import { createServer } from 'node:http'
import fc from 'fast-check'
import { Controller, RouteControllers, toListener } from 'routecontrollers'
import { express4 } from './support/profiles.js'
import { express5, type ExpressPath, expressPath, fromExpress } from 'routecontrollers/express'
import { sendInMemory } from '../parity/exchange.js'
import { times } from '../support/counts.js'

const pieces = [
  '/',
  '//',
  'admin',
  'ADMIN',
  'Admin',
  '%61dmin',
  'admin%2F',
  'x',
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%2F',
  '%5C',
  '\\',
  '%',
  '%00',
  ';a=1',
  'admin;',
  '?',
  '?/admin',
  ' ',
]
const targets = fc
  .tuple(
    // Every other one begins as the routes do, so that many reach one.
    fc.constantFrom('', '', 'admin', 'Admin/'),
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }),
  )
  .map(([beginning, some]) => `/${beginning}${some.join('').replaceAll(' ', '')}`)

const paths: Record<4 | 5, readonly ExpressPath[]> = {
  4: ['/admin', '/admin/:id', '/admin/*', '/admin/x/', '/admin/:a?/:b?', '/admin(/x)?', '/AdMin/x'],
  5: ['/admin', '/admin/:id', '/admin/*rest', '/admin/x/', '/admin{/:a}{/:b}', '/admin/{*rest}', '/AdMin/x'],
}

describe.each([
  [4, express4],
  [5, express5],
] as const)('a guard at /admin under the profile of Express %d', (version, profile) => {
  it.each([false, true])('has run whenever a route below /admin is reached (strict: %p)', async (strict) => {
    let guarded = false
    let unguarded = 0
    let reached = 0
    const routes = paths[version].map(
      (path) =>
        new Controller(
          '*',
          expressPath(path),
          fromExpress((_req, res, next) => {
            reached++
            if (!guarded) unguarded++
            if (reached % 2 === 0) next()
            else res.end()
          }),
        ),
    )
    const routeControllers = new RouteControllers(routes, {
      profile: profile({ strict, settings: { env: 'test' } }),
    })
    routeControllers.addGlobal('/admin', (_req, _res, next) => {
      guarded = true
      next()
    })
    const server = createServer(toListener(routeControllers.getCallback()))
    await fc.assert(
      fc.asyncProperty(targets, async (target) => {
        guarded = false
        unguarded = 0
        await sendInMemory(
          server,
          Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
        )
        expect(unguarded).toBe(0)
      }),
      { numRuns: times(100, 400) },
    )
    // Or nothing would have been shown.
    expect(reached).toBeGreaterThan(20)
  })
})

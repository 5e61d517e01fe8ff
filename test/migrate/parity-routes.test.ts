// Which routes of two sides `parity` compares: no request is made, as it is ended before the first.
import type { ParityReport } from '../../packages/cli/src/documents/parity.js'
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import type { CommandContext } from '../../packages/cli/src/terminal/context.js'
import type { CommandOptions } from '../../packages/cli/src/entry/options.js'
import type { Side } from '../../packages/cli/src/entry/serve-side.js'
import { compareAnswers, type Started } from '../../packages/cli/src/parity/parity.js'
import { type Given, inventory, row } from './written-rows.js'

const appsOf = (routes: readonly RouteRow[]): number => Math.max(0, ...routes.map(({ app }) => app)) + 1
const side = (name: string, routes: readonly RouteRow[]): Side =>
  ({
    name,
    report: { inventory: inventory(routes, appsOf(routes)) },
    placeOf: () => ({ folder: '/' }),
  }) as unknown as Side

async function reportOf(
  legacy: readonly RouteRow[],
  now: readonly RouteRow[],
  base?: string,
): Promise<ParityReport> {
  const started: Started = {
    sides: [side('legacy', legacy), side('now', now)],
    ...{ again: undefined, lock: undefined, notes: [], startNow: () => Promise.reject(new Error()) },
  }
  const options = { cwd: '/', parity: { base, headers: [], unsafe: true } } as unknown as CommandOptions
  const context = { stderr: { isTTY: false } } as unknown as CommandContext
  const comparing = { signal: AbortSignal.abort(), ignored: [] }
  return (await compareAnswers(started, options, context, comparing)).report
}
const notesOf = async (...sides: Parameters<typeof reportOf>): Promise<readonly string[]> =>
  (await reportOf(...sides)).notes
const controller = (route: string, given: Given = {}): RouteRow =>
  row(route, [], { own: { by: 'Controller' }, answer: { by: 'Controller' }, ...given })

describe('Routes that Express has no more', () => {
  it('are left out, and three of them are named', async () => {
    const now = ['/a', '/b', '/c', '/d', '/e'].map((path) => controller(`GET ${path}`))
    expect(await notesOf([row('GET /a')], now)).toContain(
      '4 routes left out, which Express has no more: GET /b, GET /c, GET /d and 1 more. --base REVISION compares them with the code that had them.',
    )
    expect(await notesOf([row('GET /a')], now.slice(0, 4))).toContain(
      '3 routes left out, which Express has no more: GET /b, GET /c, GET /d. --base REVISION compares them with the code that had them.',
    )
    expect((await notesOf([row('GET /a')], now, 'HEAD')).join()).not.toContain('left out')
    await expect(notesOf([controller('GET /a')], now)).rejects.toThrow('Nothing is left to compare.')
  })

  it.each<[string, RouteRow]>([
    ['another name of its param', row('GET /users/:user')],
    ['one of all methods', row('* /users/:id')],
    [
      'a Controller that a list has taken over',
      controller('GET /users/:id', { answer: { takenOver: true } }),
    ],
    ['a native callback before its handler', row('GET /users/:id', [], { own: { stage: 'beside' } })],
  ])('are not those where legacy has %s', async (_what, legacy) => {
    const notes = await notesOf([row('GET /'), legacy], [controller('GET /'), controller('GET /users/:id')])
    expect(notes.join()).not.toContain('left out')
  })

  it.each<[string, RouteRow]>([
    ['a Controller', controller('GET /users/:id')],
    ['a native callback alone', row('GET /users/:id', [], { own: { stage: 'native' } })],
    ['another method', row('POST /users/:id')],
    ['another path', row('GET /users')],
  ])('are those where legacy has %s', async (_what, legacy) => {
    const notes = await notesOf([row('GET /'), legacy], [controller('GET /'), controller('GET /users/:id')])
    expect(notes.join()).toMatch(/^\d routes? left out, .*GET \/users\/:id/)
  })
})

it.each([undefined, 'HEAD'])(
  'Routes that one side alone has are compared with those of both: %s',
  async (base) => {
    const [both, old, added] = [row('GET /a'), row('GET /old'), row('GET /new')]
    const plannedOf = async (...sides: Parameters<typeof reportOf>): Promise<number> =>
      (await reportOf(...sides)).planned
    const one = await plannedOf([both], [both], base)
    expect(await plannedOf([both, old], [both], base)).toBe(2 * one)
    // Without a revision this is a route that Express does not have.
    expect(await plannedOf([both], [both, added], base)).toBe(base === undefined ? one : 2 * one)
    expect(await plannedOf([both, old], [both, old, both], base)).toBe(2 * one)
  },
)

it('Routes of apps that begin to listen in another order are compared once', async () => {
  const apps = (...paths: string[]): RouteRow[] => paths.map((path, app) => row(`GET ${path}`, [], { app }))
  const { planned } = await reportOf(apps('/a', '/b'), apps('/a', '/b'), 'HEAD')
  expect((await reportOf(apps('/b', '/a'), apps('/a', '/b'), 'HEAD')).planned).toBe(planned)
})

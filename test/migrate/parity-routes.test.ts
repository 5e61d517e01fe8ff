// Which routes of two sides `parity` compares: no request is made, as it is ended before the first.
import type { RouteRow } from '../../packages/cli/src/documents/inventory.js'
import type { CommandContext } from '../../packages/cli/src/terminal/context.js'
import type { CommandOptions } from '../../packages/cli/src/entry/options.js'
import type { Side } from '../../packages/cli/src/entry/serve-side.js'
import { compareAnswers, type Started } from '../../packages/cli/src/parity/parity.js'
import { type Given, inventory, row } from './written-rows.js'

const side = (name: string, routes: readonly RouteRow[]): Side =>
  ({ name, report: { inventory: inventory(routes) }, placeOf: () => ({ folder: '/' }) }) as unknown as Side

async function notesOf(
  legacy: readonly RouteRow[],
  now: readonly RouteRow[],
  base?: string,
): Promise<readonly string[]> {
  const started: Started = {
    sides: [side('legacy', legacy), side('now', now)],
    ...{ again: undefined, lock: undefined, notes: [], startNow: () => Promise.reject(new Error()) },
  }
  const options = { cwd: '/', parity: { base, headers: [], unsafe: true } } as unknown as CommandOptions
  const context = { stderr: { isTTY: false } } as unknown as CommandContext
  const comparing = { signal: AbortSignal.abort(), ignored: [] }
  return (await compareAnswers(started, options, context, comparing)).report.notes
}
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

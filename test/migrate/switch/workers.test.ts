import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller, RouteControllers } from 'routecontrollers'
import { fileStore, migration } from '@routecontrollers/switch'
import { compile } from '../../support/compile.js'
import { sendTo } from '../../support/describe-servings.js'
import { silent, until } from './shop.js'

const program = compile(join(__dirname, 'serve-switched-workers.ts'))
const workers = 4

interface Said {
  pid: number
  port?: number
  to?: string
  at?: number
  warned?: string
}

let child: ChildProcess
let said: Said[]
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switch-'))
})
afterEach(async () => {
  const gone = once(child, 'exit')
  child.send('stop')
  await gone
  rmSync(folder, { recursive: true, force: true })
})

async function serve(file: string): Promise<number> {
  said = []
  child = fork(program, [file], { cwd: join(__dirname, '../../..'), execArgv: [] })
  child.on('message', (one: Said) => said.push(one))
  await until(() => said.some(({ port }) => port !== undefined))
  return said.find(({ port }) => port !== undefined)!.port!
}

/** What so many requests are answered with, each on a connection of its own: by the side, the workers. */
async function sidesOf(port: number): Promise<Record<string, Set<string>>> {
  const sides: Record<string, Set<string>> = {}
  for (let at = 0; at < 8 * workers; at++) {
    const [side = '', pid = ''] = (await sendTo(port)('/who')).text.split(' ')
    ;(sides[side] ??= new Set()).add(pid)
  }
  return sides
}

describe('migration with workers', () => {
  it('has every worker follow a change that another process makes', async () => {
    const file = join(folder, 'states.json')
    const port = await serve(file)
    expect(Object.keys(await sidesOf(port))).toEqual(['legacy'])
    const elsewhere = migration({
      legacy: (_req, res) => void res.end(),
      routeControllers: new RouteControllers([new Controller('GET', '/who', () => '')]),
      store: fileStore({ file }),
      logger: silent,
    })
    for (const [round, state] of (['native', 'legacy', 'native'] as const).entries()) {
      const began = Date.now()
      await elsewhere.set('GET /who', state, { reason: 'a test' })
      await until(() => said.filter(({ to }) => to !== undefined).length === (round + 1) * workers)
      const told = said.filter(({ to }) => to !== undefined).slice(-workers)
      expect(new Set(told.map(({ pid, to }) => `${pid} ${to}`)).size).toBe(workers)
      expect(told.map(({ to }) => to)).toEqual(Array(workers).fill(state))
      // Within a second where the machine has time; the row `switch` of test:hard measures it.
      expect(Math.max(...told.map(({ at }) => at!)) - began).toBeLessThan(30_000)
      const sides = await sidesOf(port)
      expect(Object.keys(sides)).toEqual([state])
      expect(sides[state]!.size).toBe(workers)
    }
    await elsewhere.close()
  })

  it('warns each worker whose states are in its memory alone', async () => {
    const port = await serve('')
    // A worker that found its port taken has warned too, and another serves in its place.
    const serving = (await sidesOf(port)).legacy!
    expect(serving.size).toBe(workers)
    const warningOf = (of: string) =>
      said.find(({ pid, warned }) => String(pid) === of && warned !== undefined)
    await until(() => [...serving].every((pid) => warningOf(pid) !== undefined), 'a warning of each worker')
    for (const pid of serving) expect(warningOf(pid)!.warned).toContain('fileStore')
  })
})

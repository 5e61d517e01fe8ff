import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Controller, RouteControllers } from 'routecontrollers'
import { memoryStore, migration, type MigrationStore } from '@routecontrollers/switch'

const folder = join(__dirname, '../../examples/monitoring')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const promtool = (...given: string[]) => spawnSync('promtool', given, { cwd: folder, encoding: 'utf8' })
const isInstalled = promtool('--version').status === 0

/** A store that carries figures, so that all metrics are there. */
function carrying(): MigrationStore {
  const report: MigrationStore['report'] = () => ({
    lease: 'a#r#1',
    leader: 'a',
    isLeader: true,
    members: new Map(),
    counts: new Map(),
    askedAt: new Map(),
    since: 0,
    now: 0,
  })
  return { ...memoryStore(), report }
}

describe('examples/monitoring', () => {
  it('names no metric that there is not, in rules and dashboard, and all of them in its page', async () => {
    const switching = migration({
      legacy: (_req, res) => void res.end(),
      routeControllers: new RouteControllers([new Controller('GET', '/a', () => 'x')]),
      store: carrying(),
      logger: { info() {}, warn() {}, error() {} },
    })
    const there = new Set(
      [...(await switching.metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!),
    )
    await switching.close()
    const named = (text: string): string[] =>
      [...text.matchAll(/routecontrollers_migration_\w+/g)].map(([name]) =>
        name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'),
      )
    for (const file of ['alerts.yml', 'alerts.test.yml', 'grafana.json'])
      expect(named(read(file)).filter((name) => !there.has(name))).toEqual([])
    const page = read('README.md')
    expect(
      [...there].filter((name) => !page.includes(name.replace('routecontrollers_migration', ''))),
    ).toEqual([])
    expect(named(page).filter((name) => !there.has(name))).toEqual([])
  })

  it('has a dashboard whose panels have their own places', () => {
    interface Panel {
      readonly id: number
      readonly gridPos: { readonly x: number; readonly y: number }
    }
    const { panels } = JSON.parse(read('grafana.json')) as { panels: Panel[] }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length)
  })

  it('has rules that promtool finds right, where it is installed', () => {
    // `apt-get install prometheus`
    const [checked, tested] = [
      promtool('check', 'rules', 'alerts.yml'),
      promtool('test', 'rules', 'alerts.test.yml'),
    ]
    const expected = isInstalled ? 0 : null
    expect([checked.status, tested.status]).toEqual([expected, expected])
  })
})

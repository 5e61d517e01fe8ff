// Moves all routes of an app beside, and runs its own tests before, at `legacy` and at `native`.
import type { App } from './apps.js'
import { edit, noRoutes } from './edit.js'
import { type Result, runShell, runTests } from './own-tests.js'
import { plantFailures, wrapApps } from './states.js'
import type { WorkingCopy } from './working-copy.js'

/** A row of the table. */
export interface Moved {
  readonly routes: number
  readonly native: number
  readonly beside: number
  /** Why routes are left, with how many there are of each. */
  readonly left: ReadonlyMap<string, number>
  readonly lines: number
  readonly check: string
  readonly before: Result
  /** At `native`, with callbacks that fail: how much of its tests reaches one. */
  readonly failing: Result
  /** With the same callbacks. */
  readonly legacy: Result
  readonly after: Result
}

export async function moveAll(app: App, copy: WorkingCopy, tell: (line: string) => void): Promise<Moved> {
  const { folder, git, commit } = copy
  const test = async (when: string): Promise<Result> => {
    const result = await runTests(app.test, folder, app.testEnv)
    tell(`${when}: ${result.passed} pass, ${result.failed} fail`)
    if (result.passed === 0) tell(result.output.split('\n').slice(-30).join('\n'))
    return result
  }
  const build = async (): Promise<void> => {
    if (app.build !== undefined) await runShell(app.build, folder)
  }
  const before = await test('before')
  git('checkout', '-q', '.')
  const files = app.files === undefined ? [] : git('ls-files', app.files).trim().split('\n')
  const moved = await edit('move', app, folder, ['--as-is', '--write', ...files])
  const own = moved.rows.filter(({ left }) => left === undefined || !noRoutes.includes(left))
  const left = new Map<string, number>()
  for (const row of own) {
    if (row.left === undefined) continue
    left.set(row.left, (left.get(row.left) ?? 0) + 1)
    tell(`left: ${row.method} ${row.path} ${row.at ?? ''}: ${row.left}`)
  }
  tell(`${moved.check}: ${moved.told}`)
  const lines = git('diff', '--numstat')
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line.split('\t')[0] || 0) - Number(line.split('\t')[1] || 0), 0)
  commit('moved')
  const after = await test('native')
  git('checkout', '-q', '.')
  // Each test that reaches a native callback fails now.
  tell(`${plantFailures(copy)} files with native callbacks`)
  await build()
  const failing = await test('with failing callbacks, native')
  tell(`${wrapApps(copy)} files with apps`)
  await build()
  const legacy = await test('with failing callbacks, legacy')
  git('checkout', '-q', '.')
  const beside = own.filter((row) => row.left === undefined)
  return {
    routes: own.length,
    native: beside.filter(({ native }) => native === true).length,
    beside: beside.length,
    left,
    lines,
    check: moved.check,
    before,
    failing,
    legacy,
    after,
  }
}

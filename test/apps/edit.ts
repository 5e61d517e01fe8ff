// Runs a command that edits the routes of an app.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { App } from './apps.js'

const command = join(import.meta.dirname, '../../packages/cli/dist/cli.cjs')

interface Row {
  readonly method: string
  readonly path: string
  readonly at?: string
  readonly left?: string
  readonly native?: boolean
}

export interface Edited {
  readonly rows: readonly Row[]
  readonly check: string
  readonly told: string
}

/** Runs `move`, `retire` or `lift`. */
export async function edit(
  name: 'move' | 'retire' | 'lift',
  app: App,
  folder: string,
  options: readonly string[],
): Promise<Edited> {
  const parameters = [
    ...[command, name, ...options, '--json', '--force', '--entry', app.entry],
    ...(app.build === undefined ? [] : ['--run', app.build]),
    '--time-limit-ms',
    String(app.timeLimitMs ?? 120_000),
    ...(app.parameters === undefined ? [] : ['--', ...app.parameters]),
  ]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, parameters, { cwd: folder, maxBuffer: 2 ** 28 }, (_error, stdout, stderr) => {
      const told = stderr
        .split('\n')
        .filter((line) => line.startsWith('routecontrollers:'))
        .join('\n')
      if (stdout === '') return reject(new Error(stderr.slice(-4_000)))
      const { routes, check } = JSON.parse(stdout) as { routes: Row[]; check?: { ok: boolean } }
      resolve({
        rows: routes,
        check: check === undefined ? 'not compared' : check.ok ? 'clean' : 'findings',
        told,
      })
    })
  })
}

/** What is told about layers that are no routes with a handler. */
export const noRoutes: readonly string[] = ['a function of use is no route', 'a package registers it']

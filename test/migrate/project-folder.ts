// A folder with the files of a small app, in which the commands run.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CheckReport, Lock } from '@routecontrollers/cli'
import type { Command, Ran } from './run-command.js'

export class ProjectFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'project-'))
  readonly #command: Command

  constructor(command: Command) {
    this.#command = command
    symlinkSync(join(__dirname, '../../node_modules'), join(this.path, 'node_modules'))
  }

  write(name: string, text: string): void {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8')
  }

  get lock(): Lock {
    return JSON.parse(this.read('routes.lock.json')) as Lock
  }

  run(command: string, ...more: string[]): Promise<Ran> {
    return this.#command.run(command, ...more, '--cwd', this.path, '--settle-ms', '30')
  }

  /** Writes the lock, from one start unless `more` says otherwise. */
  async writeLock(entry: string, more: readonly string[] = ['--once']): Promise<Ran> {
    const ran = await this.run('inspect', entry, '--lock', 'routes.lock.json', ...more)
    if (ran.code !== 0) throw new Error(ran.stderr)
    return ran
  }

  /** What check finds: `GET /users lost auth`. */
  async findings(entry: string, ...more: string[]): Promise<string[]> {
    const { stdout, stderr, code } = await this.run('check', entry, '--json', ...more)
    if (code > 1) throw new Error(stderr)
    const { routes, ok } = JSON.parse(stdout) as CheckReport
    const found = routes.flatMap(({ app, method, path, changes }) =>
      changes.map(({ kind, what }) => `${app > 0 ? `${app} ` : ''}${method} ${path} ${kind} ${what}`),
    )
    if (ok !== (found.length === 0)) throw new Error('ok says something else than the findings')
    return found
  }

  accept(entry: string, route: string): Promise<string[]> {
    return this.findings(entry, '--accept', route, '--because', 'it is meant to be so')
  }

  remove(): void {
    rmSync(this.path, { recursive: true })
  }
}

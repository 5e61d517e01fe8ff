// A project of its own for the apps of `parity`: with Express, and with this package as it is.
import { bundled } from '../support/bundled.js'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apps } from './run-command.js'

const root = join(__dirname, '../..')

export interface ParityProject {
  readonly folder: string
  git: (...parameters: string[]) => string
  remove: () => void
}

export function createParityProject(): ParityProject {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'parity-project-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(modules, 'routecontrollers'), { recursive: true })
  symlinkSync(join(root, 'node_modules/express'), join(modules, 'express'), 'junction')
  symlinkSync(join(root, 'node_modules/@babel'), join(modules, '@babel'), 'junction')
  const core = bundled('index.js', { entryPoints: [join(root, 'src/index.ts')], external: ['express'] })
  cpSync(core, join(modules, 'routecontrollers/index.js'))
  cpSync(join(apps, 'parity'), folder, { recursive: true })
  writeFileSync(join(folder, 'data/users.txt'), 'Ada\n')
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...parameters], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  return { folder, git, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

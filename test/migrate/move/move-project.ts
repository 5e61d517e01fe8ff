// A project of its own for `move`: with Express, and with this package as it is, for `import` and `require` alike.
import { buildSync } from 'esbuild'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

export interface MoveProject {
  readonly folder: string
  git: (...parameters: string[]) => string
  remove: () => void
}

/** `packages` are those that the project has besides. */
export function createMoveProject(packages: readonly string[] = []): MoveProject {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'move-project-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'routecontrollers'), { recursive: true })
  for (const name of ['express', 'express4', '@babel', 'tsx', ...packages]) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  }
  const entry = "export * from './index.ts'\nexport * from './express/index.ts'\n"
  buildSync({
    stdin: { contents: entry, resolveDir: join(root, 'src'), loader: 'ts' },
    outfile: join(modules, 'routecontrollers/all.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['express'],
    logLevel: 'error',
  })
  const exports = { '.': './all.cjs', './express': './all.cjs' }
  writeFileSync(
    join(modules, 'routecontrollers/package.json'),
    JSON.stringify({ name: 'routecontrollers', exports }),
  )
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...parameters], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  return { folder, git, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) }
}

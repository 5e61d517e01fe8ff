// A project of its own for `move`: with Express, and with this package as it is, for `import` and `require` alike.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundled } from '../../support/bundled.js'

const root = join(__dirname, '../../..')

export const example = join(root, 'examples/express-app')

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
  // Of one name in both, `export *` exports neither.
  const entry = `
    export * from './index.ts'
    export * from './express/index.ts'
    export { serve } from './index.ts'
    export { serve as serveApp } from './express/index.ts'`
  const all = bundled('all.cjs', {
    stdin: { contents: entry, resolveDir: join(root, 'src'), loader: 'ts' },
    external: ['express'],
  })
  copyFileSync(all, join(modules, 'routecontrollers/all.cjs'))
  writeFileSync(
    join(modules, 'routecontrollers/express.cjs'),
    "const { serveApp: serve } = require('./all.cjs')\nmodule.exports = { ...require('./all.cjs'), serve }\n",
  )
  const exports = { '.': './all.cjs', './express': './express.cjs' }
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

/** The same with files of its own, which are committed. */
export function createCommittedProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[] = [],
): MoveProject {
  const project = createMoveProject(packages)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.folder, name)), { recursive: true })
    writeFileSync(join(project.folder, name), text)
  }
  project.git('init', '-q')
  project.git('add', '.')
  project.git('commit', '-qm', 'before')
  return project
}

/** A copy of the example in a project of its own, with the packages that it imports. Its entries start in half the time. */
export function createShopProject(packages: readonly string[] = []): MoveProject {
  const names = [example, join(example, 'routes')].flatMap((folder) =>
    readdirSync(folder).flatMap((file) =>
      file.endsWith('.ts')
        ? [...readFileSync(join(folder, file), 'utf8').matchAll(/from '([a-z][\w-]*)'/g)]
        : [],
    ),
  )
  const own = ['express', 'routecontrollers', 'tsx']
  const others = new Set(names.map(([, name]) => name!).filter((one) => !own.includes(one)))
  const project = createMoveProject([...others, ...packages])
  cpSync(example, project.folder, { recursive: true })
  writeFileSync(join(project.folder, 'package.json'), '{ "type": "module" }\n')
  return project
}

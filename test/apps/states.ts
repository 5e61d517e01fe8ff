// Gives each app of a project states: every `express()` of its source and its tests is wrapped, and a package beside it says how.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkingCopy } from './working-copy.js'

const created = /(?<![.\w])express\(\)/g
const loading = /^(?:import\b|(?:const|let|var)\b[^\n]*\brequire\()/m

/** Wraps each app of the project in a function of the package `its-states`; gives how many there are. */
export function wrapApps({ folder, git }: WorkingCopy): number {
  let count = 0
  for (const file of git('ls-files', '*.js', '*.ts', '*.cjs', '*.mjs').trim().split('\n')) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const { length } = text.match(created) ?? []
    if (!length || !loading.test(text)) continue
    count += length
    const isModule = /^(?:import|export)\b/m.test(text)
    const line = isModule
      ? "import itsStates from 'its-states'\n"
      : "const itsStates = require('its-states')\n"
    writeFileSync(
      path,
      text.replace(created, 'itsStates(express())').replace(loading, (found) => line + found),
    )
  }
  return count
}

/** Writes the package: a migration for each app, whose routes begin in a state. */
export function writeStates(modules: string, options: string): void {
  const folder = join(modules, 'its-states')
  mkdirSync(folder, { recursive: true })
  const body = `(app) => { migration({ app, ${options} }); return app }`
  writeFileSync(
    join(folder, 'index.mjs'),
    `import { migration } from '@routecontrollers/switch'\nexport default ${body}\n`,
  )
  writeFileSync(
    join(folder, 'index.cjs'),
    `const { migration } = require('@routecontrollers/switch')\nmodule.exports = ${body}\n`,
  )
  writeFileSync(
    join(folder, 'index.d.ts'),
    'declare const itsStates: <App>(app: App) => App\nexport default itsStates\n',
  )
  const exports = { types: './index.d.ts', import: './index.mjs', default: './index.cjs' }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'its-states', main: './index.cjs', exports: { '.': exports } }),
  )
}

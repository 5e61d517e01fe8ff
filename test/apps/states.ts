// Gives each app of a project the state `legacy`, with native callbacks that fail: a test that passes was answered by the old handlers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkingCopy } from './working-copy.js'

const created = /(?<![.\w])express\(\)/g
const entry = /(['"])routecontrollers\/express\1/g
const loading = /^(?:import\b|(?:const|let|var)\b[^\n]*\brequire\()/m

/** Has every native callback of the project fail; gives how many files have one. */
export function plantFailures({ folder, git }: WorkingCopy): number {
  writePlanted(join(folder, 'node_modules'))
  return rewrite(folder, git('ls-files'), entry, (text) => text.replace(entry, "'planted-natives'"))
}

/** Wraps each app of the project in a migration, whose states are `legacy`; gives how many files make one. */
export function wrapApps(copy: WorkingCopy): number {
  const body =
    "(app) => { migration({ app, initial: 'legacy', logger: { info() {}, warn() {}, error() {} } }); return app }"
  return wrapAppsIn(copy, { '@routecontrollers/switch': ['migration'] }, body)
}

/** Hands each app that a file of the project makes to a function of this text; gives how many files make one. */
export function wrapAppsIn(
  { folder, git }: WorkingCopy,
  imports: Readonly<Record<string, readonly string[]>>,
  body: string,
): number {
  const lines = Object.entries(imports).map(([from, names]) => ({ from, names: names.join(', ') }))
  const imported = lines.map(({ from, names }) => `import { ${names} } from '${from}'\n`).join('')
  const required = lines.map(({ from, names }) => `const { ${names} } = require('${from}')\n`).join('')
  writePackage(join(folder, 'node_modules'), 'migrated-app', {
    'index.mjs': `${imported}export default ${body}\n`,
    'index.cjs': `${required}module.exports = ${body}\n`,
    'index.d.ts': 'declare const migrated: <App>(app: App) => App\nexport default migrated\n',
  })
  return rewrite(folder, git('ls-files'), created, (text) => {
    const isModule = /^(?:import|export)\b/m.test(text)
    const line = isModule
      ? "import migrated from 'migrated-app'\n"
      : "const migrated = require('migrated-app')\n"
    return text.replace(created, 'migrated(express())').replace(loading, (found) => line + found)
  })
}

function rewrite(folder: string, files: string, wanted: RegExp, write: (text: string) => string): number {
  let count = 0
  for (const file of files.trim().split('\n')) {
    if (!/\.[cm]?[jt]s$/.test(file) || file.endsWith('.d.ts')) continue
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    if (text.match(wanted) === null || !loading.test(text)) continue
    writeFileSync(path, write(text))
    count++
  }
  return count
}

function writePlanted(modules: string): void {
  const native =
    "(callback, options) => made(() => { throw new Error('A native callback has run') }, options)"
  writePackage(modules, 'planted-natives', {
    'index.mjs': `export * from 'routecontrollers/express'
import { native as made } from 'routecontrollers/express'
export const native = ${native}
`,
    'index.cjs': `const own = require('routecontrollers/express')
const made = own.native
module.exports = { ...own, native: ${native} }
`,
    'index.d.ts': "export * from 'routecontrollers/express'\n",
  })
}

function writePackage(modules: string, name: string, files: Readonly<Record<string, string>>): void {
  const folder = join(modules, name)
  mkdirSync(folder, { recursive: true })
  const exports = { types: './index.d.ts', import: './index.mjs', default: './index.cjs' }
  const manifest = JSON.stringify({ name, main: './index.cjs', types: './index.d.ts', exports })
  for (const [file, text] of Object.entries({ ...files, 'package.json': manifest }))
    writeFileSync(join(folder, file), text)
}

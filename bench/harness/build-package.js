import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = join(import.meta.dirname, '../..')

/**
 * Builds the package as it is shipped into a folder of its own, so that nobody's dist is replaced: from the working
 * tree, or as it was at a `revision` of git. `entry` is the URL to import.
 */
export function buildPackage(revision) {
  const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-bench-'))
  const sources = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src']
  if (revision === undefined) {
    for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  } else {
    const there = execFileSync('git', ['ls-tree', '--name-only', revision], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n')
    const files = sources.filter((name) => there.includes(name))
    const archive = execFileSync('git', ['archive', revision, ...files], { cwd: root, maxBuffer: 2 ** 28 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, ['scripts/build.js', 'core'], { cwd: folder, stdio: 'inherit' })
  return {
    folder,
    entry: pathToFileURL(join(folder, 'dist/esm/index.js')).href,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = join(import.meta.dirname, '../..')

/**
 * Builds the package as it is shipped into a folder of its own, so that nobody's dist is replaced: from the working
 * tree, or as it was at a `revision` of git. `entry` is the URL to import.
 */
export function buildPackage(revision) {
  const above = mkdtempSync(join(tmpdir(), 'routecontrollers-bench-'))
  const built = join(above, 'built')
  mkdirSync(built)
  const sources = [
    ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.tools.json', 'scripts', 'src'],
    ...[
      'packages/compare',
      'packages/cli/package.json',
      'packages/switch/package.json',
      'packages/switch/src',
    ],
  ]
  if (revision === undefined) {
    for (const name of sources) cpSync(join(root, name), join(built, name), { recursive: true })
  } else {
    const there = execFileSync('git', ['ls-tree', '--name-only', revision], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n')
    const files = sources.filter((name) => there.includes(name))
    const archive = execFileSync('git', ['archive', revision, ...files], { cwd: root, maxBuffer: 2 ** 28 })
    execFileSync('tar', ['-x', '-C', built], { input: archive })
  }
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'))
  const packages = existsSync(join(built, 'packages/switch')) ? ['core', 'switch'] : ['core']
  if (packages.length > 1) {
    // It is to find this package, and not that of the working tree, which may not be built.
    mkdirSync(join(built, 'packages/node_modules'))
    symlinkSync('../..', join(built, 'packages/node_modules/routecontrollers'))
  }
  execFileSync(process.execPath, ['scripts/build.js', ...packages], { cwd: built, stdio: 'inherit' })
  // As it is installed: Deno reads `imports` of package.json in such a folder alone.
  const folder = join(above, 'node_modules/routecontrollers')
  mkdirSync(join(above, 'node_modules'))
  renameSync(built, folder)
  return {
    folder,
    entry: pathToFileURL(join(folder, 'dist/esm/index.js')).href,
    remove: () => rmSync(above, { recursive: true }),
  }
}

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildSync, stop } from 'esbuild'

const root = join(__dirname, '../..')

/**
 * Compiles a program of the repository, with the package, into one file that Node runs as it is; gives its path. Removes it
 * after the tests of the file. With tsx each process would compile all of it for itself.
 */
export function compile(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'program-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const outfile = join(folder, 'program.mjs')
  buildSync({
    entryPoints: [program],
    outfile,
    bundle: true,
    packages: 'external',
    define: { 'import.meta.dirname': JSON.stringify(dirname(program)) },
    alias: {
      'routecontrollers/openapi': join(root, 'src/openapi/index.ts'),
      'routecontrollers/express': join(root, 'src/express/index.ts'),
      'routecontrollers/express-model': join(root, 'src/express/express-model.ts'),
      'routecontrollers/introspection': join(root, 'src/introspection.ts'),
      '@routecontrollers/cli': join(root, 'packages/cli/src/index.ts'),
      '@routecontrollers/switch': join(root, 'packages/switch/src/index.ts'),
      routecontrollers: join(root, 'src/index.ts'),
    },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
  })
  // Its process would stay until Jest's own ends, one for each file of tests.
  void stop()
  return outfile
}

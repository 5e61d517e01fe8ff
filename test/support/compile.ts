import { dirname, join } from 'node:path'
import { bundled } from './bundled.js'

const root = join(__dirname, '../..')

/**
 * Compiles a program of the repository, with the package, into one file that Node runs as it is; gives its path. With tsx each process would compile all of it for itself.
 */
export function compile(program: string): string {
  return bundled('program.mjs', {
    entryPoints: [program],
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
    target: 'node20',
    sourcemap: 'inline',
  })
}

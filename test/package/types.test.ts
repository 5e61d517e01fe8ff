import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProject, execute, type Project, root } from './project.js'

const libraries = [
  'zod',
  'valibot',
  'arktype',
  'arkregex',
  '@ark/schema',
  '@ark/util',
  '@types/node',
  'undici-types',
]
const compilers = {
  '5.4': 'typescript5.4',
  '5.5': 'typescript5.5',
  '5.9': 'typescript5.9',
  '6': 'typescript',
  '7': 'typescript7',
}

const both = (name: string): string[] => [`${name}.mts`, `${name}.cts`]

let project: Project

beforeAll(() => {
  project = createProject(libraries)
  for (const [from, to] of [
    ['typed-routes.ts', 'typed-routes.mts'],
    ['openapi.ts', 'openapi.mts'],
    ['openapi.ts', 'openapi.cts'],
    ['shared-middleware.ts', 'shared-middleware.mts'],
    ['shared-middleware.ts', 'shared-middleware.cts'],
  ]) {
    copyFileSync(join(root, 'test/types', from!), join(project.directory, to!))
  }
})

describe.each(Object.entries(compilers))(
  'TypeScript %s compiles the types of the packed package',
  (_version, compiler) => {
    it.each([
      ['nodenext', 'nodenext', ['typed-routes.mts', ...both('shared-middleware'), ...both('openapi')]],
      ['node16', 'node16', ['typed-routes.mts']],
      ['bundler', 'esnext', ['typed-routes.mts']],
    ])('with moduleResolution %s', (moduleResolution, module, files) => {
      const compilerOptions = {
        noEmit: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: 'es2022',
        // zod asks for them.
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: ['node'],
        // Declarations are checked too: nobody has to set skipLibCheck.
        skipLibCheck: false,
        module,
        moduleResolution,
      }
      const config = join(project.directory, `tsconfig.${moduleResolution}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, files }))
      execute(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), '-p', config], {
        cwd: project.directory,
      })
    })
  },
)

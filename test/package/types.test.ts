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

let project: Project

beforeAll(() => {
  project = createProject(libraries)
  for (const [from, to] of [
    ['equal.ts', 'equal.ts'],
    ['typed-routes.ts', 'typed-routes.mts'],
    ['shared-middleware.ts', 'shared-middleware.mts'],
    ['shared-middleware.ts', 'shared-middleware.cts'],
  ]) {
    copyFileSync(join(root, 'test/types', from!), join(project.directory, to!))
  }
})

function compile(compiler: string, name: string, options: object, files: readonly string[]): void {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    types: ['node'],
    ...options,
  }
  const config = join(project.directory, `tsconfig.${name}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  execute(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), '-p', config], {
    cwd: project.directory,
  })
}

describe.each(Object.entries(compilers))('TypeScript %s compiles', (_version, compiler) => {
  // Declarations are checked too: nobody has to set skipLibCheck.
  it.each([
    ['nodenext', 'nodenext', ['shared-middleware.mts', 'shared-middleware.cts']],
    ['node16', 'node16', ['shared-middleware.mts', 'shared-middleware.cts']],
    ['bundler', 'esnext', ['shared-middleware.mts']],
  ])('the declarations of the packed package with moduleResolution %s', (moduleResolution, module, files) => {
    compile(compiler, moduleResolution, { module, moduleResolution, skipLibCheck: false }, files)
  })

  it('routes that are typed by schemas', () => {
    // Those of the schema libraries are not ours to check, and not all of them hold with the oldest of these compilers.
    const options = { module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'], skipLibCheck: true }
    compile(compiler, 'schemas', options, ['typed-routes.mts'])
  })
})

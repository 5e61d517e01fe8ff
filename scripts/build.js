// Builds dist/esm and dist/cjs. Declarations mirror src; code is joined into a few files, which a module loader reads in half
// the time (docs/decisions/010-code-in-few-files.md).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { rolldown } from 'rolldown'

const require = createRequire(import.meta.url)
const tsc = require.resolve('typescript/bin/tsc')
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync('dist', { recursive: true, force: true })
for (const config of ['tsconfig.esm.json', 'tsconfig.cjs.json']) {
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' })
}

const entries = {
  index: 'src/index.ts',
  'express/index': 'src/express/index.ts',
  // No entry of the package: a file of its own, so that `listen` can load it where nobody imports Server.
  server: 'src/server.ts',
}
const inputs = {
  esm: entries,
  // Tools for development are built once, as CommonJS: the command, what it preloads by `--require`, and `routecontrollers/migrate`.
  cjs: {
    ...entries,
    'migrate/index': 'src/migrate/index.ts',
    'migrate/cli': 'src/migrate/cli.ts',
    'migrate/preload': 'src/migrate/preload.ts',
  },
}
for (const [format, input] of Object.entries(inputs)) {
  const bundle = await rolldown({
    input,
    external: [/^node:/, ...Object.keys(dependencies)],
    // Nothing of Node at the top of a file, not even for what the bundler itself adds.
    platform: 'neutral',
    tsconfig: false,
  })
  const { output } = await bundle.write({
    dir: `dist/${format}`,
    format,
    // Older tools that read CommonJS, as Jest 26, know no module called `node:…`.
    ...(format === 'cjs' && { paths: (id) => id.replace(/^node:/, '') }),
    chunkFileNames: 'parts/[name].js',
    // Editors read the comments of the declarations, and people those of the sources.
    comments: { jsdoc: false },
  })
  await bundle.close()
  // The tools are a third of the code. The names of their functions, which stack traces show, are kept, and lines that can be
  // shown; the layout and the names of variables are not.
  for (const { moduleIds = [], fileName } of output) {
    if (moduleIds.length === 0 || !moduleIds.every((id) => /[\\/]src[\\/]migrate[\\/]/.test(id))) continue
    const file = `dist/${format}/${fileName}`
    const { code } = transformSync(readFileSync(file, 'utf8'), { minify: true, lineLimit: 160 })
    writeFileSync(file, code)
  }
}

// The package is "type": "module"; without this Node would read dist/cjs as ESM.
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

mkdirSync('dist/esm/migrate', { recursive: true })
writeFileSync(
  'dist/esm/migrate/index.js',
  `export { ${Object.keys(require('../dist/cjs/migrate/index.js')).join(', ')} } from '../../cjs/migrate/index.js'\n`,
)
writeFileSync('dist/esm/migrate/index.d.ts', "export * from '../../cjs/migrate/index.js'\n")

// The declarations that no entry leads to are of no use to anybody, and half of all.
for (const format of ['esm', 'cjs']) {
  const used = new Set()
  const use = (file) => {
    if (used.has(file)) return
    used.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)
    for (const [, path] of imports) use(resolve(file, '..', `${path}.d.ts`))
  }
  for (const entry of ['index', 'express/index', 'migrate/index'])
    use(resolve('dist', format, `${entry}.d.ts`))
  for (const file of readdirSync(`dist/${format}`, { recursive: true })) {
    const path = resolve('dist', format, file)
    if (path.endsWith('.d.ts') && !used.has(path)) rmSync(path)
  }
}

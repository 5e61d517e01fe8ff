// Builds dist/esm and dist/cjs. Code is joined into a few files, which a module loader reads in half the time (docs/decisions/010-code-in-few-files.md).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { transformSync } from 'esbuild'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const require = createRequire(import.meta.url)
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync('dist', { recursive: true, force: true })

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
  // Lines that can be shown and all names are kept; what code is laid out with is not, which is a tenth of the package. The tools, which
  // serve no request, keep the names of their functions and classes alone.
  for (const { moduleIds = [], fileName } of output) {
    if (moduleIds.length === 0) continue
    const isTool = moduleIds.every((id) => /[\\/]src[\\/](?:migrate|openapi)[\\/]/.test(id))
    const options = { minifyWhitespace: true, minifySyntax: true, minifyIdentifiers: isTool, lineLimit: 160 }
    const file = `dist/${format}/${fileName}`
    // Module by module, each below its name, by which frames of a stack are found again.
    const code = readFileSync(file, 'utf8').replace(
      /^(\/\/ src\/\S+\n)([^]*?)(?=^\/\/ src\/|^export \{|(?![^]))/gm,
      (_all, name, module) => name + transformSync(module, options).code,
    )
    writeFileSync(file, code)
  }
}

// Declarations of what the entries give away, and of nothing behind that. They read the same to both module systems.
const declarations = await rolldown({
  input: {
    index: 'src/index.ts',
    'express/index': 'src/express/index.ts',
    'migrate/index': 'src/migrate/index.ts',
  },
  external: [/^node:/, ...Object.keys(dependencies)],
  platform: 'neutral',
  plugins: [dts({ emitDtsOnly: true, tsconfig: 'tsconfig.build.json' })],
  checks: { bundlerTimings: false },
})
for (const format of Object.keys(inputs)) {
  await declarations.write({ dir: `dist/${format}`, format: 'esm', chunkFileNames: 'types/[name].js' })
}
await declarations.close()

// The package is "type": "module"; without this Node would read dist/cjs as ESM.
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

mkdirSync('dist/esm/migrate', { recursive: true })
writeFileSync(
  'dist/esm/migrate/index.js',
  `export { ${Object.keys(require('../dist/cjs/migrate/index.js')).join(', ')} } from '../../cjs/migrate/index.js'\n`,
)
writeFileSync('dist/esm/migrate/index.d.ts', "export * from '../../cjs/migrate/index.js'\n")

// Builds dist/esm and dist/cjs. Declarations mirror src; code is joined into a few files, which a module loader reads in half
// the time (docs/decisions/010-code-in-few-files.md).
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { rolldown } from 'rolldown'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync('dist', { recursive: true, force: true })
for (const config of ['tsconfig.esm.json', 'tsconfig.cjs.json']) {
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' })
}

const bundle = await rolldown({
  input: {
    index: 'src/index.ts',
    'express/index': 'src/express/index.ts',
    // No entry of the package: a file of its own, so that `listen` can load it where nobody imports Server.
    server: 'src/server.ts',
  },
  external: [/^node:/, ...Object.keys(dependencies)],
  platform: 'node',
  tsconfig: false,
})
for (const format of ['esm', 'cjs']) {
  await bundle.write({
    dir: `dist/${format}`,
    format,
    // Older tools that read CommonJS, as Jest 26, know no module called `node:…`.
    ...(format === 'cjs' && { paths: (id) => id.replace(/^node:/, '') }),
    chunkFileNames: 'parts/[name].js',
    sourcemap: true,
    // The package has src beside dist.
    sourcemapExcludeSources: true,
  })
}
await bundle.close()

// The package is "type": "module"; without this Node would read dist/cjs as ESM.
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

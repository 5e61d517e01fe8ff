// Builds dist/esm and dist/cjs with plain tsc, so that the output mirrors src file by file.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

rmSync('dist', { recursive: true, force: true })
for (const config of ['tsconfig.esm.json', 'tsconfig.cjs.json']) {
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' })
}
// The package is "type": "module"; without this Node would read dist/cjs as ESM.
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

// Builds dist/esm and dist/cjs. Code is joined into a few files, which a module loader reads in half the time (docs/decisions/010-code-in-few-files.md).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { transformSync } from 'esbuild'
import { rolldown } from 'rolldown'
import { minifySync, parseSync, Visitor } from 'rolldown/utils'
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
  // What no request waits for is built once, as CommonJS: the command, what it preloads by `--require`, `routecontrollers/migrate`
  // and `routecontrollers/openapi`.
  cjs: {
    ...entries,
    'migrate/index': 'src/migrate.ts',
    'migrate/cli': 'packages/cli/src/cli.ts',
    'migrate/preload': 'packages/cli/src/preload.ts',
    'openapi/index': 'src/openapi/index.ts',
  },
}
for (const [format, input] of Object.entries(inputs)) {
  const bundle = await rolldown({
    input,
    external: [/^node:/, ...Object.keys(dependencies)],
    // Nothing of Node at the top of a file, not even for what the bundler itself adds.
    platform: 'neutral',
    tsconfig: false,
    // CommonJS has no import.meta.
    ...(format === 'cjs' && { transform: { define: { 'import.meta.url': '__filename' } } }),
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
  // Lines that can be shown are kept, and all names that a stack trace shows. What code is laid out with, and the names of variables,
  // are not: they would be a fifth of the package.
  const layout = { minifyWhitespace: true, minifySyntax: true, lineLimit: 200 }
  for (const { moduleIds = [], fileName } of output) {
    if (moduleIds.length === 0) continue
    const file = `dist/${format}/${fileName}`
    // Module by module, each below its name, by which frames of a stack are found again.
    // esbuild would call the inner one of `var A = class A` A2, and so would errors and logs.
    const whole = readFileSync(file, 'utf8').replace(/^var (\w+) = class \1\b/gm, 'class $1')
    const code = whole.replace(
      /^(\/\/ (?:src|packages)\/\S+\n)([^]*?)(?=^\/\/ (?:src|packages)\/|^export \{|(?![^]))/gm,
      (_all, name, module) => name + transformSync(shortenNames(module), layout).code,
    )
    writeFileSync(file, code)
  }
}

// Declarations of what the entries give away, and of nothing behind that. There is one set of them: a class is the same type to both
// module systems, and those for ESM lead there.
const declared = { ...entries, 'migrate/index': 'src/migrate.ts', 'openapi/index': 'src/openapi/index.ts' }
const declarations = await rolldown({
  input: declared,
  external: [/^node:/, ...Object.keys(dependencies)],
  platform: 'neutral',
  plugins: [dts({ emitDtsOnly: true, tsconfig: 'tsconfig.build.json' })],
  checks: { bundlerTimings: false },
})
await declarations.write({ dir: 'dist/cjs', format: 'esm', chunkFileNames: 'types/[name].js' })
await declarations.close()
for (const entry of Object.keys(declared)) {
  const file = `dist/esm/${entry}.d.ts`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `export * from '${'../'.repeat(entry.split('/').length)}cjs/${entry}.js'\n`)
}

// The package is "type": "module"; without this Node would read dist/cjs as ESM.
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')

for (const name of ['migrate', 'openapi']) {
  const names = Object.keys(require(`../dist/cjs/${name}/index.js`)).join(', ')
  writeFileSync(`dist/esm/${name}/index.js`, `export { ${names} } from '../../cjs/${name}/index.js'\n`)
}

/** Gives variables short names; those of functions, classes and private members stay. */
function shortenNames(code) {
  const mangle = { toplevel: false, keepNames: true }
  const short = minifySync('module.js', code, {
    compress: false,
    mangle,
    codegen: { removeWhitespace: false },
  })
  if (short.errors.length > 0) throw new Error(short.errors[0].message)
  // No option keeps private names. They come in the same order, so they are put back.
  const names = privateNames(code)
  const places = privateNames(short.code)
  if (names.length !== places.length) throw new Error('Private names were added or left out')
  let text = ''
  let from = 0
  for (const [at, { start, end }] of places.entries()) {
    text += `${short.code.slice(from, start)}#${names[at].name}`
    from = end
  }
  return text + short.code.slice(from)
}

function privateNames(code) {
  const found = []
  const visitor = new Visitor({ PrivateIdentifier: (node) => void found.push(node) })
  visitor.visit(parseSync('module.js', code).program)
  return found.sort((one, other) => one.start - other.start)
}

// Builds packages into their `dist`: node scripts/build.js core cli switch. Code is joined into a few files, which a module loader reads in
// half the time (docs/decisions/010-code-in-few-files.md). Names and lines stay, and source maps lead to the sources.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const root = resolve(import.meta.dirname, '..')
process.chdir(root)

const coreEntries = {
  index: 'src/index.ts',
  'express/index': 'src/express/index.ts',
  'express-model': 'src/express/express-model.ts',
  introspection: 'src/introspection.ts',
  migrate: 'src/migrate.ts',
  'runtimes/bun': 'src/runtimes/bun.ts',
  'runtimes/deno': 'src/runtimes/deno.ts',
  'runtimes/lambda': 'src/runtimes/lambda.ts',
  'runtimes/workers': 'src/runtimes/workers.ts',
  // No entry of the package: a file of its own, so that `listen` can load it where nobody imports Server.
  server: 'src/server.ts',
}
// For ESM alone, which a bundler for Workers reads: what `imports` of package.json has for them in place of Server.
const forWorkers = { 'no-server': 'src/no-server.ts' }
/** Server by the name that `imports` decides about. */
const serverByName = {
  name: 'server-by-name',
  resolveId: (source, importer) =>
    importer !== undefined && resolve(dirname(importer), source) === resolve('src/server.js')
      ? { id: '#server', external: true }
      : null,
}
// What no request waits for is built once, as CommonJS; the file for ESM hands on its names.
const openapi = { 'openapi/index': 'src/openapi/index.ts' }

const builds = {
  async core() {
    rmSync('dist', { recursive: true, force: true })
    const shared = importedBy('src/index.ts')
    for (const entry of Object.values(coreEntries)) shared.delete(resolve(entry))
    await bundle('.', 'dist/esm', 'esm', { ...coreEntries, ...forWorkers }, '.js', shared, [serverByName])
    await bundle(
      '.',
      'dist/cjs',
      'cjs',
      { ...coreEntries, ...openapi, command: 'src/command.ts' },
      '.js',
      shared,
    )
    // The package is "type": "module"; without this Node would read dist/cjs as ESM.
    writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')
    await handOn('dist/cjs/openapi/index.js', 'dist/esm/openapi/index.js')
    const { server: _server, ...declared } = { ...coreEntries, ...openapi }
    // One set of them: a class is the same type to both module systems, and those for ESM lead to those for CommonJS.
    await declare('.', 'dist/cjs', declared)
    for (const entry of Object.keys(declared)) {
      const up = '../'.repeat(entry.split('/').length)
      writeFileSync(`dist/esm/${entry}.d.ts`, `export * from '${up}cjs/${entry}.js'\n`)
    }
  },
  cli: () => buildTool('packages/cli', { index: 'index.ts', cli: 'cli.ts', preload: 'preload.ts' }),
  switch: () =>
    buildTool('packages/switch', { index: 'index.ts' }, importedBy('packages/switch/src/index.ts')),
}

/**
 * A package for Node alone: CommonJS, as `--require` needs it, and a file for ESM that hands on its names.
 *
 * What is `shared` goes into a file beside the index: Node reads the whole text of a CommonJS file that ESM imports, to find its names.
 */
async function buildTool(folder, files, shared) {
  const dist = `${folder}/dist`
  rmSync(dist, { recursive: true, force: true })
  const entries = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, `${folder}/src/${file}`]),
  )
  for (const entry of Object.values(entries)) shared?.delete(resolve(entry))
  await bundle(folder, dist, 'cjs', entries, '.cjs', shared)
  await handOn(`${dist}/index.cjs`, `${dist}/index.js`)
  await declare(folder, dist, { index: entries.index })
  copyFileSync(`${dist}/index.d.ts`, `${dist}/index.d.cts`)
}

/** The files that are loaded with a file: not those that it loads later. */
function importedBy(file, found = new Set()) {
  found.add(resolve(file))
  const text = readFileSync(file, 'utf8')
  for (const [, source] of text.matchAll(
    /^(?:import(?! type)|export(?! type)|\}) [^;]*?from '(\.[^']+)'/gm,
  )) {
    const next = resolve(dirname(file), source).replace(/\.js$/, '.ts')
    if (!found.has(next)) importedBy(next, found)
  }
  return found
}

/** What a package takes from others when it runs; all else is built in. */
function externalOf(folder) {
  const { dependencies = {}, name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = [...Object.keys(dependencies), name].map((one) => new RegExp(`^${one}(?:/|$)`))
  return [/^node:/, ...names]
}

// A bundler leaves out a whole file that nobody uses, and keeps much of core.js for one name in it. Who asks of an error alone gets this file.
const errors = { name: 'errors', test: /[\\/]src[\\/]ground[\\/]error(?:s|-codes)\.ts$/, priority: 1 }

async function bundle(folder, dir, format, input, extension, shared, plugins = []) {
  const built = await rolldown({
    input,
    external: externalOf(folder),
    plugins,
    // Nothing of Node at the top of a file, not even for what the bundler itself adds.
    platform: 'neutral',
    tsconfig: false,
    // CommonJS has no import.meta.
    ...(format === 'cjs' && { transform: { define: { 'import.meta.url': '__filename' } } }),
  })
  const { output } = await built.write({
    dir,
    format,
    sourcemap: true,
    // Older tools that read CommonJS, as Jest 26, know no module called `node:…`.
    ...(format === 'cjs' && { paths: (id) => id.replace(/^node:/, '') }),
    entryFileNames: `[name]${extension}`,
    chunkFileNames: `parts/[name]${extension}`,
    // One file for what each import loads, whatever other entries share with it.
    ...(shared && { codeSplitting: { groups: [errors, { name: 'core', test: (id) => shared.has(id) }] } }),
    // Editors read the comments of the declarations, and people those of the sources.
    comments: { jsdoc: false },
  })
  await built.close()
  for (const { fileName } of output) {
    if (fileName.endsWith('.map')) pointAtSources(folder, join(dir, fileName))
  }
}

/** Sources that the package has are named by their place in it, and others are put into the map. */
function pointAtSources(folder, file) {
  const map = JSON.parse(readFileSync(file, 'utf8'))
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const isShipped = (source) => {
    const path = relative(folder, resolve(dirname(file), source))
    return files.some((one) => path.startsWith(`${one}/`))
  }
  map.sourcesContent = map.sources.map((source, at) => (isShipped(source) ? null : map.sourcesContent[at]))
  // They lie in no package: their names are those of the repository.
  map.sources = map.sources.map((source) =>
    isShipped(source) ? source : `routecontrollers:///${relative(root, resolve(dirname(file), source))}`,
  )
  if (map.sourcesContent.every((one) => one === null)) delete map.sourcesContent
  writeFileSync(file, JSON.stringify(map))
}

/** Declarations of what the entries give away, and of nothing behind that. */
async function declare(folder, dir, input) {
  const built = await rolldown({
    input,
    external: externalOf(folder),
    platform: 'neutral',
    plugins: [
      dts({ emitDtsOnly: true, tsconfig: folder === '.' ? 'tsconfig.build.json' : 'tsconfig.tools.json' }),
    ],
    checks: { bundlerTimings: false },
  })
  await built.write({ dir, format: 'esm', chunkFileNames: 'types/[name].js' })
  await built.close()
}

/** Writes a file of ESM that has the names of one of CommonJS. */
async function handOn(from, to) {
  const names = Object.keys((await import(join(root, from))).default).join(', ')
  const path = relative(dirname(to), from)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, `export { ${names} } from '${path.startsWith('.') ? path : `./${path}`}'\n`)
}

for (const name of process.argv.slice(2)) {
  if (!Object.hasOwn(builds, name)) throw new Error(`There is no package ${name}`)
  await builds[name]()
}

// `npm ci` makes the commands of a workspace executable once; a build makes their files anew.
for (const folder of ['.', 'packages/cli']) {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const file of Object.values(bin))
    if (existsSync(join(folder, file))) chmodSync(join(folder, file), 0o755)
}

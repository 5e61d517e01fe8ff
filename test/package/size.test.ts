import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { createProject, type Project } from './project.js'

let project: Project

beforeAll(() => {
  project = createProject()
})

/** What is imported only when it is first needed costs nothing until then. */
const withoutDynamicImports: Plugin = {
  name: 'without-dynamic-imports',
  setup(build) {
    build.onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** Bundles as an application's bundler would, for any runtime: Node's modules are left for the runtime to have. */
async function bundle(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: project.directory },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    plugins: [withoutDynamicImports],
    metafile: true,
    write: false,
  })
  const [output] = Object.values(metafile.outputs)
  return {
    bytes: gzipSync(outputFiles[0]!.contents, { level: 9 }).length,
    files: Object.keys(metafile.inputs),
    importedAtTheTop: output!.imports.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path),
  }
}

describe('The size of the package, minified and gzipped', () => {
  // What it is now, so that nobody makes it larger unawares. The aim is 8 192 and 12 288 bytes (bench/README.md); for
  // comparison: hono has 8.4 KB, h3 12.6, express 281.
  it.each([
    ['Controller, RouteControllers', 26_500],
    ['Controller, RouteControllers, Server', 28_200],
  ])('of { %s } is at most %d bytes', async (names, most) => {
    const { bytes } = await bundle(`export { ${names} } from 'routecontrollers'`)
    process.stdout.write(`{ ${names} }: ${bytes} of ${most} bytes\n`)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(most)
  })
})

it('The core has nothing of routecontrollers/express in it', async () => {
  const { files } = await bundle("export * from 'routecontrollers'")
  const parts = files.filter((file) => file.includes('/routecontrollers/dist/'))
  const sources = parts.flatMap((file) => sourcesOf(resolve(file)))
  expect(sources.filter((source) => source.endsWith('/routecontrollers/src/dispatch.ts'))).toHaveLength(1)
  expect(sources.filter((source) => !existsSync(source))).toEqual([])
  expect(
    [...sources, ...files].filter((file) => /\/express\/|path-to-regexp|finalhandler/.test(file)),
  ).toEqual([])
})

/** The files of src that a file of dist was made of. */
function sourcesOf(file: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }
  return sources.map((source) => join(dirname(file), source))
}

it('The package loads where there is no Node: nothing that it imports at its top is of Node', async () => {
  const { importedAtTheTop } = await bundle("export * from 'routecontrollers'")
  expect(importedAtTheTop).toEqual([])
})

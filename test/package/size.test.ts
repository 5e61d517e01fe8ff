import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runInNewContext } from 'node:vm'
import { build, type Format, type Plugin } from 'esbuild'
import { createProject, type Packed, type Project, root, tarballOf } from './project.js'

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

/** Bundles as an application's bundler would, for any runtime: nothing of Node is found. */
async function bundle(
  code: string,
  plugins = [withoutDynamicImports],
  format: Format = 'esm',
  conditions: string[] = [],
) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: project.directory },
    bundle: true,
    minify: true,
    format,
    globalName: 'bundled',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions,
    plugins,
    metafile: true,
    write: false,
  })
  const [output] = Object.values(metafile.outputs)
  return {
    code: outputFiles[0]!.text,
    bytes: gzipSync(outputFiles[0]!.contents, { level: 9 }).length,
    files: Object.keys(metafile.inputs),
    imports: output!.imports.map(({ path }) => path),
  }
}

describe('The size of the package, minified and gzipped', () => {
  // What it is now, so that nobody makes it larger unawares. The aim is 8 192 and 12 288 bytes (bench/README.md); for
  // comparison: hono has 8.4 KB, h3 12.6, express 281.
  it.each([
    ['Controller, RouteControllers', 45_500],
    ['Controller, RouteControllers, Server', 47_500],
    ['isRouteControllersError', 1_000],
  ])('of { %s } is at most %d bytes', async (names, most) => {
    const { bytes } = await bundle(`export { ${names} } from 'routecontrollers'`)
    process.stdout.write(`{ ${names} }: ${bytes} of ${most} bytes\n`)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(most)
  })

  // What wrangler makes: one file, in which code that is imported later counts too.
  it('of one file for Workers is at most 49 700 bytes, without the code of Server', async () => {
    const contents = "export { Controller, RouteControllers } from 'routecontrollers'"
    const { bytes, code } = await bundle(contents, [], 'esm', ['workerd', 'worker', 'browser'])
    process.stdout.write(`one file for Workers: ${bytes} of 49700 bytes\n`)
    expect(code).not.toContain('maxHeaderSize')
    expect(bytes).toBeLessThanOrEqual(49_700)
  })
})

it('In a bundle for Workers Server and listen say what serves there', async () => {
  const { code } = await bundle("export * from 'routecontrollers'", [], 'cjs', ['workerd'])
  writeFileSync(join(project.directory, 'for-workers.cjs'), code)
  const said = project.node(
    '--eval',
    `const { RouteControllers, serve, Server } = require('./for-workers.cjs')
    const routeControllers = new RouteControllers([])
    const show = ({ code, message }) => console.log(code, message)
    const server = new Server()
    server.start({ port: 0, routeControllers }).catch(show)
      .then(() => routeControllers.listen(0)).catch(show)
      .then(() => serve([], { port: 0 })).catch(show)
      .then(() => server.stop()).then(() => server.getURL()).catch(show)`,
  )
  const line =
    "ERR_RUNTIME_UNSUPPORTED Server does not listen in Workers: write export default toWorker(routeControllers), of 'routecontrollers/workers'"
  expect(said.trim().split('\n')).toEqual([line, line, line, line])
})

it('A server of node:http that was set listens in a bundle for Workers too', async () => {
  const { code } = await bundle("export * from 'routecontrollers'", [], 'cjs', ['workerd'])
  writeFileSync(join(project.directory, 'listens.cjs'), code)
  const said = project.node(
    '--eval',
    `const { Controller, RouteControllers } = require('./listens.cjs')
    const server = require('node:http').createServer()
    const routeControllers = new RouteControllers([new Controller('GET', '/', () => 'hello')])
    routeControllers.setServer(server).listen(0)
      .then(() => fetch('http://localhost:' + server.address().port))
      .then((answer) => answer.text())
      .then((text) => console.log(text))
      .then(() => server.close())`,
  )
  expect(said).toBe('hello\n')
})

it('The core has nothing of routecontrollers/express in it', async () => {
  const { files } = await bundle("export * from 'routecontrollers'")
  const parts = files.filter((file) => file.includes('/routecontrollers/dist/'))
  const sources = parts.flatMap((file) => sourcesOf(resolve(file)))
  expect(sources.filter((source) => source === 'src/run/dispatch.ts')).toHaveLength(1)
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  expect(
    [...sources, ...files].filter((file) => /\/express\/|path-to-regexp|finalhandler/.test(file)),
  ).toEqual([])
})

/** The files of src that a file of dist was made of: each has its name above it. */
function sourcesOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').matchAll(/^\/\/(?:#region)? (src\/\S+\.ts)$/gm)
  return [...lines].map(([, source]) => source!)
}

it('The package loads where there is no Node, in one file too: nothing in it imports a module of Node', async () => {
  const { imports } = await bundle("export * from 'routecontrollers'", [])
  expect(imports).toEqual([])
})

it('The package loads and answers where there are the globals of the web alone', async () => {
  const { code } = await bundle("export * from 'routecontrollers'", [withoutDynamicImports], 'iife')
  const web = { Request, Response, Headers, URL, URLSearchParams, ReadableStream, TextEncoder, TextDecoder }
  const timers = { AbortController, setTimeout, clearTimeout, queueMicrotask, console }
  const answer = await (runInNewContext(
    `${code}
    const { Controller, RouteControllers } = bundled
    const echo = new Controller('POST', '/echo/:id', (req, res) => res.json({ id: req.params.id, body: req.body }))
    const fetchHandler = new RouteControllers([echo]).getCallback()
    const headers = { 'Content-Type': 'application/json' }
    fetchHandler(new Request('http://x/echo/7', { method: 'POST', headers, body: '{"tea":1}' })).then((r) => r.text())`,
    { ...web, ...timers },
  ) as Promise<string>)
  expect(JSON.parse(answer)).toEqual({ id: '7', body: { tea: 1 } })
})

describe('What is installed', () => {
  const installed = () => join(project.directory, 'node_modules/routecontrollers')
  const filesOf = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))

  // What it is now, so that nobody makes it larger unawares. Names and lines stay as they are written: stacks are read.
  it.each<[Packed, number]>([
    ['core', 780_000],
    ['cli', 825_000],
    ['switch', 345_000],
  ])('of %s is at most %d bytes, packed', (packed, most) => {
    const bytes = statSync(tarballOf(packed)).size
    process.stdout.write(`${packed}: ${bytes} of ${most} bytes, packed\n`)
    expect(bytes).toBeLessThanOrEqual(most)
  })

  it('of core depends on three packages', () => {
    const modules = readdirSync(join(project.directory, 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    )
    expect(modules).toEqual(['cookie', 'fast-content-type-parse', 'routecontrollers', 'secure-json-parse'])
  })

  it('has no pages but the README', () => {
    const pages = filesOf(installed()).filter((file) => file.endsWith('.md'))
    expect(pages.map((page) => relative(installed(), page))).toEqual(['README.md'])
  })
})

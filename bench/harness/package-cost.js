import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './build-package.js'
import { measuredProcessor, pin } from './machine.js'
import { summarise } from './statistics.js'

/** Milliseconds of `import`, each in a fresh process, all packages in turn. */
export function measureImports(entry, { node, imports }) {
  const packages = [
    { name: 'routecontrollers', specifier: entry },
    ...['fastify', '@hono/node-server', 'h3', 'koa', 'express', 'express4'].map((name) => ({
      name,
      specifier: name,
    })),
  ].map((item) => ({ ...item, times: [] }))
  for (let round = 0; round < imports; round++) {
    for (const { specifier, times } of packages) {
      const specifiers = specifier === '@hono/node-server' ? [specifier, 'hono'] : [specifier]
      const code = `const start = performance.now()
        ${specifiers.map((each) => `await import(${JSON.stringify(each)})`).join('\n')}
        console.log(performance.now() - start)`
      const [command, args] = pin(measuredProcessor, node, ['--input-type=module', '--eval', code])
      times.push(Number(execFileSync(command, args, { cwd: root, encoding: 'utf8' })))
    }
  }
  return packages.map(({ name, times }) => ({ name, milliseconds: summarise(times) }))
}

/** Bytes of what an application's bundler makes of these exports, minified and gzipped; the same as test/package. */
export async function measureSizes(entry) {
  const sizes = []
  for (const names of ['Controller, RouteControllers', 'Controller, RouteControllers, Server']) {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { ${names} } from ${JSON.stringify(new URL(entry).pathname)}`,
        resolveDir: root,
      },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      external: ['node:*'],
      plugins: [withoutDynamicImports],
      write: false,
    })
    sizes.push({ names, bytes: gzipSync(outputFiles[0].contents, { level: 9 }).length })
  }
  return sizes
}

/** What is imported only when it is first needed costs nothing until then. */
const withoutDynamicImports = {
  name: 'without-dynamic-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** The versions of the packages that stand beside ours. */
export function listVersions() {
  const names = ['fastify', 'hono', '@hono/node-server', 'h3', 'koa', '@koa/router', 'express', 'express4']
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]))
}

// Runs the tests of other projects with this package in the place of Express: `npm run test:upstream -- FOLDER…`. A folder is a checkout
// with its dependencies installed, whose tests run by Mocha: Express itself, or a library above it. Nothing is fetched. For Express the
// counts are compared with those of docs/reliability.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSync } from 'esbuild'
import { readTable } from '../support/doc-table.js'
import { servers, type Way, ways } from './ways.js'

/** What `reporter.cjs` writes. */
interface Report {
  readonly passes: number
  readonly failures: readonly { readonly title: string; readonly message: string }[]
}

const root = join(import.meta.dirname, '../..')
const { folders, chosen } = readOptions()

function readOptions(): { folders: readonly string[]; chosen: readonly Way[] } {
  const { values, positionals } = parseArgs({ options: { way: { type: 'string' } }, allowPositionals: true })
  if (positionals.length === 0)
    stop('npm run test:upstream -- FOLDER… takes checkouts of Express, or of libraries above it')
  const missing = positionals.find((folder) => !existsSync(join(folder, 'node_modules/mocha')))
  if (missing !== undefined)
    stop(`${missing} has no Mocha: run npm install there, and name checkouts whose tests run by it`)
  const names = [...Object.keys(ways), ...Object.keys(servers)] as Way[]
  const found = names.filter((name) => name.includes(values.way ?? ''))
  if (found.length === 0) stop(`There is no way '${values.way}': --way takes a part of ${names.join(', ')}`)
  return { folders: positionals.map((folder) => resolve(folder)), chosen: found }
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

/** The preload as one file, beside packages of this repository. */
function buildPreload(folder: string): string {
  const outfile = join(folder, 'preload.cjs')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  buildSync({
    entryPoints: [join(import.meta.dirname, 'preload.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    alias: {
      'routecontrollers/express': join(root, 'src/express/index.ts'),
      routecontrollers: join(root, 'src/index.ts'),
    },
    define: { 'import.meta.url': '__filename' },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
  })
  return outfile
}

/** What Mocha is given by the `test` script of a package, without its reporter, and without ending at the first failure. */
function mochaOptions(folder: string): readonly string[] {
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>
  }
  const [, options] = /\bmocha\b([^&|;]*)/.exec(scripts['test'] ?? '') ?? []
  if (options === undefined) stop(`${folder}: the script "test" of its package.json does not run mocha`)
  return options
    .replace(/--reporter\s+\S+|--bail/g, '')
    .split(/\s+/)
    .filter(Boolean)
}

async function run(folder: string, way: Way, preload: string, output: string): Promise<Report> {
  const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules/mocha/package.json'), 'utf8')) as {
    bin: { mocha: string }
  }
  const parameters = [
    join(folder, 'node_modules/mocha', bin.mocha),
    ...['--require', preload, ...mochaOptions(folder)],
    ...['--reporter', join(import.meta.dirname, 'reporter.cjs'), '--exit'],
  ]
  const env = { ...process.env, UPSTREAM_WAY: way, UPSTREAM_REPORT: output }
  rmSync(output, { force: true })
  await once(spawn(process.execPath, parameters, { cwd: folder, env, stdio: 'ignore' }), 'exit')
  if (!existsSync(output))
    stop(`${folder}: mocha has not come to its end. It is run as: node ${parameters.join(' ')}`)
  return JSON.parse(readFileSync(output, 'utf8')) as Report
}

/** How many tests of a version of Express pass in a way, as the page says. */
function documented(folder: string, way: Way): number | undefined {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
  }
  if (name !== 'express') return undefined
  const row = readTable(join(root, 'docs/reliability.md'), 'way').find(([label]) => label === way)
  const cell = row?.[version.startsWith('5.') ? 1 : 2]
  return cell === undefined ? undefined : Number(cell.replaceAll(' ', ''))
}

const temporary = mkdtempSync(join(tmpdir(), 'upstream-'))
try {
  const preload = buildPreload(temporary)
  for (const folder of folders) {
    let whole: number | undefined
    for (const way of chosen) {
      const { passes, failures } = await run(folder, way, preload, join(temporary, 'report.json'))
      whole ??= passes
      const wanted = documented(folder, way) ?? whole
      const verdict = passes >= wanted ? 'ok' : `${wanted - passes} fewer than ${wanted}`
      console.log(`${folder}, ${way}: ${passes} pass, ${failures.length} fail: ${verdict}`)
      if (passes >= wanted) continue
      process.exitCode = 1
      for (const { title, message } of failures) console.log(`  ${title}: ${message.split('\n', 1)[0]}`)
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

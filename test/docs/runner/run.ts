import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { fixtures, root, type Program } from '../../support/doc-blocks.js'
import { assertComments } from './assert-comments.js'
import { exchangePorts, findFreePorts, type Ports } from './ports.js'

/** A program that can be run: `node file`, with free ports in place of those that its text names. */
export interface Runnable {
  file: string
  ports: Ports
}

/** Builds all programs at once, outside the checkout. `remove` deletes what was built. */
export async function buildPrograms(
  programs: Program[],
): Promise<{ runnables: Map<Program, Runnable>; remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'doc-blocks-'))
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))

  const runnables = new Map<Program, Runnable>()
  for (const program of programs) {
    const text = [program.source, ...program.shell.map((block) => block.code)].join('\n')
    runnables.set(program, {
      file: join(directory, `${program.module}.mjs`),
      ports: await findFreePorts(text),
    })
  }
  if (programs.length > 0) {
    await build({
      entryPoints: programs.map((program) => ({ in: `doc:${program.module}`, out: program.module })),
      plugins: [documentation(runnables)],
      outdir: directory,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      // One copy of the package, whoever imports it.
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'linked',
      banner: {
        js: "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url)",
      },
      logLevel: 'error',
    })
  }
  return { runnables, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** Resolves what a block imports: the package is src, its neighbours are the fixtures, all else is installed. */
function documentation(runnables: Map<Program, Runnable>): Plugin {
  const modules = new Map([...runnables].map(([program, { ports }]) => [program.module, { program, ports }]))
  return {
    name: 'documentation',
    setup(build) {
      build.onResolve({ filter: /^doc:/ }, ({ path }) => ({
        path: path.slice('doc:'.length),
        namespace: 'doc',
      }))
      build.onResolve({ filter: /^routecontrollers$/ }, () => ({ path: join(root, 'src/index.ts') }))
      build.onResolve({ filter: /^routecontrollers\/express$/ }, () => ({
        path: join(root, 'src/express/index.ts'),
      }))
      build.onResolve({ filter: /^routecontrollers\/migrate$/ }, () => ({
        path: join(root, 'src/migrate/index.ts'),
      }))
      build.onResolve({ filter: /^routecontrollers\/openapi$/ }, () => ({
        path: join(root, 'src/openapi/index.ts'),
      }))
      build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
        kind === 'entry-point' || path.startsWith(root) ? undefined : { path, external: true },
      )
      build.onLoad({ filter: /.*/, namespace: 'doc' }, ({ path }) => {
        const { program, ports } = modules.get(path)!
        const source = assertComments(exchangePorts(program.source, ports), program.file)
        const assertions = join(root, 'test/docs/runner/assertions.ts')
        return {
          // At the end, where it moves no line; imports are hoisted.
          contents: path.endsWith('.cjs')
            ? `const $docs = require(${JSON.stringify(assertions)}); ${source}`
            : `${source}\nimport * as $docs from ${JSON.stringify(assertions)}`,
          loader: path.endsWith('.ts') ? 'ts' : 'js',
          resolveDir: fixtures,
        }
      })
    },
  }
}

// Runs the program, says so when its last line is done, and stays: its servers may be asked something now.
const main = `
  process.on('disconnect', () => process.exit())
  await import(process.argv[1])
  setImmediate(() => process.send('done'))
`

/**
 * Runs a program in a process of its own. When its last line is done `whileRunning` is called, and then the process is ended
 * with all that it has open. Rejects with what the program says when it fails, and when it takes too long.
 */
export async function run(runnable: Runnable, options: RunOptions = {}): Promise<void> {
  // Each process would read the source maps, for nothing but the places of an error. One that fails tells them when it runs again.
  await runOnce([], runnable, options).catch(async (error: unknown) => {
    await runOnce(['--enable-source-maps'], runnable, options)
    throw error
  })
}

interface RunOptions {
  timeout?: number
  whileRunning?: () => Promise<void>
}

async function runOnce(
  flags: string[],
  { file }: Runnable,
  { timeout = 10_000, whileRunning = async () => {} }: RunOptions,
): Promise<void> {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', main, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += String(text)))
  let timer: NodeJS.Timeout | undefined

  const ended = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(said || `The block ended its process with code ${code}`)))
    timer = setTimeout(() => reject(new Error(`The block took more than ${timeout} ms\n${said}`)), timeout)
  })
  const done = new Promise((resolve) => child.once('message', resolve))
  try {
    await Promise.race([done.then(whileRunning), ended])
  } finally {
    clearTimeout(timer)
    ended.catch(() => {})
    child.kill('SIGKILL')
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
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
      entryPoints: [
        ...programs.map((program) => ({ in: `doc:${program.module}`, out: program.module })),
        // In a file of its own, as it is installed: where something is registered is told from the files that are not its own.
        { in: join(root, 'packages/cli/src/index.ts'), out: 'cli' },
      ],
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
      build.onResolve({ filter: /^routecontrollers\/(?:introspection|migrate)$/ }, ({ path }) => ({
        path: join(root, `src/${path.split('/')[1]}.ts`),
      }))
      build.onResolve({ filter: /^routecontrollers\/express-model$/ }, () => ({
        path: join(root, 'src/express/express-model.ts'),
      }))
      build.onResolve({ filter: /^@routecontrollers\/(?:cli|switch)$/ }, ({ path }) => ({
        path: join(root, `packages/${path.split('/')[1]}/src/index.ts`),
      }))
      build.onResolve({ filter: /^routecontrollers\/(?:bun|deno|lambda|workers)$/ }, ({ path }) => ({
        path: join(root, `src/runtimes/${path.split('/')[1]}.ts`),
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

// Runs each program that it is told of, says so when its last line is done, and stays: its servers may be asked something now.
// A worker of a cluster is started with what its program was, and runs that.
const main = `
  const run = async (file) => {
    process.argv[1] = file
    await import(file)
    setImmediate(() => process.send({ done: file }))
  }
  process.on('disconnect', () => process.exit())
  if (process.argv[1] === undefined) process.on('message', run)
  else await run(process.argv[1])
`

interface RunOptions {
  timeout?: number
  whileRunning?: () => Promise<void>
}

/**
 * Runs programs in one process, one after the other. Each of them leaves open what it has opened.
 *
 * One that fails among the others runs again in a process of its own, which says whether it is wrong.
 */
export class Runner {
  #shared: Process | undefined

  /** When the last line is done `whileRunning` is called. Rejects with what the program says when it fails, and when it takes too long. */
  async run(runnable: Runnable, options: RunOptions = {}): Promise<void> {
    this.#shared ??= new Process()
    try {
      await this.#shared.run(runnable, options)
    } catch {
      this.stop()
      await runAlone(runnable, options)
    }
  }

  stop(): void {
    this.#shared?.stop()
    this.#shared = undefined
  }
}

/** Runs a program in a process of its own, and ends that with all that it has open. Rejects as `Runner` does. */
export async function runAlone(runnable: Runnable, options: RunOptions = {}): Promise<void> {
  // Each process would read the source maps, for nothing but the places of an error. One that fails tells them when it runs again.
  await runOnce([], runnable, options).catch(async (error: unknown) => {
    await runOnce(['--enable-source-maps'], runnable, options)
    throw error
  })
}

async function runOnce(flags: string[], runnable: Runnable, options: RunOptions): Promise<void> {
  const process = new Process(flags)
  await process.run(runnable, options).finally(() => process.stop())
}

/** A process that runs what it is told to. */
class Process {
  readonly #child: ChildProcess
  readonly #ended: Promise<never>
  #said = ''

  constructor(flags: string[] = []) {
    this.#child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', main], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (text) => (this.#said += String(text)))
    }
    this.#ended = new Promise<never>((_resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('close', (code) =>
        reject(new Error(this.#said || `The block ended its process with code ${code}`)),
      )
    })
    this.#ended.catch(() => {})
  }

  async run(
    { file }: Runnable,
    { timeout = 120_000, whileRunning = async () => {} }: RunOptions,
  ): Promise<void> {
    this.#said = ''
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The block took more than ${timeout} ms\n${this.#said}`)),
        timeout,
      )
    })
    // A program may send messages of its own, as one that tells PM2 that it is ready.
    let hear = (_message: unknown): void => {}
    const done = new Promise<void>((resolve) => {
      hear = (message) => {
        if ((message as { done?: unknown } | null)?.done === file) resolve()
      }
      this.#child.on('message', hear)
    })
    this.#child.send(file, () => {})
    try {
      await Promise.race([done.then(whileRunning), this.#ended, late])
    } finally {
      clearTimeout(timer)
      this.#child.off('message', hear)
    }
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}

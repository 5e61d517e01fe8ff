import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { AppName } from './promises.js'

/** What a runtime serves: the port of each app. */
export interface Started {
  version: string
  ports: Partial<Record<AppName, number>>
  stop(): Promise<void>
}

/** A runtime and a way of serving in it. */
export interface Runtime {
  name: string
  /** Which promises are made there: all, those without a socket, or those of any server of node:http. */
  kind: 'Server' | 'node:http' | 'fetch'
  /** Starts it in a project that has the package, its environments and `served` in the folder `conformance`. */
  start(this: void, project: string): Promise<Started>
}

const nodes = [20, 22, 24, 26].flatMap((version) => [
  program(`Node ${version}`, 'Server', 'Server', `node${version}/bin/node`),
  program(`Node ${version}`, 'http.createServer', 'node:http', `node${version}/bin/node`),
  program(`Node ${version}`, 'getCallback', 'fetch', `node${version}/bin/node`),
])
const denoFlags = ['run', '--quiet', '--allow-all']

export const runtimes: readonly Runtime[] = [
  ...nodes,
  program('Bun', 'Server', 'fetch', '.bin/bun'),
  program('Bun', 'Server, node:http', 'Server', '.bin/bun'),
  program('Bun', 'Bun.serve', 'fetch', '.bin/bun'),
  program('Deno', 'Server', 'fetch', '.bin/deno', denoFlags),
  program('Deno', 'Server, node:http', 'Server', '.bin/deno', denoFlags),
  program('Deno', 'Deno.serve', 'fetch', '.bin/deno', denoFlags),
  worker('workerd', 'worker.mjs', 'fetch', []),
  worker('workerd, nodejs_compat', 'worker.mjs', 'fetch', ['nodejs_compat']),
  worker('workerd, node:http', 'worker-node.mjs', 'node:http', ['nodejs_compat']),
  program('AWS Lambda', 'Lambda 2.0', 'fetch', 'node24/bin/node'),
  program('AWS Lambda', 'Lambda 1.0', 'fetch', 'node24/bin/node'),
  program('AWS Lambda', 'Lambda, streams', 'fetch', 'node24/bin/node'),
  program('Node 24', 'serverless-http', 'fetch', 'node24/bin/node'),
  program('Node 24', '@hono/node-server', 'fetch', 'node24/bin/node'),
]

/** A program of served/serve.mjs, in one of its ways. */
function program(
  runtime: string,
  way: string,
  kind: Runtime['kind'],
  command: string,
  flags: readonly string[] = [],
): Runtime {
  return {
    name: `${runtime}: ${way}`,
    kind,
    async start(project) {
      const child = spawn(
        join(project, 'node_modules', command),
        [...flags, join(project, 'conformance/serve.mjs'), way],
        { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] },
      )
      const [line] = await linesOf(child, 1)
      return { ...(JSON.parse(line!) as Omit<Started, 'stop'>), stop: () => ended(child) }
    },
  }
}

/** What CommonJS in the bundle requires of Node: the module itself, and not its namespace. */
const requireOfWorkers =
  'import { createRequire } from "node:module"; const own = createRequire("/"); const require = (name) => own(name).default ?? own(name)'

/** A Worker of served, bundled; an app is a service of its own, with a port of its own. */
function worker(name: string, file: string, kind: Runtime['kind'], flags: readonly string[]): Runtime {
  const isCompatible = flags.length > 0
  // The others need modules of Node when they are made.
  const apps: AppName[] = ['plain', 'limited', 'strict', 'hooked']
  if (isCompatible) apps.push('proxied', 'connect', 'express')
  return {
    name,
    kind,
    async start(project) {
      const bin = join(project, 'node_modules/.bin')
      const out = join(project, 'out', `${name.replace(/\W+/g, '-')}.mjs`)
      execFileSync(join(bin, 'esbuild'), [
        join(project, 'conformance', file),
        '--bundle',
        `--platform=${isCompatible ? 'node' : 'neutral'}`,
        `--main-fields=${isCompatible ? 'browser,' : ''}module,main`,
        '--conditions=workerd,worker',
        '--format=esm',
        '--external:cloudflare:*',
        `--alias:connect-packages=${join(project, 'conformance', isCompatible ? 'packages.mjs' : 'no-packages.mjs')}`,
        ...(isCompatible ? [`--banner:js=${requireOfWorkers}`] : []),
        '--log-level=error',
        `--outfile=${out}`,
      ])
      const config = out.replace(/mjs$/, 'capnp')
      writeFileSync(config, configOf(out, apps, flags))
      const child = spawn(join(bin, 'workerd'), ['serve', config, '--control-fd=3'], {
        stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
      })
      const events = (await linesOf(child, apps.length, 3)).map(
        (line) => JSON.parse(line) as { socket: AppName; port: number },
      )
      const version = execFileSync(join(bin, 'workerd'), ['--version'], { encoding: 'utf8' })
      return {
        version: version.replace('workerd', '').trim(),
        ports: Object.fromEntries(events.map(({ socket, port }) => [socket, port])),
        stop: () => ended(child),
      }
    },
  }
}

function configOf(script: string, apps: readonly AppName[], flags: readonly string[]): string {
  const list = (make: (app: AppName) => string): string => apps.map(make).join(',\n    ')
  // Without the flag the signal of a request never aborts.
  const quoted = [...flags, 'enable_request_signal'].map((flag) => `"${flag}"`).join(', ')
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${list((app) => `(name = "${app}", worker = .${app})`)}
  ],
  sockets = [
    ${list((app) => `(name = "${app}", address = "127.0.0.1:0", http = (), service = "${app}")`)}
  ],
);
${apps
  .map(
    (app) => `const ${app} :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "${script.split('/').at(-1)}")],
  bindings = [(name = "APP", text = "${app}")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = [${quoted}],
);`,
  )
  .join('\n')}
`
}

/** The first lines that a process writes; rejects where it ends before. */
function linesOf(child: ChildProcess, count: number, stream = 1): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    createInterface(child.stdio[stream] as NodeJS.ReadableStream as never).on('line', (line: string) => {
      if (line.includes('"listen-inspector"')) return
      if (lines.push(line) === count) resolve(lines)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`It has ended with ${code} before it served`)))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

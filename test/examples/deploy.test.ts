import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { join } from 'node:path'
import { compile } from '../support/compile.js'
import { sendTo } from '../support/describe-servings.js'
import { freePort } from '../support/free-port.js'

const root = join(__dirname, '../..')
const directory = join(root, 'examples/deploy')
const program = compile(join(directory, 'main.ts'))
const read = (name: string): string => readFileSync(join(directory, name), 'utf8')
const manifest = read('kubernetes.yaml')
const service = read('app.service')
const pm2 = (
  createRequire(__filename)(join(directory, 'ecosystem.config.cjs')) as {
    apps: [{ script: string; env: Record<string, string>; kill_timeout: number; exec_mode: string }]
  }
).apps[0]

const number = (text: string, pattern: RegExp): number => Number(pattern.exec(text)![1]!.replace(/_/g, ''))
const graceMs = number(read('main.ts'), /graceMs: ([\d_]+)/)

let child: ChildProcess
let socket: NetServer | undefined
afterEach(() => {
  child?.kill('SIGKILL')
  socket?.close()
})

/** Starts the program of the page; the first of `descriptors` is its descriptor 3. */
function start(env: Record<string, string>, ...descriptors: number[]): void {
  child = spawn(process.execPath, [program], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', ...(descriptors.length > 0 ? descriptors : (['ipc'] as const))],
  })
}

/** A socket that listens on a free port of this machine. */
async function listen(): Promise<number> {
  socket = createServer()
  await once(socket.listen(0, '127.0.0.1'), 'listening')
  return (socket.address() as AddressInfo).port
}

it('docs/deployment.md shows the files as they are', () => {
  const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8')
  expect(readdirSync(directory).filter((name) => !page.includes(`\n${read(name)}\`\`\`\n`))).toEqual([])
})

describe('examples/deploy gives a server the time that it takes to stop:', () => {
  it('kubernetes.yaml', () => {
    const lameDuckMs = number(manifest, /LAME_DUCK_MS, value: '(\d+)'/)
    const given = number(manifest, /terminationGracePeriodSeconds: (\d+)/) * 1000
    expect(given).toBeGreaterThan(lameDuckMs + graceMs)
    // A probe has to fail before the lame-duck delay is over.
    expect(number(manifest, /periodSeconds: (\d+)/) * 1000).toBeLessThan(lameDuckMs)
  })

  it('app.service, and ecosystem.config.cjs', () => {
    expect(number(service, /TimeoutStopSec=(\d+)/) * 1000).toBeGreaterThan(graceMs)
    expect(pm2.kill_timeout).toBeGreaterThan(graceMs + 5_000)
    expect(pm2.exec_mode).toBe('fork')
  })
})

describe('The program of examples/deploy', () => {
  it('answers the probes of kubernetes.yaml on its port, and ends by SIGTERM', async () => {
    const port = await freePort()
    start({ PORT: String(port) })
    expect(await once(child, 'message')).toEqual(['ready', undefined])
    const probes = [...manifest.matchAll(/httpGet: \{ path: (\S+),/g)].map(([, path]) => path!)
    const answers = await Promise.all(probes.map(async (path) => (await sendTo(port)(path)).text))
    expect(answers).toEqual(['ready', 'alive'])
    expect(manifest).toContain("{ name: PORT, value: '3000' }")
    expect(manifest).toContain('containerPort: 3000')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('serves with workers as in ecosystem.config.cjs, and ends by the SIGINT of PM2', async () => {
    const port = await freePort()
    start({ ...pm2.env, PORT: String(port) })
    expect(await once(child, 'message')).toEqual(['ready', undefined])
    expect((await sendTo(port)('/hello')).text).toBe('hello')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.each([{}, { WORKERS: '2' }])(
    'takes the socket of systemd, and those who have connected before it did: %p',
    async (env) => {
      const port = await listen()
      const { _handle: handle } = socket as unknown as { _handle: { fd: number } }
      start({ ...env, LISTEN_FDS: '1' }, handle.fd)
      // The program has it now, and does not run yet.
      socket!.close()
      expect((await sendTo(port)('/hello')).text).toBe('hello')
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )
})

// Three replicas of a shop with one Redis, a proxy before them, and load: npm run example:fleet
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'example-fleet-'))
const children: ChildProcess[] = []

interface Address {
  readonly port: number
  readonly page: number
  readonly pid: number | undefined
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Where the states are: undefined without Redis. */
async function startRedis(): Promise<string | undefined> {
  if (process.env['REDIS_URL'] !== undefined) return process.env['REDIS_URL']
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined
  const port = await freePort()
  children.push(
    spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder], {
      stdio: 'ignore',
    }),
  )
  for (let isUp = false; !isUp; await sleep(50))
    isUp = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.unref()
    })
  return `redis://127.0.0.1:${port}`
}

async function startReplica(name: string, redisUrl: string | undefined): Promise<Address> {
  const child = fork(fileURLToPath(new URL('./replica.ts', import.meta.url)), {
    env: {
      ...process.env,
      REPLICA: name,
      STATES_FILE: join(folder, 'states.json'),
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    },
  })
  children.push(child)
  const [address] = (await once(child, 'message')) as [Omit<Address, 'pid'>]
  return { ...address, pid: child.pid }
}

const redisUrl = await startRedis()
if (redisUrl === undefined) {
  console.log(
    'There is no redis-server, so the states are in a file, and each replica decides by its own figures. Install redis-server (apt-get install redis-server), or set REDIS_URL.',
  )
}
const replicas = await Promise.all(['shop-1', 'shop-2', 'shop-3'].map((name) => startReplica(name, redisUrl)))

/** Leads each request to the next replica, and says who asks. */
let next = 0
const proxy = createServer((req, res) => {
  const { port } = replicas[next++ % replicas.length]!
  const headers = { ...req.headers, 'x-forwarded-for': req.headers['x-client'] ?? '127.0.0.1' }
  const onward = request(
    { port, host: '127.0.0.1', path: req.url, method: req.method, headers },
    (answer) => {
      res.writeHead(answer.statusCode!, answer.rawHeaders)
      answer.pipe(res)
    },
  )
  onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
  req.pipe(onward)
}).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
await once(proxy, 'listening')
const { port } = proxy.address() as AddressInfo

/** Two hundred clients, some of whom ask each tenth of a second. */
const load = setInterval(() => {
  for (let at = 0; at < 3; at++) {
    const client = `203.0.113.${Math.floor(Math.random() * 200)}`
    const path = `/products/${1 + Math.floor(Math.random() * 3)}`
    request({ port, host: '127.0.0.1', path, headers: { 'x-client': client } }, (answer) => answer.resume())
      .on('error', () => {})
      .end()
  }
}, 100)

const page = `http://127.0.0.1:${replicas[0]!.page}/`
console.log(`The shop is on http://127.0.0.1:${port}, the page of its migration on ${page}

  Set GET /products/:id to canary 5%: a plan leads it to 100% in about two minutes.
  The replicas are the processes ${replicas.map(({ pid }) => pid).join(', ')}: kill -9 one of them${redisUrl === undefined ? '' : ', or stop Redis'}, and see what the page says.
  Ctrl+C ends all of it.
`)
if (process.stdout.isTTY) {
  const open = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  spawn(open, [page], { stdio: 'ignore' }).on('error', () => {})
}

async function stop(): Promise<void> {
  clearInterval(load)
  proxy.close()
  proxy.closeAllConnections()
  for (const child of children) child.kill()
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  await Promise.all(running.map((child) => once(child, 'exit')))
  rmSync(folder, { recursive: true, force: true })
}
// A terminal and npm may both send a signal: a second one must not end the process before it has removed its folder.
let stopping: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (stopping ??= stop()))

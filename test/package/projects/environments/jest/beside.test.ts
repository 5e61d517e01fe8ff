import { request } from 'http'
import { Controller, RouteControllers } from 'routecontrollers'
import { native } from 'routecontrollers/express'
import { migration } from '@routecontrollers/switch'

// Jest 26 knows no 'node:zlib', which Express 5 asks for.
const isOld = require(require.resolve('jest/package.json', { paths: [process.cwd()] })).version.startsWith(
  '26.',
)
const express = require(require.resolve('express', { paths: [isOld ? '../express4' : __dirname] }))

const send = (port: number, method: string, path: string, body?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asking = request({ port, path, method }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => (text += part))
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`))
    })
    asking.on('error', reject)
    asking.end(body)
  })

it('switches a native callback in a route of Express', async () => {
  const app = express()
  app.get(
    '/teas/:id',
    native((req, res) => res.json({ native: req.params.id })),
    (req: any, res: any) => res.json({ legacy: req.params.id }),
  )
  const logger = { info() {}, warn() {}, error() {} }
  const switching = migration({ app, initial: 'shadow', logger })
  await switching.ready
  const server = app.listen(0)
  const { port } = server.address() as any
  try {
    expect(await send(port, 'GET', '/teas/7')).toBe('200 {"legacy":"7"}')
    for (const state of ['legacy', 'native'] as const) {
      await switching.set('GET /teas/:id', state, { reason: 'a test', by: 'test' })
      expect(await send(port, 'GET', '/teas/7')).toBe(`200 {"${state}":"7"}`)
    }
  } finally {
    await switching.close()
    server.close()
  }
})

it('watches a hook that does not answer at once', async () => {
  const routeControllers = new RouteControllers([])
  routeControllers.addGlobal((_req: any, res: any) => void setTimeout(() => res.end('late'), 10))
  const server: any = await routeControllers.listen(0)
  try {
    expect(await send(Number(new URL(server.getURL()).port), 'GET', '/teas')).toBe('200 late')
  } finally {
    await server.stop()
  }
})

it('reads what is left of a body that it has refused', async () => {
  const tea = new Controller('POST', '/teas', async (req, res) => res.json(await req.json()), {
    bodyLimit: 10,
  })
  const server: any = await new RouteControllers([tea]).listen(0)
  try {
    const body = `"${'x'.repeat(100_000)}"`
    expect(await send(Number(new URL(server.getURL()).port), 'POST', '/teas', body)).toMatch(/^413 /)
  } finally {
    await server.stop()
  }
})

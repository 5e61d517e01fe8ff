import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { Server as NodeServer } from 'node:http'
import express from 'express'
import helmet from 'helmet'
import { Controller, RouteControllers } from '../../src/index.js'
import { fromExpress } from '../../src/express/index.js'
import { root } from '../support/doc-blocks.js'
import { nativeRequire } from '../support/native-require.js'

const page = readFileSync(join(root, 'docs/compare.md'), 'utf8')

describe('docs/compare.md', () => {
  const versions = [...page.matchAll(/^\| (@?[\w/-]+) +\| (\d+\.\d+\.\d+) +\|$/gm)].map(
    ([, name, version]) => [name!, version!] as const,
  )

  it('lists versions', () => expect(versions).toHaveLength(8))

  it.each(versions.filter(([name]) => name !== 'universal-middleware'))(
    'is about the %s that is installed',
    (name, version) => {
      const file = join(root, 'node_modules', name, 'package.json')
      expect((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version).toBe(version)
    },
  )

  it('is right that h3 takes handlers of Node', () => {
    const h3 = nativeRequire('h3') as typeof import('h3')
    expect([typeof h3.fromNodeHandler, typeof h3.toNodeHandler]).toEqual(['function', 'function'])
  })

  it('is right about handlers of Express, Connect middleware, and routes inside an app', async () => {
    const handler: express.RequestHandler = (req, res) => void res.json({ id: req.params['id'] })
    const routeControllers = new RouteControllers([new Controller('GET', '/new/:id', fromExpress(handler))])
    routeControllers.addGlobal(helmet())
    const app = express().use(routeControllers.middleware()).get('/old/:id', handler)
    const server: NodeServer = app.listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const [ours, theirs] = await Promise.all(
      ['new', 'old'].map((path) => fetch(`http://localhost:${port}/${path}/7`)),
    )
    expect([await ours!.text(), await theirs!.text()]).toEqual(['{"id":"7"}', '{"id":"7"}'])
    expect(ours!.headers.get('x-content-type-options')).toBe('nosniff')
    expect(theirs!.headers.get('x-content-type-options')).toBeNull()
    server.close()
  })
})

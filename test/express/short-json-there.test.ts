// Which apps get the short res.json: those whose functions are all of a known release of Express.
import { dirname, join } from 'node:path'
import type { Express } from 'express'
import express4 from 'express4'
import { createServer } from 'routecontrollers/express'
import { sides } from './support/side-by-side.js'

describe.each(sides)('The short res.json with %s', (_name, express) => {
  async function isShort(prepare: (app: Express) => void = () => {}): Promise<boolean> {
    const app = express().set('env', 'test')
    prepare(app)
    const server = createServer(app)
    const { json } = app.response
    await new Promise((resolve) => server.close(resolve))
    return json !== express.response.json
  }

  it('is there while all that it stands for is of Express', async () => {
    expect(await isShort()).toBe(true)
    expect(await isShort((app) => app.set('json spaces', 2))).toBe(true)
  })

  it.each(['json', 'send', 'set', 'get'])('is not there where %s is not of Express', async (name) => {
    const { response } = express as any
    const original = response[name]
    response[name] = function (this: any, ...parameters: unknown[]): unknown {
      return original.apply(this, parameters)
    }
    const isThere = await isShort()
    response[name] = original
    expect([isThere, await isShort()]).toEqual([false, true])
  })

  it('is not there where the default of the setting etag is another function of Express', async () => {
    const folder = dirname(require.resolve(express === (express4 as unknown) ? 'express4' : 'express'))
    const utils = jest.requireActual<Record<string, unknown>>(join(folder, 'lib/utils.js'))
    const { wetag } = utils
    utils['wetag'] = utils['etag']
    const isThere = await isShort()
    utils['wetag'] = wetag
    expect(isThere).toBe(false)
  })

  it('sends a text of ASCII with its head', async () => {
    const app = express()
    const chunks: unknown[] = []
    app.get('/', (_req, res) => {
      const write = res.socket!.write.bind(res.socket) as (...parameters: unknown[]) => boolean
      res.socket!.write = (...parameters: unknown[]) => {
        if (parameters[0] !== '') chunks.push(parameters[0])
        return write(...parameters)
      }
      res.json({ a: 1 })
    })
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, resolve))
    await fetch(`http://localhost:${(server.address() as { port: number }).port}/`)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(chunks).toEqual([expect.stringMatching(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n\{"a":1\}$/)])
  })
})

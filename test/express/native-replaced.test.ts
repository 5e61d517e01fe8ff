// Answers of native callbacks where a program has put functions of its own in the place of those that Express answers by.
import express5 from 'express'
import express4 from 'express4'
import { native } from 'routecontrollers/express'
import { closeHosted, createExpress } from '../support/hosting.js'
import { appServings, byExpress, type Send } from './support/app-servings.js'

afterEach(closeHosted)

type Replaced = (res: any) => void

/** Puts a function around one of the response. */
const around =
  (name: string, call: (res: any, original: any, parameters: any[]) => unknown): Replaced =>
  (res) => {
    const original = res[name].bind(res)
    res[name] = (...parameters: any[]) => call(res, original, parameters)
  }

const asIs: Replaced = () => {}

/** What a middleware before the route has done to the response. */
const replaced: Readonly<Record<string, Replaced>> = {
  nothing: asIs,
  send: around('send', (_res, send, [body]) => send(String(body).toUpperCase())),
  set: around('set', (_res, set, [name, value]) => set(name, name === 'Content-Type' ? 'text/x-own' : value)),
  get: around('get', (_res, get, [name]) => (name === 'Content-Type' ? 'text/x-own' : get(name))),
  status: around('status', (res, status, [code]) => {
    res.setHeader('X-Status', String(code))
    return status(code)
  }),
  setHeader: around('setHeader', (_res, setHeader, [name, value]) =>
    setHeader(name, name === 'ETag' ? '"own"' : value),
  ),
  end: around('end', (_res, end, parameters) => end(...parameters)),
  'the status 204': (res) => void res.status(204),
  'the status 503': (res) => void res.status(503),
  'a type': (res) => void res.type('text/x-own'),
  'a tag': (res) => void res.set('ETag', '"own"'),
}

const fresh = { 'If-None-Match': '*' }

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_name, express) => {
  it.each(Object.entries(appServings))(
    'answers a handler and a native callback alike, whatever was replaced on the response, %s',
    async (_serving, serveApp) => {
      const create = (): any => {
        const app = createExpress(express)
        for (const [at, replace] of Object.values(replaced).entries()) {
          const before = (_req: unknown, res: any, next: () => void): void => {
            replace(res)
            next()
          }
          app.get(`/handler/${at}`, before, (_req: any, res: any) => res.json({ tea: 'é' }))
          app.get(`/native/${at}`, before, native(() => ({ tea: 'é' })) as never)
        }
        return app
      }
      const [plain, send] = [await byExpress(create()), await serveApp(create())]
      for (const [at, name] of Object.keys(replaced).entries()) {
        for (const headers of [{}, fresh]) {
          const asked = [
            plain(`/handler/${at}`, { headers }),
            send(`/handler/${at}`, { headers }),
            send(`/native/${at}`, { headers }),
          ]
          const [expected, ...answers] = (await Promise.all(asked)).map(({ status, headers: sent, text }) => [
            name,
            status,
            { ...sent, date: '' },
            text,
          ])
          expect(answers).toEqual([expected, expected])
        }
      }
    },
  )

  it.each([
    ['weak', undefined],
    ['strong', undefined],
    [false, undefined],
    [(body: unknown) => `"${typeof body}"`, undefined],
    ['weak', 'another json'],
  ])('answers by the setting etag %p, and a json of the app: %p', async (etag, json) => {
    const app = createExpress(express).set('etag', etag)
    const original = app.response.json
    if (json !== undefined) {
      app.response.json = function (this: any, value: object) {
        return original.call(this, { ...value, json })
      } as never
    }
    app.get('/handler', (_req: any, res: any) => res.json({ tea: 1 }))
    app.get('/native', native(() => ({ tea: 1 })) as never)
    const shown = async (send: Send, target: string): Promise<unknown> => {
      const { headers, text } = await send(target)
      return [headers['etag'], headers['content-type'], text]
    }
    const expected = await shown(await byExpress(app), '/handler')
    for (const serveApp of Object.values(appServings)) {
      const send = await serveApp(app)
      expect([await shown(send, '/handler'), await shown(send, '/native')]).toEqual([expected, expected])
    }
  })
})

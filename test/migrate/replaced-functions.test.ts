// A function that is put in the place of another one after its registration: what the layer calls is what requests pass.
import express5 from 'express'
import express4 from 'express4'
import { checkMigration, inspect, recordRegistrations } from '@routecontrollers/cli'
import { withOwnFunctions } from '../../packages/cli/src/inspect/own-functions.js'
import { keepReading } from './keep-reading.js'

keepReading()

type Next = (error?: unknown) => void

function auth(req: any, res: any, next: Next): void {
  if (req.headers.user === undefined) return res.sendStatus(401)
  next()
}
function open(_req: any, _res: any, next: Next): void {
  next()
}
const opening = (_name: string) => (_req: any, _res: any, next: Next) => next()
const secret = (_req: any, res: any): void => res.send('SECRET')

describe.each([
  [4, express4],
  [5, express5],
] as const)('Express %d: a layer', (version, express: any) => {
  let end: () => void
  beforeAll(() => {
    end = recordRegistrations(express)
  })
  afterAll(() => end())

  const create = (): any => express().use(auth).get('/a', auth, secret)
  const layersOf = (app: any): any[] => {
    const { stack } = version === 4 ? app._router : app.router
    return [...stack.slice(-2, -1), stack.at(-1).route.stack[0]]
  }
  const changed = (change: (handle: any) => any): any => {
    const app = create()
    for (const layer of layersOf(app)) layer.handle = change(layer.handle)
    return app
  }
  const found = (app: any): [string, string][] =>
    checkMigration(create(), app).routes.flatMap(({ changes }) =>
      changes.map(({ kind, what }): [string, string] => [kind, what]),
    )

  it('that calls another function than the one it was given is told by that', () => {
    const app = changed(() => open)
    expect(inspect(app).routes[0]!.passes.map(({ name }) => name)).toEqual(['open', 'open'])
    const kinds = found(app)
    expect(kinds).toContainEqual(['gained', 'open'])
    expect(kinds).toContainEqual(['lost', 'auth'])
  })

  it('that calls a function made by another one is unverifiable besides: what that was made with is not known', () => {
    const kinds = found(changed(() => opening('a'))).map(([kind]) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['lost', 'gained', 'unverifiable']))
  })

  it.each<[string, (handle: any) => any]>([
    ['the same function', (handle) => handle],
    [
      'one that names it',
      (handle) =>
        (...parameters: unknown[]) =>
          handle(...parameters),
    ],
    [
      'one around another one',
      (handle) => {
        const inner = function (this: unknown, ...parameters: unknown[]): unknown {
          return Reflect.apply(handle, this, parameters)
        }
        return (req: any, res: any, next: Next) => inner(req, res, next)
      },
    ],
    ['a bound one', (handle) => handle.bind(undefined)],
    ['a Proxy of it', (handle) => new Proxy(handle, {})],
    ['one that keeps it as tracers do', (handle) => Object.assign(() => {}, { __original: handle })],
  ])('that has %s is told by what it was given', (_name, change) => {
    const app = changed(change)
    expect(inspect(app).routes[0]!.passes.map(({ name }) => name)).toEqual(['auth', 'auth'])
    expect(found(app)).toEqual([])
  })
})

it('what an app has replaced and added to all is away while it is looked at, and there again behind', () => {
  const stringify = JSON.stringify
  const replaced = (): string => 'tea'
  const list = Array.prototype as unknown as { brew?: () => string }
  const state = (): boolean[] => [JSON.stringify === replaced, 'brew' in list]
  JSON.stringify = replaced
  list.brew = replaced
  try {
    expect(withOwnFunctions(() => [...state(), JSON.stringify === stringify])).toEqual([false, false, true])
    expect(state()).toEqual([true, true])
    const failing = (): never =>
      withOwnFunctions(() => {
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    expect(state()).toEqual([true, true])
    expect([Object.keys(list), list.brew?.()]).toEqual([['brew'], 'tea'])
  } finally {
    JSON.stringify = stringify
    delete list.brew
  }
})

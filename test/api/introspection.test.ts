import { execFileSync } from 'node:child_process'
import { createNote, introspectionVersion } from '../../src/ground/introspection-key.js'
import { Controller, RouteControllers, toConnect, toListener } from '../../src/index.js'
import { describeHandler, describeServed, standForHandler, type Switch } from '../../src/introspection.js'
import { inspect } from '../../packages/cli/src/index.js'
import { thrownBy } from '../support/thrown-by.js'

const key = Symbol.for('routecontrollers.introspection')
const create = (): RouteControllers =>
  new RouteControllers([new Controller('GET', '/users/:id', () => 'one')])

/** A fetch handler as a copy of another version would make it. */
function ofOtherVersion(): () => Promise<Response> {
  const value = { version: introspectionVersion + 1, kind: 'handler', value: { renamed: true } }
  return Object.defineProperty(async () => new Response(), key, { value })
}

describe('What tools read of a served function', () => {
  it('is what the RouteControllers are', () => {
    const hook = (_req: unknown, _res: unknown, next: () => void): void => next()
    const middleware = (): undefined => undefined
    const routeControllers = create().use(middleware)
    routeControllers.addGlobal(hook)
    const description = describeHandler(routeControllers.getCallback())!
    expect(description.owner).toBe(routeControllers)
    expect(description.controllers.map(({ method, pattern }) => `${method} ${pattern.source}`)).toEqual([
      'GET /users/:id',
    ])
    expect(description.hooks.map((one) => one.hook)).toEqual([hook])
    expect(description.middleware).toEqual([middleware])
    expect(description.config.bodyLimit).toBe(1024 * 1024)
    expect(description.engine.takes('GET', '/users/7')).toBe(true)
    expect(description.engine.takes('GET', '/others')).toBe(false)
  })

  it('stands on the functions that serve them, and on what copies the names of these', () => {
    const routeControllers = create()
    const fallback = (): void => {}
    const handler = routeControllers.getCallback()
    const inFront = toListener(handler, { fallback })
    const wrapped = Object.assign((): void => {}, inFront)
    for (const [served, behind] of [
      [routeControllers.middleware(), undefined],
      [inFront, fallback],
      [wrapped, fallback],
      [standForHandler(handler), undefined],
    ]) {
      const found = describeServed(served)!
      expect(found.description?.owner).toBe(routeControllers)
      expect(found.fallback).toBe(behind)
    }
    expect(describeServed(toConnect(() => new Response()))).toEqual({
      description: undefined,
      fallback: undefined,
    })
    for (const other of [undefined, {}, fallback, handler]) expect(describeServed(other)).toBeUndefined()
  })

  it('is of one kind alone', () => {
    const noted = createNote<string>('recorder').write({}, 'value')
    expect(createNote('recorder').read(noted)).toBe('value')
    expect(createNote('serving').read(noted)).toBeUndefined()
  })

  it.each([
    ['describeHandler', () => describeHandler(ofOtherVersion())],
    ['describeServed', () => describeServed(standForHandler(ofOtherVersion()))],
    ['toConnect', () => toConnect(ofOtherVersion())],
    ['inspect', () => inspect({ getCallback: () => ofOtherVersion() })],
  ])('is refused by %s, with both versions, where another version has written it', (_name, read) => {
    const thrown = thrownBy(read)
    expect(thrown).toMatchObject({ code: 'ERR_INTROSPECTION_VERSION' })
    expect((thrown as Error).message).toMatch(
      `in format ${introspectionVersion + 1}, and another one reads format ${introspectionVersion}. Install the same version of routecontrollers, @routecontrollers/cli and @routecontrollers/switch`,
    )
  })

  it('has one key, which one file spells', () => {
    const found = execFileSync(
      'grep',
      [
        '-rlE',
        'routecontrollers\\.(introspection|node|serving|stands-for|node-callback|recorder)\\b',
        'src',
        'packages/cli/src',
        'packages/switch/src',
      ],
      { encoding: 'utf8' },
    )
    expect(found.trim().split('\n')).toEqual(['src/ground/introspection-key.ts'])
  })
})

describe('setSwitch', () => {
  const legacy: Switch = { choose: () => false, finish: (answer) => answer }
  const native: Switch = { ...legacy, choose: () => true }
  const answer = async (routeControllers: RouteControllers): Promise<boolean> => {
    const { engine, config } = describeHandler(routeControllers.getCallback())!
    const index = engine.index!
    const controller = index.match('GET', '/users/7')!.route.target
    return config.switch!.choose(controller, {} as never)
  }

  it('refuses a second switch until the first one has left, which decides until then', async () => {
    const routeControllers = create()
    const description = describeHandler(routeControllers.getCallback())!
    const leave = description.setSwitch(legacy)
    expect(thrownBy(() => description.setSwitch(native))).toMatchObject({ code: 'ERR_MIGRATION_EXISTS' })
    leave()
    expect(await answer(routeControllers)).toBe(false)
    const leaveAgain = description.setSwitch(native)
    expect(await answer(routeControllers)).toBe(true)
    // Of a switch that is not there any more it changes nothing.
    leave()
    expect(thrownBy(() => description.setSwitch(legacy))).toMatchObject({ code: 'ERR_MIGRATION_EXISTS' })
    leaveAgain()
    description.setSwitch(legacy)
  })
})

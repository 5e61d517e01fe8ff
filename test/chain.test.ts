import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { runHooks } from '../src/run/chain.js'
import { createHookEntry, type HookEntry } from '../src/define/hook-entry.js'
import { isThenable } from '../src/ground/thenable.js'
import { parseTarget } from '../src/node/target.js'
import { parseScope } from '../src/routing/scope.js'
import type { ErrorHook, Hook, Next } from '../src/ground/types.js'

/** Runs hooks over a request for `url`; gives what was left to do and to say at the end. */
function run(url: string, hooks: readonly (Hook | ErrorHook | [string, Hook])[]) {
  const incoming = { url, method: 'GET' } as IncomingMessage
  const outgoing = Object.assign(new EventEmitter(), { headersSent: false }) as unknown as ServerResponse
  const logged: string[] = []
  const ends: { error: unknown; left: string | undefined; url: string | undefined }[] = []
  const log = (line: string): void => void logged.push(line)
  const entries: HookEntry[] = hooks.map((one) =>
    Array.isArray(one)
      ? createHookEntry(one[1], { scope: parseScope(one[0]) })
      : createHookEntry(one, { name: one.name || 'nameless' }),
  )
  const context = {
    incoming,
    outgoing,
    logger: { info: log, warn: log, error: log },
    currentPath: () => parseTarget(incoming.url!).path,
    lenientPath: () => undefined,
    lend: () => () => {},
    settleUrl: () => {},
    begun: () => {},
    done: (error: unknown, left?: string) => void ends.push({ error, left, url: incoming.url }),
  }
  runHooks(entries, context)
  return { ends, logged, incoming }
}

const passes: Hook = (_req: IncomingMessage, _res: ServerResponse, next: Next) => next()

describe('runHooks', () => {
  it('is done at once where there is no hook', () => {
    expect(run('/', []).ends).toEqual([{ error: undefined, left: undefined, url: '/' }])
  })

  it('is done within the call, when every hook goes on within its own', () => {
    expect(run('/', [passes, passes, passes]).ends).toHaveLength(1)
  })

  it('goes through three hundred hooks', () => {
    expect(run('/', Array<Hook>(300).fill(passes)).ends).toHaveLength(1)
  })

  it('is never done when a hook neither goes on nor fails', () => {
    expect(run('/', [() => {}, passes]).ends).toEqual([])
  })

  it('is done with the error that no error hook has taken', () => {
    const error = new Error('x')
    const handed: ErrorHook = (one: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) =>
      next(one)
    expect(
      run('/', [(_req: IncomingMessage, _res: ServerResponse, next: Next) => next(error), passes, handed])
        .ends,
    ).toEqual([{ error, left: error, url: '/' }])
  })

  it("has left after next('router')", () => {
    expect(
      run('/', [
        (_req: IncomingMessage, _res: ServerResponse, next: Next) => next('router'),
        () => {
          throw new Error('ran')
        },
      ]).ends,
    ).toEqual([{ error: undefined, left: 'router', url: '/' }])
  })

  it('has left after an error hook that handles its error: no hook behind it runs', () => {
    const forgives: ErrorHook = (_error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) =>
      next()
    const never = (): never => {
      throw new Error('ran')
    }
    expect(
      run('/', [
        (_req: IncomingMessage, _res: ServerResponse, next: Next) => next(new Error('x')),
        forgives,
        never,
      ]).ends,
    ).toEqual([{ error: undefined, left: 'handled', url: '/' }])
  })

  it('says once that next() was called twice', () => {
    const { ends, logged } = run('/', [
      function twice(_req: IncomingMessage, _res: ServerResponse, next: Next) {
        next()
        next()
      },
    ])
    expect([ends.length, logged]).toEqual([1, [expect.stringContaining('twice')]])
  })

  it('counts one error that comes after next(), and no second one', () => {
    const errors: unknown[] = []
    const { ends, logged } = run('/', [
      function late(_req: IncomingMessage, _res: ServerResponse, next: Next) {
        next()
        for (const error of ['first', 'second']) next(error)
      },
      (error: unknown, _req: IncomingMessage, _res: ServerResponse, next: Next) => {
        errors.push(error)
        next(error)
      },
    ])
    expect(errors).toEqual(['first'])
    expect(ends.map(({ error }) => error)).toEqual([undefined, 'first'])
    expect(logged).toEqual([expect.stringContaining('late has called next() twice')])
  })

  it.each([
    ['/a', '/a/b?c', '/b?c'],
    ['/a', '/a?c', '/?c'],
    ['/a', '/a', '/'],
    ['/a', 'http://host/a/b', 'http://host/b'],
    ['/a', 'http://host/a', 'http://host/'],
    ['/a', 'http://host/a?b', 'http://host/?b'],
    ['/a/:b', '/a//', undefined],
    ['/a', '//a', undefined],
    ['/a', '*', undefined],
  ])('at %s shows %s as %s, and puts it back', (path, url, seen) => {
    const urls: unknown[] = []
    const { ends } = run(url, [
      [
        path,
        (req: IncomingMessage, _res: ServerResponse, next: Next) => {
          urls.push(req.url)
          next()
        },
      ],
    ])
    expect(urls).toEqual(seen === undefined ? [] : [seen])
    expect(ends[0]!.url).toBe(url)
  })
})

describe('isThenable', () => {
  it.each([
    [Promise.resolve(), true],
    [{ then: () => {} }, true],
    [{ then: 1 }, false],
    [{}, false],
    [null, false],
    [undefined, false],
    ['then', false],
  ])('of %p is %p', (value, expected) => {
    expect(isThenable(value)).toBe(expected)
  })
})

import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { runHooks, statusSetOn } from '../src/run/chain.js'
import { createHookEntry, type HookEntry } from '../src/define/hook-entry.js'
import { isThenable } from '../src/ground/thenable.js'
import { parseTarget } from '../src/node/target.js'
import { parseScope } from '../src/routing/scope.js'
import type { ErrorHook, Hook, Next } from '../src/ground/types.js'

interface Given {
  /** The `next` of a host, which has put it on the request. */
  next?: () => void
  headersSent?: boolean
  timer?: { pending: string; expired: boolean }
  /** For hooks that run for every request: the path that what stands behind may find. */
  lenientPath?: string
}

/** Runs hooks over a request for `url`; gives what was left to do and to say at the end. */
function run(url: string, hooks: readonly (Hook | ErrorHook | [string, Hook])[], given: Given = {}) {
  const { next, headersSent = false, timer, lenientPath } = given
  const incoming = Object.assign(
    { url, method: 'GET' } as IncomingMessage & { next?: unknown },
    next && { next },
  )
  const outgoing = Object.assign(new EventEmitter(), { headersSent }) as unknown as ServerResponse
  const logged: string[] = []
  const begun: string[] = []
  const entered: string[] = []
  const settled = { times: 0 }
  const ends: { error: unknown; left: string | undefined; url: string | undefined; next?: unknown }[] = []
  const log = (line: string): void => void logged.push(line)
  const entries: HookEntry[] = hooks.map((one) =>
    Array.isArray(one)
      ? createHookEntry(one[1], { scope: parseScope(one[0]), every: lenientPath !== undefined })
      : createHookEntry(one, { name: one.name || 'nameless' }),
  )
  const context = {
    incoming,
    outgoing,
    logger: { info: log, warn: log, error: log },
    timer: timer as never,
    currentPath: () => {
      try {
        return parseTarget(incoming.url!).path
      } catch {
        return ''
      }
    },
    lenientPath: () => lenientPath,
    lend: () => () => {},
    settleUrl: () => void settled.times++,
    entering: (_next: Next, entry: HookEntry) => void entered.push(entry.name),
    begun: (name: string) => void begun.push(name),
    done: (error: unknown, left?: string) =>
      void ends.push({ error, left, url: incoming.url, ...(next && { next: incoming.next }) }),
  }
  runHooks(entries, context)
  return { ends, logged, incoming, begun, entered, settled }
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

  it('ignores an error after next() once an answer has begun', () => {
    const { ends, logged } = run(
      '/',
      [
        function late(_req: IncomingMessage, _res: ServerResponse, next: Next) {
          next()
          next(new Error('late'))
        },
      ],
      { headersSent: true },
    )
    expect(ends).toMatchObject([{ error: undefined }])
    expect(logged).toEqual([expect.stringContaining('late has called next() twice')])
  })

  it("ignores next('router') after next()", () => {
    const { ends, logged } = run('/', [
      (_req: IncomingMessage, _res: ServerResponse, next: Next) => {
        next()
        next('router')
      },
    ])
    expect([ends.length, logged]).toEqual([1, [expect.stringContaining('twice')]])
  })

  it('goes on with its own error where a hook has thrown its request', () => {
    const { ends } = run('/', [
      function odd(req: IncomingMessage) {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw req
      },
    ])
    expect(ends).toMatchObject([{ error: { message: 'The hook odd has thrown its own request' } }])
  })

  it('logs what a hook throws after next()', () => {
    const { ends, logged } = run('/', [
      function late(_req: IncomingMessage, _res: ServerResponse, next: Next) {
        next()
        throw new Error('too late')
      },
    ])
    expect([ends.length, logged]).toEqual([
      1,
      [expect.stringMatching(/^The hook late has failed after next\(\): .*too late/)],
    ])
  })

  it('lets a hook that has gone on return what it likes', () => {
    const hook = (_req: IncomingMessage, ...rest: [ServerResponse, Next]) => {
      rest[1]()
      return {}
    }
    const { ends, logged } = run('/', [hook])
    expect([ends, logged]).toEqual([[{ error: undefined, left: undefined, url: '/' }], []])
  })

  it("gives a request that has a host's next() the one of the chain, until all hooks are done", () => {
    const next = (): void => {}
    const seen: unknown[] = []
    const hook: Hook = (req: IncomingMessage & { next?: unknown }, _res: ServerResponse, own: Next) => {
      seen.push(req.next === own)
      own()
    }
    const { ends, entered } = run('/', [hook, hook], { next })
    expect([seen, ends.map((end) => end.next === next), entered]).toEqual([
      [true, true],
      [true],
      ['hook', 'hook'],
    ])
  })

  it('gives a request no next() that has none', () => {
    const { incoming } = run('/', [passes])
    expect('next' in incoming).toBe(false)
  })

  it('tells which hook has begun an answer and goes on', () => {
    const begins: Hook = passes.bind(undefined)
    expect(run('/', [begins]).begun).toEqual([])
    expect(
      run('/', [Object.defineProperty(begins, 'name', { value: 'begins' })], { headersSent: true }).begun,
    ).toEqual(['begins'])
  })

  it('tells the timer of the answer which hook it waits for', () => {
    const timer = { pending: '', expired: false }
    run('/', [passes, function slow() {}], { timer })
    expect(timer.pending).toBe('the hook slow')
  })

  it('does not go on from a hook after the time of the answer', () => {
    expect(run('/', [passes], { timer: { pending: '', expired: true } }).ends).toEqual([])
  })

  it('settles the URL before a hook may see another one, and not for the first hook of all', () => {
    const stays = (): void => {}
    expect(run('/a', [stays]).settled.times).toBe(0)
    expect(run('/a', [['/a', stays]]).settled.times).toBe(1)
    expect(run('/a', [passes]).settled.times).toBe(1)
  })

  it.each(['*', 'http://host', 'http://host?a'])('shows %s as it is to a hook of all paths', (url) => {
    const urls: unknown[] = []
    run(url, [(req: IncomingMessage) => void urls.push(req.url)])
    expect(urls).toEqual([url])
  })

  it('puts the mount before a URL that a hook has written without a slash', () => {
    const rewrites: Hook = (req: IncomingMessage, _res: ServerResponse, next: Next) => {
      req.url = '?d'
      next()
    }
    expect(run('/a?c', [['/a', rewrites]]).ends[0]!.url).toBe('/a?d')
  })

  it.each([
    ['/a/b#', '/a/b', '/b#'],
    ['/a\\b #', '/a/b', '/\\b #'],
    ['http://u@host/a\\b', '/a/b', 'http://u@host\\b'],
    ['http://u@host/c', '/c', 'http://u@host/c'],
    ['/c#', '/c', '/c#'],
  ])('runs a guard of every request for %s, where a lenient parser may find %s', (url, lenientPath, seen) => {
    const urls: unknown[] = []
    const guard: Hook = (req: IncomingMessage, _res: ServerResponse, next: Next) => {
      urls.push(req.url)
      next()
    }
    const { ends } = run(url, [['/a', guard]], { lenientPath })
    expect([urls, ends[0]!.url]).toEqual([[seen], url])
  })

  it('looks for no other path where the guard is mounted at this one', () => {
    const urls: unknown[] = []
    run('/a/b', [['/a', (req: IncomingMessage) => void urls.push(req.url)]], { lenientPath: '/' })
    expect(urls).toEqual(['/b'])
  })

  it('looks for no other path where a hook is not for every request', () => {
    const guard = createHookEntry(() => {}, { scope: parseScope('/a') })
    const done = jest.fn()
    const context = { incoming: { url: '/b' }, currentPath: () => '/b', lenientPath: () => '/a', done }
    runHooks([guard], context as never)
    expect(done).toHaveBeenCalledTimes(1)
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

describe('The status that a hook has set', () => {
  it.each<[now: unknown, before: number, set: number | undefined]>([
    [200, 200, undefined],
    [404, 404, undefined],
    [200, 404, 200],
    [201, 200, 201],
    [599, 200, 599],
    // None of these is that of an answer.
    [199, 200, undefined],
    [103, 200, undefined],
    [600, 200, undefined],
    [NaN, 200, undefined],
    [undefined, 200, undefined],
    // As Node sends them.
    ['404', 200, 404],
    [203.5, 200, 203],
  ])('of %p, where it was %d before, is %p', (statusCode, before, expected) => {
    expect(statusSetOn({ statusCode } as ServerResponse, before)).toBe(expected)
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

import { setTimeout as waits } from 'node:timers/promises'
import { Controller, fromConnect, group, type Middleware, type ResponseBuilder } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { describeServings } from '../support/describe-servings.js'

let answered: Promise<void>

/** Answers in a callback, which the chain cannot see. */
function answerLater(answer: () => void): void {
  answered = new Promise((resolve) => setTimeout(() => resolve(answer()), 5))
}

function lateGuard(_req: unknown, res: ResponseBuilder): void {
  answerLater(() => void res.status(401).header('X-Guard', 'late').cookie('guard', 'late').json({}))
}

/** Two timers that are due at once run in one turn, so it waits for the guard's first. */
async function afterGuard(): Promise<void> {
  await answered
  await waits(20)
}

const names = /middleware lateGuard has answered after .*: return the answer, or a promise of it/

describeServings('A middleware that answers after it has returned', ({ serve, errors }) => {
  const seen: unknown[] = []
  const onError = (error: unknown): void => void seen.push((error as Error).message)
  beforeEach(() => void seen.splice(0))

  it('has one log line that names it, where the request has been answered', async () => {
    const { send, logged } = await serve([group('/g', lateGuard).get('/x', () => 'SECRET')], { onError })
    const { status, text } = await send('/g/x')
    await afterGuard()
    expect([status, text]).toEqual([200, 'SECRET'])
    expect(logged).toEqual([expect.stringMatching(names)])
    expect(seen).toEqual([])
  })

  it('has one log line where it answers twice', async () => {
    const twice = (_req: unknown, res: ResponseBuilder): void =>
      answerLater(() => void [res.status(401).json({}), res.text('again')])
    const { send, logged } = await serve([new Controller('GET', '/x', () => 'SECRET').use(twice)], {
      onError,
    })
    expect((await send('/x')).text).toBe('SECRET')
    await afterGuard()
    expect(logged).toEqual([expect.stringMatching(/middleware twice has answered after/)])
  })

  it.each<[string, readonly Middleware[]]>([
    ['the callback', []],
    ['a later middleware', [afterGuard]],
    ['what a middleware runs around', [async (_req, _res, next) => next()]],
  ])('fails the request while %s still runs', async (_what, others) => {
    const slow = new Controller('GET', '/h', () => afterGuard().then(() => 'SECRET'))
    slow.use(lateGuard, ...others)
    const { send } = await serve([slow], { onError })
    const { status, text, headers, cookies } = await send('/h')
    expect([status, headers['x-guard'], cookies]).toEqual([500, undefined, []])
    expect(text).not.toContain('SECRET')
    expect(seen).toEqual([expect.stringMatching(names)])
  })

  it.each(['sendStatus', 'setHeader', 'writeHead'])(
    'fails the request where it calls %s of another framework, which answers nothing here',
    async (name) => {
      const guard = (_req: unknown, res: ResponseBuilder): void =>
        answerLater(
          () => void (res as unknown as Record<string, (...given: unknown[]) => unknown>)[name]!(401),
        )
      const slow = new Controller('GET', '/h', () => afterGuard().then(() => 'SECRET'))
      const { send } = await serve([slow.use(guard)], { onError })
      const { status, text } = await send('/h')
      expect([status, text.includes('SECRET')]).toEqual([500, false])
      expect(seen).toEqual([expect.stringMatching(/middleware guard has answered after/)])
    },
  )

  it('has one log line too where the request fails, unless the host logs it', async () => {
    const { send, logged } = await serve([
      group('/h', lateGuard).get('/x', () => afterGuard().then(() => 'SECRET')),
    ])
    expect((await send('/h/x')).status).toBe(500)
    await waits(40)
    expect(logged).toEqual(errors === 'us' ? [expect.stringMatching(names)] : [])
  })

  it('does not let the callback run, where another middleware runs at that time', async () => {
    let reached = false
    const slow = new Controller('GET', '/', () => ((reached = true), 'SECRET'))
    slow.use(lateGuard, afterGuard)
    const { send } = await serve([slow], { onError })
    expect([(await send('/')).status, reached]).toEqual([500, false])
  })

  it('fails the request also where a method of Express answers', async () => {
    const guard = (_req: unknown, res: any): void => answerLater(() => void res.sendStatus(401))
    const slow = group('/h', guard).get('/x', () => afterGuard().then(() => 'SECRET'))
    const { send } = await serve([slow], { onError })
    expect((await send('/h/x')).status).toBe(500)
    expect(seen).toEqual([expect.stringMatching(/middleware guard has answered after/)])
  })

  it.each([
    [
      'a handler of Express',
      () => [[], fromExpress((_req, res) => void afterGuard().then(() => res.send('SECRET')))],
    ],
    [
      'a middleware of Connect',
      () => [[fromConnect((_req, res) => void afterGuard().then(() => res.end('SECRET')))], () => 'SECRET'],
    ],
  ] as [string, () => [Middleware[], () => string]][])(
    'fails the request while %s has it',
    async (_what, make) => {
      const [others, callback] = make()
      const slow = new Controller('GET', '/h', callback)
      slow.use(lateGuard, ...others)
      const { send } = await serve([slow], { onError })
      const { status, text } = await send('/h')
      await waits(40)
      expect(status).toBe(500)
      expect(text).not.toContain('SECRET')
      expect(seen).toEqual([expect.stringMatching(names)])
    },
  )

  it('leaves the status and the headers that it had set before it returned', async () => {
    const sets = (_req: unknown, res: ResponseBuilder): void => void res.status(202).header('X-A', '1')
    const looks = (): void => {}
    const { send, logged } = await serve([group('', sets, looks).get('/', () => 'x')])
    const { status, headers } = await send('/')
    expect([status, headers['x-a'], logged]).toEqual([202, '1', []])
  })

  it.each<[string, readonly Middleware[]]>([
    ['the callback', []],
    ['a later middleware', [afterGuard]],
    ['what a middleware runs around', [async (_req, _res, next) => next()]],
  ])('changes nothing where it only sets a status and headers while %s runs', async (_what, others) => {
    const sets = (_req: unknown, res: ResponseBuilder): void => {
      res.header('X-A', 'before')
      answerLater(() => void res.status(202).header('X-A', 'late').header('X-B', 'late').cookie('c', 'late'))
    }
    const slow = new Controller('GET', '/', (_req, res) => afterGuard().then(() => res.text('x')))
    const { send, logged } = await serve([slow.use(sets, ...others)])
    const { status, headers, cookies } = await send('/')
    expect([status, headers['x-a'], headers['x-b'], cookies]).toEqual([200, 'before', undefined, []])
    expect(logged).toEqual([])
  })
})

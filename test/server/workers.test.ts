import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RouteControllers, Server, type ServerOptions } from 'routecontrollers'
import { cert, key } from '../support/certificate.js'
import { compile } from '../support/compile.js'
import { listenOn, type Received, sendTo } from '../support/describe-servings.js'
import { refusal } from '../support/refusal.js'
import { sendBy } from './http2-client.js'
import { itSlow } from '../support/counts.js'

// Each test starts three processes.
jest.setTimeout(300_000)

const program = compile(join(__dirname, 'serve-workers.ts'))

interface Said {
  pid: number
  listens?: 'first' | 'worker'
  [what: string]: unknown
}

/** A server with workers, in a process of its own. */
class Served {
  readonly said: Said[] = []
  readonly ended: Promise<[code: number | null, signal: string | null]>
  readonly child: ChildProcess
  errors = ''
  #changed = (): void => {}

  constructor(options: Partial<ServerOptions>, behaviour = '') {
    this.child = fork(program, [JSON.stringify(options), behaviour], {
      cwd: join(__dirname, '../..'),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.ended = once(this.child, 'exit') as Served['ended']
    this.child.stderr!.on('data', (text) => (this.errors += String(text)))
    this.child.on('message', (said: Said) => {
      this.said.push(said)
      this.#changed()
    })
    this.child.on('disconnect', () => this.#changed())
  }

  /** The first `count` messages that have this in them, as soon as they are there. */
  async hears(what: string, count = 1): Promise<Said[]> {
    for (;;) {
      const found = this.said.filter((said) => what in said)
      if (found.length >= count) return found.slice(0, count)
      const isSilent = !this.child.connected || this.said.some(({ refused, first }) => refused && first)
      if (isSilent) throw new Error(`Only this was heard: ${JSON.stringify(this.said)} ${this.errors}`)
      await new Promise<void>((resolve) => (this.#changed = resolve))
    }
  }

  async port(): Promise<number> {
    return (await this.#listening('first'))['port'] as number
  }

  /** The first that listens. */
  worker(): Promise<Said> {
    return this.#listening('worker')
  }

  async #listening(what: 'first' | 'worker'): Promise<Said> {
    for (let count = 1; ; count++) {
      const found = (await this.hears('listens', count)).find(({ listens }) => listens === what)
      if (found !== undefined) return found
    }
  }
}

let served: Served

function serve(options: Partial<ServerOptions>, behaviour?: string): Served {
  served = new Served(options, behaviour)
  return served
}
afterEach(() => void served?.child.kill('SIGKILL'))

/** The pids that answer, after so many requests on connections of their own. */
async function pidsOf(port: number, count: number): Promise<Set<number>> {
  const pids = new Set<number>()
  for (let at = 0; at < count; at++) pids.add(Number((await sendTo(port)('/pid')).text))
  return pids
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('Server.start({ workers })', () => {
  it('resolves in each worker when it listens, in the first process when all do, and shares one port', async () => {
    serve({ workers: 2 })
    const port = await served.port()
    const listening = await served.hears('listens', 3)
    const workers = listening.filter(({ listens }) => listens === 'worker')
    expect(listening.map((one) => one['port'])).toEqual([port, port, port])
    expect(listening.find(({ listens }) => listens === 'first')).toMatchObject({
      pid: served.child.pid,
      url: `http://127.0.0.1:${port}`,
      hasNodeServer: false,
    })
    const [one, other] = workers
    expect(workers.every((worker) => worker['hasNodeServer'])).toBe(true)
    const pids = await pidsOf(port, 10)
    expect(pids).toEqual(new Set([one!.pid, other!.pid]))
    expect(pids).not.toContain(served.child.pid)
    served.child.send({ again: true })
    expect(await served.hears('again')).toEqual([expect.objectContaining({ again: 'ERR_SERVER_STATE' })])
  })

  itSlow("has a worker for each core with 'auto'", async () => {
    serve({ workers: 'auto' })
    const count = availableParallelism() + 1
    expect((await served.hears('listens', count)).filter(({ listens }) => listens === 'first')).toHaveLength(
      1,
    )
  })

  it('picks another port where a program takes the one of port 0 before a worker listens', async () => {
    serve({ workers: 2 }, 'lose the first port')
    const port = await served.port()
    const [lost] = await served.hears('lost')
    expect(lost!['lost']).not.toBe(port)
    expect((await served.hears('listens', 3)).map((one) => one['port'])).toEqual([port, port, port])
    expect((await pidsOf(port, 10)).size).toBe(2)
  })

  itSlow('rejects where each port that it picks is taken', async () => {
    serve({ workers: 1 }, 'lose each port')
    const refused = (await served.hears('lost', 5)).concat(await served.ended.then(() => []))
    expect(new Set(refused.map(({ lost }) => lost)).size).toBe(5)
    expect(served.said.filter(({ refused: code, first }) => code && first)).toEqual([
      expect.objectContaining({ refused: 'ERR_PORT_UNAVAILABLE' }),
    ])
    expect(served.said.filter(({ lost }) => lost !== undefined)).toHaveLength(5)
  })

  it('speaks HTTP/2 in each of them', async () => {
    serve({ workers: 1, tls: { key, cert }, http2: true })
    const port = await served.port()
    const worker = await served.worker()
    expect((await sendBy('h2', port)('/pid')).text).toBe(String(worker.pid))
    expect(worker['url']).toBe(`https://127.0.0.1:${port}`)
  })

  it('starts another worker in place of one that has died, on the same port', async () => {
    serve({ workers: 1 })
    const port = await served.port()
    const first = await served.worker()
    expect((await sendTo(port)('/crash')).text).toBe('soon')
    const [lost] = await served.hears('logged')
    expect(lost!['logged']).toMatch(
      new RegExp(`^Worker ${first.pid} has ended with code 9; another .* in 100 ms`),
    )
    const [, , second] = await served.hears('listens', 3)
    expect(second).toMatchObject({ listens: 'worker', port })
    expect(await pidsOf(port, 1)).toEqual(new Set([second!.pid]))
  })

  itSlow('waits longer each time for one that dies at once, and then rejects', async () => {
    serve({ workers: 1 }, 'die at once')
    const [refused] = await served.hears('refused')
    expect(refused).toMatchObject({ refused: 'ERR_WORKERS_FAILED', first: true })
    expect(refused!['message']).toContain(
      'ended 5 times as soon as it was started, the last time with code 7',
    )
    const delays = served.said.flatMap(({ logged }) => /in (\d+) ms/.exec(String(logged))?.slice(1) ?? [])
    expect(delays).toEqual(['100', '200', '400', '800'])
    expect(await served.ended).toEqual([0, null])
  })

  itSlow('resolves when one that has died at first listens in the end', async () => {
    serve({ workers: 2 }, 'die the first time')
    expect((await pidsOf(await served.port(), 10)).size).toBe(2)
  })

  it('rejects in the first process with what a worker has rejected with', async () => {
    const { port, close } = await listenOn((_req, res) => void res.end())
    serve({ workers: 2, port })
    const refused = (await served.hears('refused', 1)).concat(await served.ended.then(() => []))
    expect(refused[0]).toMatchObject({ refused: 'ERR_PORT_UNAVAILABLE' })
    const first = served.said.find(({ refused: code, first }) => code !== undefined && first)
    expect(first).toMatchObject({
      refused: 'ERR_PORT_UNAVAILABLE',
      message: expect.stringContaining(`Port ${port}`),
    })
    await close()
  })

  itSlow('ends with its error when in the end no worker serves any more', async () => {
    serve({ workers: 1 })
    const port = await served.port()
    for (let died = 1; died <= 5; died++) {
      await served.hears('listens', died + 1)
      await sendTo(port)('/crash')
      if (died < 5) await served.hears('logged', died)
    }
    expect(await served.ended).toEqual([1, null])
    expect(served.errors).toContain('ERR_WORKERS_FAILED')
  })

  it('ends with the error of workers that die at once, where none serves any more', async () => {
    serve({ workers: 1 }, 'die in service')
    expect((await served.hears('listens'))[0]).toMatchObject({ listens: 'first' })
    expect(await served.ended).toEqual([1, null])
    expect(served.errors).toContain('ERR_WORKERS_FAILED')
  })

  it.each([0, -1, 1.5, NaN, '2', true, 2000])('refuses %p workers', async (workers) => {
    const start = new Server().start({
      port: 0,
      routeControllers: new RouteControllers([]),
      workers: workers as never,
    })
    await expect(start).rejects.toEqual(refusal('ERR_OPTION_INVALID', 'workers', "'auto'", 'from 1'))
  })
})

describe('A server with workers stops', () => {
  async function openSlow(): Promise<{ answer: Promise<Received>; workers: number[]; port: number }> {
    const port = await served.port()
    const workers = (await served.hears('listens', 3)).flatMap(({ listens, pid }) =>
      listens === 'worker' ? pid : [],
    )
    const answer = sendTo(port)('/slow')
    answer.catch(() => {})
    await served.hears('arrived')
    return { answer, workers, port }
  }

  it('when it is told to: each answer is sent, and stop() resolves when all workers have ended', async () => {
    serve({ workers: 2 })
    const { answer, workers } = await openSlow()
    served.child.send({ stop: {} })
    expect(await served.hears('stopping')).toEqual([expect.objectContaining({ stopping: false })])
    served.child.send({ release: true })
    const { text, headers } = await answer
    expect([text, headers['connection']]).toEqual(['slow', 'close'])
    expect(await served.hears('stopped')).toEqual([expect.objectContaining({ stopped: 0, isReady: false })])
    expect(workers.filter(isAlive)).toEqual([])
    expect(await served.ended).toEqual([0, null])
  })

  itSlow('with the times that stop() was given', async () => {
    serve({ workers: 2 })
    const { answer } = await openSlow()
    served.child.send({ stop: { graceMs: 50 } })
    await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await served.ended).toEqual([0, null])
  })

  it('on a signal to the first process', async () => {
    serve({ workers: 2, shutdown: { signals: ['SIGTERM'], lameDuckMs: 200 } })
    const { answer, workers, port } = await openSlow()
    served.child.kill('SIGTERM')
    await sleep(50)
    // Its workers are lame ducks now.
    expect((await sendTo(port)('/pid')).headers['connection']).toBe('close')
    served.child.send({ release: true })
    expect((await answer).text).toBe('slow')
    served.child.send({ letGo: true })
    expect(await served.ended).toEqual([0, null])
    expect(workers.filter(isAlive)).toEqual([])
  })

  it('in one worker on a signal to that, and another takes its place', async () => {
    // The second worker holds the port, which another program could take meanwhile.
    serve({ workers: 2, shutdown: { signals: ['SIGTERM'] } })
    const port = await served.port()
    const workers = (await served.hears('listens', 3)).filter(({ listens }) => listens === 'worker')
    process.kill(workers[0]!.pid, 'SIGTERM')
    const third = (await served.hears('listens', 4)).at(-1)!
    expect(await pidsOf(port, 10)).toEqual(new Set([workers[1]!.pid, third.pid]))
  })
})

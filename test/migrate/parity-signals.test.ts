import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundled } from '../support/bundled.js'
import { runInterruptibly } from '../../packages/cli/src/entry/interruptible.js'
import { runCommandLine } from '../../packages/cli/src/entry/run-command.js'
import { createParityProject, type ParityProject } from './parity-project.js'
import { itSlow } from '../support/counts.js'

jest.setTimeout(300_000)

let project: ParityProject
beforeAll(() => {
  project = createParityProject()
  const exchange = {
    version: 1,
    at: '2026-01-01T00:00:00.000Z',
    ms: 1,
    session: '1',
    method: 'GET',
    target: '/a',
    headers: [],
  }
  const line = JSON.stringify({ ...exchange, answer: { status: 200, headers: [] } })
  writeFileSync(join(project.folder, 'traffic.jsonl'), `${line}\n`.repeat(1000))
  for (const name of ['cli', 'preload']) {
    const program = bundled(`${name}.cjs`, {
      entryPoints: [join(__dirname, `../../packages/cli/src/${name}.ts`)],
    })
    cpSync(program, join(project.folder, `command/${name}.cjs`))
  }
})
afterAll(() => project.remove())

interface Running {
  readonly child: ChildProcess
  readonly output: () => { stdout: string; stderr: string }
  /** The processes of both sides. */
  readonly sides: readonly number[]
}

/** Starts `parity`, and waits until it has compared something. */
async function start(done: string): Promise<Running> {
  const words = ['parity', 'slow.cjs', '--cwd', project.folder, '--settle-ms', '50', '--resume', done]
  const file = join(project.folder, done)
  return startCommand(words, () => existsSync(file) && readFileSync(file, 'utf8').split('\n').length >= 4)
}

async function startCommand(words: string[], hasBegun: (stderr: string) => boolean): Promise<Running> {
  // What it leaves behind when it is killed goes with the project.
  const env = { ...process.env, TMPDIR: project.folder }
  const child = spawn(process.execPath, [join(project.folder, 'command/cli.cjs'), ...words], { env })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += String(chunk)))
  while (!hasBegun(output.stderr)) {
    if (child.exitCode !== null) throw new Error(output.stderr)
    await sleep(20)
  }
  const sides = [...output.stderr.matchAll(/^app \| process (\d+)$/gm)].map(([, pid]) => Number(pid))
  return { child, output: () => output, sides }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('A command that takes a while', () => {
  it('ends its work at the first signal and the process at the second, and undoes what it did last first', async () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never)
    const context = { stdout: new PassThrough(), stderr: new PassThrough(), preload: '' }
    const told: (string | number)[] = []
    const code = await runInterruptibly(
      { timeLimitMs: 60_000 },
      { ...context, today: '', version: () => '' },
      ({ signal, undo, beginWork }) => {
        undo(() => told.push('first'))
        undo(() => told.push('second'))
        beginWork()
        process.emit('SIGINT', 'SIGINT')
        expect([signal.aborted, exit.mock.calls]).toEqual([true, []])
        process.emit('SIGTERM', 'SIGTERM')
        return Promise.resolve(0)
      },
    )
    expect(exit.mock.calls).toEqual([[143]])
    expect([code, told]).toEqual([143, ['second', 'first']])
    exit.mockRestore()
  })
})

async function untilEnded(pids: readonly number[]): Promise<void> {
  while (pids.some(runs)) await sleep(20)
}

describe('routecontrollers parity', () => {
  itSlow('prints what it knows at Ctrl+C, and ends both sides', async () => {
    const { child, output, sides } = await start('interrupted.jsonl')
    // Legacy, legacy again, and the code as it is.
    expect(sides).toHaveLength(3)
    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number]
    const { stdout, stderr } = output()
    expect(code).toBe(130)
    expect(stdout).toContain('GET /a')
    expect(stdout).toMatch(/^✗ \d+ of \d+ requests differ/m)
    expect(stderr).toMatch(/\d+ of \d+ requests were compared until it was ended/)
    await untilEnded(sides)
    expect(readdirSync(project.folder).filter((name) => name.startsWith('routecontrollers-'))).toEqual([])
  })

  itSlow('leaves no side behind when it is killed itself', async () => {
    const { child, sides } = await start('killed.jsonl')
    child.kill('SIGKILL')
    await once(child, 'close')
    await untilEnded(sides)
  })
})

describe('A command line of --run', () => {
  it('ends with the process that runs it', async () => {
    const before = process.listeners('exit')
    const stderr = new PassThrough()
    const context = { stdout: new PassThrough(), stderr, preload: '', today: '', version: () => '' }
    const line = `"${process.execPath}" -e "console.log('runs');setTimeout(() => {}, 60000)"`
    const failure = runCommandLine(line, project.folder, context, true)
    await once(stderr, 'data')
    const added = process.listeners('exit').filter((one) => !before.includes(one))
    for (const end of added) end(143)
    expect(await failure).toBe('it was ended by SIGKILL')
    expect(process.listeners('exit')).toEqual(before)
  })
})

describe('routecontrollers inspect', () => {
  itSlow('ends by the signal that it gets, and its entry with it', async () => {
    const words = ['inspect', 'slow.cjs', '--cwd', project.folder, '--settle-ms', '30000']
    const { child, sides } = await startCommand(words, (stderr) => /^app \| process \d+$/m.test(stderr))
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([143, null])
    await untilEnded(sides)
  })
})

describe('routecontrollers replay', () => {
  itSlow('ends the entry when it is ended, at once when it is asked twice', async () => {
    const words = [
      'replay',
      'traffic.jsonl',
      '--against',
      'slow.cjs',
      '--cwd',
      project.folder,
      '--settle-ms',
      '50',
    ]
    const { child, sides } = await startCommand(words, (stderr) => /^app \| process \d+$/m.test(stderr))
    expect(sides).toHaveLength(1)
    child.kill('SIGTERM')
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([143, null])
    await untilEnded(sides)
  })
})

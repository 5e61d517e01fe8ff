// What is written, compared with the app as it was, and put back: by apps that are written here, so no entry is run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { questionOf } from '../../../packages/cli/src/check/check.js'
import { createLock, type Lock } from '../../../packages/cli/src/check/lock.js'
import type { Observation, RouteRow } from '../../../packages/cli/src/documents/inventory.js'
import { Broken } from '../../../packages/cli/src/edit/changed-file.js'
import type { Told } from '../../../packages/cli/src/edit/look.js'
import { write, type Writing, type Written } from '../../../packages/cli/src/edit/write.js'
import type { LookContext } from '../../../packages/cli/src/entry/command-context.js'
import type { CommandOptions } from '../../../packages/cli/src/entry/options.js'
import { type Given, inventory, nobody, pass, row } from '../written-rows.js'

const folder = mkdtempSync(join(tmpdir(), 'rc-write-'))
const file = join(folder, 'routes.js')
afterAll(() => rmSync(folder, { recursive: true }))

const inFile = (): string => readFileSync(file, 'utf8')
const guard = pass('guard')
const orders = (passes = [guard], given: Given = {}): RouteRow => row('GET /orders', passes, given)
const users = (passes = [guard]): RouteRow => row('GET /users', passes)

type Outcome = Awaited<ReturnType<LookContext['look']>>
type Asked = Parameters<LookContext['look']>[0]

/** An app, with who answers each request that it is asked about. */
function told(
  routes: readonly RouteRow[],
  { question }: Pick<Asked, 'question'>,
  other?: Observation,
  loaded: readonly string[] = [file],
): Told {
  const observations = question.map(
    ({ method, witness }): Observation =>
      routes.find((one) => one.method === method && one.witness === witness) ??
      other ??
      nobody(row(`${method} ${witness}`)),
  )
  const registered = { files: loaded }
  return { inventory: inventory(routes), observations, registered } as unknown as Told
}

interface Setting {
  readonly before?: readonly RouteRow[]
  readonly now?: readonly RouteRow[]
  /** What a request of the lock meets besides, before and now: no row of the app is for it. */
  readonly meets?: readonly [before: Observation, now: Observation]
  /** The files that are loaded before. */
  readonly loaded?: readonly string[]
  readonly committed?: readonly RouteRow[] | Lock
  readonly run?: readonly string[]
  readonly files?: Partial<Writing['files'][number]>
  /** Another file, behind the first one. */
  readonly second?: string
  /** Gets what is said, for one that throws. */
  readonly said?: (chunks: readonly string[]) => void
  readonly isRun?: boolean
  /** What the entry does in place of a report. */
  readonly look?: (asked: Asked) => Outcome | Promise<Outcome>
}

interface Result {
  readonly written: Written
  readonly said: string
  readonly broken: Broken
  readonly ran: readonly string[]
  /** How often the app was looked at. */
  readonly looks: number
}

async function writing(setting: Setting = {}): Promise<Result> {
  const { before = [orders()], now = [orders()], committed, run = [], isRun = true, meets } = setting
  writeFileSync(file, 'before')
  const lock =
    committed === undefined
      ? undefined
      : 'version' in committed
        ? committed
        : createLock(inventory(committed))
  const question = lock === undefined ? [] : questionOf(lock)
  const chunks: string[] = []
  const stream = { write: (chunk: string) => chunks.push(chunk) > 0 }
  let looks = 0
  setting.said?.(chunks)
  const look = (asked: Asked): Promise<Outcome> => {
    looks++
    return Promise.resolve(
      setting.look?.(asked) ??
        ({ report: { ...told(now, asked, meets?.[1]), ended: { by: 'settled' } }, code: 0 } as Outcome),
    )
  }
  const context = { stdout: stream, stderr: stream, look } as unknown as LookContext
  const options = { cwd: folder, entry: join(folder, 'server.js'), edit: { run }, timeLimitMs: 9 }
  const [broken, ran] = [new Broken(), new Set<string>()]
  const change = { text: 'before', written: 'after', isCompiled: false }
  const files = [{ file, ...change, ...setting.files }]
  if (setting.second !== undefined) files.push({ file: setting.second, ...change })
  const written = await write(options as unknown as CommandOptions, context, {
    files,
    before: told(before, { question }, meets?.[0], setting.loaded),
    committed: lock,
    isRun: () => isRun,
    broken,
    ran,
  })
  return { written, said: chunks.join(''), broken, ran: [...ran], looks }
}

describe('What was written', () => {
  it('stays where the app is what it was', async () => {
    const { written, said } = await writing()
    expect([written.code, written.isRestored, written.check?.ok]).toEqual([0, false, true])
    expect([inFile(), said]).toEqual(['after', ''])
  })

  it('tells of the files that are there and are loaded no more, in their order', async () => {
    const others = ['b.js', 'a.js'].map((name) => join(folder, name))
    for (const one of others) writeFileSync(one, '')
    const { written } = await writing({ loaded: [...others, file, join(folder, 'gone.js')] })
    expect(written.unloaded).toEqual(others.toReversed())
    expect((await writing()).written.unloaded).toEqual([])
  })

  it('is put back where a guard is lost, with what was found', async () => {
    const { written, said } = await writing({ now: [orders([])] })
    expect([written.code, written.isRestored]).toEqual([1, true])
    expect(written.check?.routes.flatMap(({ changes }) => changes.map(({ finding }) => finding))).toEqual([
      expect.stringContaining('lost guard'),
    ])
    expect([inFile(), said]).toEqual(['before', 'routecontrollers: All files are as they were: routes.js\n'])
  })

  it('is put back where another file cannot be written, and that one is named', async () => {
    let said: readonly string[] = []
    const second = join(folder, 'gone', 'other.js')
    const result = writing({ second, said: (chunks) => (said = chunks) })
    await expect(result).rejects.toThrow('ENOENT')
    expect([inFile(), said]).toEqual([
      'before',
      ['routecontrollers: Could not be put back, and may have what was written: git restore gone/other.js\n'],
    ])
    expect(process.listeners('exit').map(({ name }) => name)).not.toContain('putAllBack')
  })

  it('is put back where a request of the lock alone passes less', async () => {
    const locked = row('GET /orders/new', [guard])
    const meets = [locked, row('GET /orders/new')] as const
    expect((await writing({ committed: [orders(), locked], meets: [locked, locked] })).written.code).toBe(0)
    expect((await writing({ committed: [orders(), locked], meets })).written.code).toBe(1)
  })

  it('stays where the lock has found as much before', async () => {
    // A lock that is older than the app.
    const { written } = await writing({ committed: [orders(), users()] })
    expect([written.code, written.isRestored, inFile()]).toEqual([0, false, 'after'])
  })

  it('is compared for the routes, too, that the lock leaves out', async () => {
    const committed = createLock(inventory([orders()]), undefined, { except: ['GET /orders'] })
    expect(committed.routes).toEqual([])
    expect((await writing({ committed, now: [orders([])] })).written.code).toBe(1)
  })

  it('is put back where the process ends in the middle of it', async () => {
    const before = process.listeners('exit')
    let seen: unknown[] = []
    const { written } = await writing({
      look: (asked) => {
        const own = process.listeners('exit').filter((one) => !before.includes(one))
        seen = [inFile(), own.length]
        for (const one of own) one(1)
        seen.push(inFile())
        return { report: { ...told([orders()], asked), ended: { by: 'settled' } }, code: 0 } as Outcome
      },
    })
    expect([seen, written.code]).toEqual([['after', 1, 'before'], 0])
    expect(process.listeners('exit')).toEqual(before)
  })

  it('is put back where the app fails, and what it has said names the file', async () => {
    const { written, said, broken } = await writing({
      look: ({ output }) => {
        output?.write(`TypeError: no tea\n    at route (${file}:3:1)\n`)
        return { report: undefined, code: 1, signal: undefined }
      },
    })
    expect([written, inFile()]).toEqual([{ code: 3, isRestored: true }, 'before'])
    expect(broken.reasonsOf(file)).toEqual(['server.js fails with it: TypeError: no tea'])
    expect(said).toContain('server.js has failed, with the exit code 1')
    expect(said).toContain('All files are as they were: routes.js')
  })

  it('is put back where looking at the app fails', async () => {
    const before = process.listeners('exit')
    const failing = writing({ look: () => Promise.reject(new Error('no process')) })
    await expect(failing).rejects.toThrow('no process')
    expect([inFile(), process.listeners('exit')]).toEqual(['before', before])
  })

  it('stays, and nothing is compared, where the app runs as it did', async () => {
    const { written, said } = await writing({ isRun: false, now: [orders([])] })
    expect([written, inFile()]).toEqual([{ code: 3, isRestored: false }, 'after'])
    expect(said).toContain('server.js runs as it did, without what was written in routes.js')
  })

  it('stays, and no app is run, where a build makes of it what runs', async () => {
    const { written, said, looks } = await writing({ files: { isCompiled: true } })
    expect([written, inFile(), looks]).toEqual([{ code: 3, isRestored: false }, 'after', 0])
    expect(said).toContain('routes.js: what runs was built of it, so nothing is compared')
  })

  it('is compared after the commands that build it', async () => {
    const { written, ran, looks } = await writing({ files: { isCompiled: true }, run: ['exit 0'] })
    expect([written.code, ran, looks, inFile()]).toEqual([0, ['exit 0'], 1, 'after'])
  })

  it('is put back where a command fails, and no command is run after it', async () => {
    const fails = `node -e "console.error('SyntaxError: no tea\\n    at ${file}:3:1'); process.exit(4)"`
    const { written, said, broken, ran, looks } = await writing({ run: ['exit 0', fails, 'exit 5'] })
    expect([written, inFile(), looks]).toEqual([{ code: 1, isRestored: true }, 'before', 0])
    expect(ran).toEqual(['exit 0', fails])
    expect(said).toContain(`${fails} has failed`)
    expect(broken.reasonsOf(file)).toEqual([`${fails} fails with it: SyntaxError: no tea`])
  })

  it('is put back with the advice to write a lock, where paths are others with each start', async () => {
    const random = (name: string): RouteRow =>
      row(`GET /files/${name}`, [guard], { own: { source: 'same' }, answer: { source: 'same' } })
    const { written, said } = await writing({
      before: [orders(), random('4f0c9a1e')],
      now: [orders(), random('b27d53c8')],
    })
    expect([written.code, inFile()]).toEqual([1, 'before'])
    expect(said).toContain('Paths as /files/* are others with each start: write a lock')
  })
})

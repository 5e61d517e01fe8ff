// An app whose `npm start` runs what a build has made, which git ignores: who finds it, and what a revision is compared with.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BriefReport, Inventory, ParityReport, ProveReport, StatusReport } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { isBuilt, sourceOf } from '../../packages/cli/src/entry/built-entry.js'
import { createCommittedProject, type MoveProject } from './move/move-project.js'
import { type Command, createCommand, type Ran } from './run-command.js'

// Each run starts a process or two, and waits until nothing more is registered.
jest.setTimeout(300_000)

const server = `const express = require('express')
const { native } = require('routecontrollers/express')
const app = express()
app.get('/teas', (req, res) => { res.json(['green']) })
app.get('/cups', native((req, res) => res.json(1)))
if (process.env.NODE_ENV === 'production') app.get('/ready', (req, res) => { res.send(process.argv[2]) })
app.listen(3000)
`
const scripts = {
  start: 'npm run build && NODE_ENV=production node dist/server.js now',
  build: 'node build.cjs',
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject({
    'package.json': JSON.stringify({ scripts, dependencies: { routecontrollers: '*' } }),
    'build.cjs': "require('fs').cpSync('src', 'dist', { recursive: true })\n",
    'src/server.js': server,
    'start.cjs': "require('./dist/server.js')\n",
    '.gitignore': 'node_modules\ndist\nlocal.json\n',
    'local.json': '{}',
  })
  build()
})
afterAll(() => {
  command.remove()
  project.remove()
})

const build = (): void =>
  void execFileSync(process.execPath, ['build.cjs'], { cwd: project.folder, stdio: 'pipe' })
const run = (name: string, ...more: string[]): Promise<Ran> => {
  const [own, behind] = [more, more.splice(more.includes('--') ? more.indexOf('--') : more.length)]
  return command.run(name, ...own, '--cwd', project.folder, '--settle-ms', '50', ...behind)
}
const jsonOf = async <Document>(...parameters: [string, ...string[]]): Promise<Document> => {
  const { stdout, stderr } = await run(...parameters, '--json')
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Document
}

describe('The entry of a command', () => {
  const pathsOf = async (...more: string[]): Promise<string[]> =>
    (await jsonOf<Inventory>('inspect', ...more)).routes.map(({ path }) => path)

  it.each([[[]], [['dist/server.js']], [['--entry', 'dist/server.js']]])(
    'runs as npm start runs it: inspect %j',
    async (given) => {
      expect(await pathsOf(...given)).toEqual(['/teas', '/cups', '/ready'])
      expect(await pathsOf(...given, '--env', 'NODE_ENV=test')).toEqual(['/teas', '/cups'])
    },
  )

  itSlow('has nothing of npm start where that runs another file', async () => {
    expect(await pathsOf('src/server.js')).toEqual(['/teas', '/cups'])
    expect(await pathsOf('--entry', 'start.cjs')).toEqual(['/teas', '/cups'])
  })

  itSlow('is told, with what npm start gives it', async () => {
    const by = 'npm start runs "NODE_ENV=production node dist/server.js now"'
    expect((await run('inspect')).stderr).toContain(`${by}, so the entry is dist/server.js\n`)
    expect((await run('inspect', 'dist/server.js')).stderr).toContain(
      `${by}, so the entry gets NODE_ENV and arguments from there\n`,
    )
    expect((await run('inspect', 'dist/server.js', '--', 'other')).stderr).toContain(
      `${by}, so the entry gets NODE_ENV from there\n`,
    )
    expect((await run('inspect', 'src/server.js')).stderr).not.toContain('npm start')
  })

  itSlow('is the same to inspect --lock, check and parity', async () => {
    expect((await run('inspect', '--lock', '--once')).stderr).toContain('routes.lock.json: 3 routes')
    for (const given of [[], ['dist/server.js'], ['--entry', 'dist/server.js']]) {
      const { code, stdout } = await run('check', ...given)
      expect([code, stdout]).toEqual([0, '✓ 3 routes checked: nothing is lost\n'])
    }
    rmSync(join(project.folder, 'routes.lock.json'))
    expect((await run('parity')).stderr).toContain(
      "so both sides are the same: --base REVISION --run 'npm run build' says what to compare with",
    )
    expect((await run('parity', '--entry', 'src/server.js')).stderr).toContain(
      'src/server.js has no RouteControllers and no native callback before a handler',
    )
  })

  it.each([
    [['inspect', '--lock', 'src/server.js'], '--lock would write over the code in src/server.js'],
    [['check', '--html', 'dist/server.js'], '--html would write over the code in dist/server.js'],
    [['check', '--entry', 'start.cjs', 'dist/server.js'], 'check takes one entry, not "dist/server.js" too'],
  ] as const)('is no value of an option: %j', async (parameters, sentence) => {
    const { code, stderr } = await run(...(parameters as unknown as [string]))
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(readFileSync(join(project.folder, 'src/server.js'), 'utf8')).toBe(server)
  })
})

describe('A revision that has no such entry', () => {
  const source = join('src', 'server.js')
  const remedies = "--run 'npm run build' builds it there, or --entry src/server.js runs its source"

  afterEach(() => {
    writeFileSync(join(project.folder, source), server)
    build()
  })

  it.each(['dist', 'dist/server.js', './dist/'])('never gets that of today: --carry %s', async (name) => {
    const { code, stdout, stderr } = await run('parity', 'dist/server.js', '--base', 'HEAD', '--carry', name)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(
      `--carry: ${name} has the entry, so both sides would be the code of today: --run 'npm run build' builds the revision's own, or --entry src/server.js runs its source`,
    )
  })

  itSlow('names what has the entry, to parity and prove', async () => {
    for (const parameters of [['parity'], ['prove', 'GET /cups']] as [string, ...string[]][]) {
      const { code, stderr } = await run(...parameters, '--base', 'HEAD')
      expect(code).toBe(2)
      expect(stderr).toMatch(/^routecontrollers: --base: there is no dist\/server\.js in HEAD \(\w+\), /m)
      expect(stderr).toContain(`because a build makes it: ${remedies}\n`)
    }
    writeFileSync(join(project.folder, 'new.cjs'), server)
    const { code, stderr } = await run('parity', 'new.cjs', '--base', 'HEAD')
    rmSync(join(project.folder, 'new.cjs'))
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /there is no new\.cjs in HEAD \(\w+\): name a revision that has it, or by --entry a file that both have\n/,
    )
  })

  itSlow('builds its own by --run, so that an answer which was broken and built is found', async () => {
    const given = ['--base', 'HEAD', '--run', 'node build.cjs'] as const
    const same = await jsonOf<ParityReport>('parity', ...given)
    expect([same.ok, same.compared > 0]).toEqual([true, true])
    expect(same.notes.join()).toMatch(/has nothing that git ignores: local\.json\./)
    writeFileSync(join(project.folder, source), server.replace("'green'", "'black'"))
    build()
    const { groups } = await jsonOf<ParityReport>('parity', ...given)
    expect(groups.map(({ routes }) => routes)).toEqual([['GET /teas']])
    // The source of both is found alike.
    const bySource = await jsonOf<ParityReport>('parity', '--base', 'HEAD', '--entry', source)
    expect(bySource.groups.map(({ routes }) => routes)).toEqual([['GET /teas']])
  })

  itSlow('says what has failed in it', async () => {
    const failed = await run('parity', '--base', 'HEAD', '--run', 'exit 4')
    expect(failed.code).toBe(3)
    expect(failed.stderr).toMatch(/--run: exit 4 has failed in HEAD \(\w+\): its exit code is 4\n/)
    const idle = await run('parity', '--base', 'HEAD', '--run', 'node -e 0')
    expect(idle.code).toBe(2)
    expect(idle.stderr).toMatch(/there is no dist\/server\.js in HEAD \(\w+\), and --run has not made it\n/)
  })

  itSlow('says that code of today is not compared, which an entry of its own reads', async () => {
    const missed = await run('parity', 'start.cjs', '--base', 'HEAD')
    expect(missed.code).toBe(3)
    expect(missed.stderr).toContain(
      "It has not found dist/server.js, which git ignores: --run 'npm run build' makes what a build makes",
    )
    const said = 'Both sides run dist of today, by --carry: what has changed in that code is not compared.'
    const carried = ['--base', 'HEAD', '--carry', 'local.json', '--carry', 'dist'] as const
    expect((await jsonOf<ParityReport>('parity', 'start.cjs', ...carried)).notes).toContain(said)
    const proof = await run('prove', 'GET /cups', 'start.cjs', ...carried)
    expect(proof.stdout.replace(/\s+/g, ' ')).toContain(said)
  })

  it.each(['parity', 'prove'])('is needed for --run: %s', async (name) => {
    const { code, stderr } = await run(name, ...(name === 'prove' ? ['GET /teas'] : []), '--run', 'true')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--run goes with --base: it makes in that')])
  })
})

describe('The next command of a built app', () => {
  itSlow('builds what it has written', async () => {
    const { run: builds } = await jsonOf<StatusReport>('status')
    expect(builds).toBe('npm run build')
    const { stdout } = await run('status')
    expect(stdout).toContain("routecontrollers move 'GET /teas' --write --run 'npm run build'\n")
    const { commands } = await jsonOf<BriefReport>('brief', 'GET /teas')
    expect(commands[0]).toBe("routecontrollers move 'GET /teas' --write --run 'npm run build'")
    expect((await jsonOf<StatusReport>('status', 'src/server.js')).run).toBeUndefined()
  })

  itSlow('builds the revision that a proof needs', async () => {
    const { missing } = await jsonOf<ProveReport>('prove', 'GET /cups')
    expect(missing.map(({ code, remedy }) => [code, remedy])).toContainEqual([
      'no-legacy',
      "name a revision of git that has the handler: --base REVISION --run 'npm run build'",
    ])
  })
})

describe('The source of an entry', () => {
  const map = (sources: string[], more = {}): string =>
    JSON.stringify({ version: 3, sources, mappings: '', ...more })
  const inline = (text: string): string =>
    `//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}\n`

  it.each<[title: string, files: Record<string, string>, source: string | undefined]>([
    [
      'its map says it',
      {
        'out/a.js': '//# sourceMappingURL=a.js.map\n',
        'out/a.js.map': map(['../lib/main.ts']),
        'lib/main.ts': '',
      },
      'lib/main.ts',
    ],
    [
      'a map in it says it',
      { 'out/a.js': inline(map(['../lib/main.ts'])), 'lib/main.ts': '' },
      'lib/main.ts',
    ],
    [
      'from the root of the map',
      { 'out/a.js': inline(map(['main.ts'], { sourceRoot: '../lib' })), 'lib/main.ts': '' },
      'lib/main.ts',
    ],
    ['a file of its name in src', { 'out/in/a.js': '', 'src/in/a.ts': '' }, 'src/in/a.ts'],
    ['a file of its name', { 'out/src/a.js': '', 'src/a.mts': '' }, 'src/a.mts'],
    [
      'a script runs it',
      {
        'package.json': JSON.stringify({ scripts: { start: 'node out/a.js', dev: 'tsx watch app.ts' } }),
        'out/a.js': '//# sourceMappingURL=none.map\n',
        'app.ts': '',
      },
      'app.ts',
    ],
    [
      'none of several that a bundle was made of',
      { 'out/a.js': inline(map(['../x.ts', '../y.ts'])), 'x.ts': '', 'y.ts': '' },
      undefined,
    ],
    [
      'none of a package',
      { 'out/a.js': inline(map(['../node_modules/a/x.ts'])), 'node_modules/a/x.ts': '' },
      undefined,
    ],
    ['none out of the project', { 'out/a.js': inline(map(['../../server.js'])) }, undefined],
    [
      'the last of its maps says it',
      { 'out/a.js': inline(map(['../y.ts'])) + inline(map(['../x.ts'])), 'x.ts': '', 'y.ts': '' },
      'x.ts',
    ],
    ['nothing says it', { 'out/a.js': inline(map(['x.ts', 'y.ts'])), 'x.ts': '' }, undefined],
  ])('%s', (_title, files, source) => {
    const entry = Object.keys(files).find((name) => name.startsWith('out/'))!
    const folder = join(project.folder, 'sources')
    for (const [name, text] of Object.entries({ '.gitignore': 'out\n', ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const found = sourceOf(folder, join(folder, entry))
    expect(isBuilt(folder, join(folder, entry))).toBe(true)
    expect(isBuilt(folder, join(folder, source ?? 'x.ts'))).toBe(false)
    rmSync(folder, { recursive: true })
    expect(found).toBe(source && join(folder, source))
  })
})

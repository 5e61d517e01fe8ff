// The two sides of `parity`: what they read is that of the project or of its revision, and what they write stays with them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { itSlow, slowRows } from '../support/counts.js'
import type { CommandOptions } from '../../packages/cli/src/entry/options.js'
import { prepareSides, type SideFolders } from '../../packages/cli/src/parity/sides.js'

let top: string
let project: string
let undone: (() => void)[]
beforeEach(() => {
  top = mkdtempSync(join(realpathSync(tmpdir()), 'parity-sides-'))
  project = join(top, 'project')
  undone = []
  write('app.cjs', 'module.exports = 1\n')
})
afterEach(() => {
  for (const action of undone.reverse()) action()
  rmSync(top, { recursive: true, force: true })
})

function write(file: string, text: string): void {
  const path = join(project, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')
const git = (...parameters: string[]): string =>
  execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...parameters], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
function commit(): void {
  if (!existsSync(join(project, '.git'))) git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'a')
}

interface Asked {
  readonly cwd?: string
  readonly data?: string
  readonly dataEnv?: string
  readonly base?: string
  readonly run?: readonly string[]
  readonly carry?: readonly string[]
  readonly legacyEnv?: Readonly<Record<string, string>>
}

function sides({ cwd = project, data, run = [], carry = [], ...more }: Asked): Promise<SideFolders> {
  const parity = { legacyEnv: {}, install: false, run, carry, ...more, data: data && join(cwd, data) }
  const options = { cwd, entry: join(cwd, 'app.cjs'), env: {}, parity } as unknown as CommandOptions
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const context = { stdout, stderr, preload: '', today: '2026-11-21', version: () => '1.2.3' }
  return prepareSides(options, context, (action) => undone.push(action))
}

describe('The data of a side', () => {
  /** Data as they stand outside of the project. */
  const outside = (file: string): string => join(top, 'outside', file)
  beforeEach(() => {
    mkdirSync(join(top, 'outside'))
    writeFileSync(outside('db.json'), 'precious')
  })
  /** Writes where each side has them, and gives what the sides have read before. */
  function spoil({ legacy, again, now }: SideFolders, file: string): string[] {
    const all = [...new Set([legacy, again, now].map(({ cwd }) => cwd))]
    const before = all.map((cwd) => read(cwd, file))
    for (const cwd of all) writeFileSync(join(cwd, file), 'spoilt')
    return before
  }

  it.each(slowRows(1, ['HEAD', undefined]))(
    'are copies where a link leads out of the project: --base %s',
    async (base) => {
      symlinkSync(join(top, 'outside'), join(project, 'data'))
      write('.gitignore', 'data\n')
      commit()
      expect(spoil(await sides({ data: 'data', ...(base && { base }) }), 'data/db.json')).toEqual(
        Array(3).fill('precious'),
      )
      expect(read(outside('db.json'))).toBe('precious')
    },
  )

  it('are copies where a link leads to another folder of the project', async () => {
    write('real/db.json', 'precious')
    symlinkSync('real', join(project, 'data'))
    expect(spoil(await sides({ data: 'data' }), 'data/db.json')).toEqual(Array(3).fill('precious'))
    expect(read(project, 'real/db.json')).toBe('precious')
  })

  it('keep the links within them, and have what others lead to', async () => {
    write('data/v1/db.json', 'precious')
    symlinkSync('v1', join(project, 'data/current'))
    symlinkSync(join(top, 'outside'), join(project, 'data/uploads'))
    symlinkSync('nowhere', join(project, 'data/dangling'))
    const found = await sides({ data: 'data' })
    expect(spoil(found, 'data/current/db.json')).toEqual(Array(3).fill('precious'))
    expect(read(found.now.cwd, 'data/v1/db.json')).toBe('spoilt')
    expect(spoil(found, 'data/uploads/db.json')).toEqual(Array(3).fill('precious'))
    expect([read(project, 'data/v1/db.json'), read(outside('db.json'))]).toEqual(['precious', 'precious'])
  })

  it('are named by a variable, and copied with what their links lead to', async () => {
    symlinkSync(join(top, 'outside'), join(project, 'data'))
    const { legacy, again, now } = await sides({ data: 'data', dataEnv: 'DATA' })
    expect([legacy, again, now].map(({ cwd }) => cwd)).toEqual(Array(3).fill(project))
    const folders = [legacy, again, now].map(({ env }) => env['DATA']!)
    expect(new Set(folders).size).toBe(3)
    for (const folder of folders) writeFileSync(join(folder, 'db.json'), 'spoilt')
    expect(read(outside('db.json'))).toBe('precious')
  })

  it('are refused where they stand behind a link that leads out of the project', async () => {
    mkdirSync(outside('inner'))
    symlinkSync(join(top, 'outside'), join(project, 'link'))
    await expect(sides({ data: 'link/inner' })).rejects.toThrow(
      '--data: link/inner stands behind a link that leads out of the project: name what the link leads to, by --data-env NAME for data',
    )
    expect(read(outside('db.json'))).toBe('precious')
  })

  it.each(['.', '..', '../..'])('are refused where a link of theirs leads back: %s', async (target) => {
    write('data/deep/db.json', '1')
    symlinkSync(join(project, 'data/deep', target), join(top, 'outside/back'))
    symlinkSync(join(top, 'outside'), join(project, 'data/deep/out'))
    await expect(sides({ data: 'data/deep' })).rejects.toThrow(
      /^--data: .*back leads to .*, which it stands in/,
    )
  })
})

itSlow('A revision is said to lack what git ignores, five files by their names', async () => {
  write('.gitignore', '*.local\n')
  commit()
  const lacks = async (count: number): Promise<string> => {
    for (let at = 1; at <= count; at++) write(`${at}.local`, '')
    return (await sides({ base: 'HEAD' })).notes.find((note) => note.includes('git ignores'))!
  }
  expect(await lacks(5)).toContain(' ignores: 1.local, 2.local, 3.local, 4.local, 5.local. --carry')
  expect(await lacks(7)).toContain(
    ' ignores: 1.local, 2.local, 3.local, 4.local, 5.local and 2 more. --carry',
  )
})

it.each(slowRows(1, ['HEAD', undefined]))(
  'Variables for legacy are not those of the code as it is: --base %s',
  async (base) => {
    commit()
    const found = await sides({ legacyEnv: { TEA: 'before' }, ...(base && { base }) })
    const { legacy, again, now } = found
    expect([legacy, again, now].map(({ env }) => env['TEA'])).toEqual(['before', 'before', undefined])
  },
)

it('A revision may have files whose names are longer than a mebibyte', async () => {
  write('a.txt', '')
  commit()
  const blob = git('hash-object', 'a.txt').trim()
  // A checkout of few files with long names takes less time than one of many.
  const folder = Array.from({ length: 12 }, (_one, at) => `${at}`.padStart(250, 'a')).join('/')
  const lines = Array.from({ length: 400 }, (_one, at) => `100644 ${blob}\t${folder}/${at}.txt`)
  execFileSync('git', ['-C', project, 'update-index', '--index-info'], { input: lines.join('\n') })
  const { legacy } = await sides({ base: 'HEAD' })
  expect(existsSync(join(legacy.cwd, 'app.cjs'))).toBe(true)
})

itSlow('A revision is not said to lack what it was given', async () => {
  write('.gitignore', '*.local\n')
  commit()
  for (const name of ['one.local', 'two.local']) write(name, '')
  const { notes } = await sides({ base: 'HEAD', carry: ['one.local'] })
  expect(notes.find((note) => note.includes('git ignores'))).toContain(' ignores: two.local. --carry')
})

itSlow('A revision has its own .env, and those of today that it has not', async () => {
  write('.env', 'TEA=before')
  commit()
  write('.env', 'TEA=today')
  write('.env.local', 'CUP=today')
  const { legacy } = await sides({ base: 'HEAD' })
  expect(['.env', '.env.local'].map((name) => read(legacy.cwd, name))).toEqual(['TEA=before', 'CUP=today'])
})

itSlow(
  'A revision has the times of the files of the project, of which validators of static files are made',
  async () => {
    write('public/tea.txt', 'tea')
    commit()
    const time = new Date(2001, 1, 3)
    utimesSync(join(project, 'public/tea.txt'), time, time)
    const { legacy } = await sides({ base: 'HEAD' })
    expect(statSync(join(legacy.cwd, 'public/tea.txt')).mtime).toEqual(time)
  },
)

describe('The packages of a revision', () => {
  beforeEach(() => write('.gitignore', 'node_modules\n.cache\n'))

  itSlow(
    'are its own where a command runs there, so that what it writes does not reach the project',
    async () => {
      write('node_modules/tea/index.js', "module.exports = 'of today'\n")
      write('node_modules/.gen/client.js', 'of today')
      write('node_modules/.cache/large', '')
      mkdirSync(join(project, 'node_modules/.bin'))
      symlinkSync('../tea/index.js', join(project, 'node_modules/.bin/tea'))
      commit()
      const spoil = `node -e "
      const fs = require('fs')
      fs.writeFileSync('node_modules/.gen/client.js', 'of the base')
      fs.writeFileSync('node_modules/tea/index.js', '')
      fs.writeFileSync('node_modules/.bin/tea', 'by a link')
    "`
      const { legacy } = await sides({ base: 'HEAD', run: [spoil] })
      expect(read(legacy.cwd, 'node_modules/.gen/client.js')).toBe('of the base')
      expect(read(legacy.cwd, 'node_modules/tea/index.js')).toBe('by a link')
      expect(existsSync(join(legacy.cwd, 'node_modules/.cache'))).toBe(false)
      expect(read(project, 'node_modules/.gen/client.js')).toBe('of today')
      expect(read(project, 'node_modules/tea/index.js')).toBe("module.exports = 'of today'\n")
    },
  )

  itSlow('stay where they are when a command takes them away there', async () => {
    write('node_modules/tea/index.js', 'tea')
    commit()
    await sides({ base: 'HEAD', run: [`node -e "fs.rmSync('node_modules', { recursive: true })"`] })
    expect(readdirSync(join(project, 'node_modules/tea'))).toEqual(['index.js'])
  })

  describe.each([[[]], [['node -e 1']]])('of a workspace, with --run %j', (run) => {
    const used = (folder: string): string =>
      execFileSync(process.execPath, ['-p', "require('@x/routes')"], { cwd: folder, encoding: 'utf8' }).trim()

    it.each(slowRows(1, ['apps/web', '.']))('are those of the revision, for the app in %s', async (where) => {
      const app = join(project, where)
      write(join(where, 'app.cjs'), 'module.exports = 1\n')
      write('packages/routes/index.js', "module.exports = 'before ' + require('@x/names') + require('tea')\n")
      write('packages/names/index.js', "module.exports = 'before '\n")
      write('node_modules/tea/index.js', "module.exports = 'tea'\n")
      mkdirSync(join(project, 'node_modules/@x'))
      symlinkSync('../../packages/routes', join(project, 'node_modules/@x/routes'))
      // As pnpm has it: each package has what it needs.
      mkdirSync(join(project, 'packages/routes/node_modules/@x'), { recursive: true })
      symlinkSync('../../../names', join(project, 'packages/routes/node_modules/@x/names'))
      commit()
      write('packages/routes/index.js', "module.exports = 'today'\n")
      write('packages/names/index.js', "module.exports = 'today'\n")
      const { legacy } = await sides({ cwd: app, base: 'HEAD', run })
      expect([used(legacy.cwd), used(app)]).toEqual(['before before tea', 'today'])
    })
  })

  itSlow('are not written where --carry names a file behind a link that leads out', async () => {
    mkdirSync(join(top, 'outside'))
    writeFileSync(join(top, 'outside/secret.json'), '{}')
    symlinkSync(join(top, 'outside'), join(project, 'conf'))
    commit()
    await expect(sides({ base: 'HEAD', carry: ['conf/secret.json'] })).rejects.toThrow(
      '--carry: conf/secret.json stands behind a link that leads out of the project',
    )
  })
})

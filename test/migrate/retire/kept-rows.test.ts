// Which handlers `retire` leaves by what files tell of their routes: of an app that is evaluated here, so no entry is run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { compileFunction } from 'node:vm'
import express from 'express'
import * as routecontrollers from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import type { LookContext } from '../../../packages/cli/src/entry/command-context.js'
import { type CommandOptions, readCommandLine } from '../../../packages/cli/src/entry/options.js'
import { FunctionReader } from '../../../packages/cli/src/inspect/functions.js'
import { withReading } from '../../../packages/cli/src/inspect/inventory.js'
import { readRegistered } from '../../../packages/cli/src/inspect/read-registered.js'
import { currentRecorder } from '../../../packages/cli/src/inspect/record.js'
import { retireEntry } from '../../../packages/cli/src/retire/command.js'
import type { RetireResult } from '../../../packages/cli/src/retire/retire-text.js'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'kept-rows-'))
const stop = recordRegistrations(express)
// Hears of each text as it is evaluated.
const reader = new FunctionReader()
beforeAll(() => {
  void reader.files
  write('server.cjs', '')
})
afterAll(() => {
  reader.close()
  stop()
  rmSync(folder, { recursive: true })
})

function write(name: string, text: string): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const modules: Record<string, unknown> = { express, 'routecontrollers/express': routecontrollers }
const usual = `const app = require('express')()
const { native } = require('routecontrollers/express')
app.get('/a', native(() => 'new'), (req, res) => res.send('old'))
app.get('/b', native(() => 'new'), (req, res) => res.send('old'))
`

const made = (name: string): unknown =>
  compileFunction('return (req, res) => res.send(1)', [], { filename: join(folder, name) })()
const reports = new Map<string, object>()
function reportOf(file: string, text: string): object {
  const program = compileFunction(`${text}\nreturn app`, ['require'], { filename: file })
  const app: unknown = program((module: string) => modules[module])
  return withReading(app, { root: folder }, (reading) => {
    const inventory = reading.inventory()
    const registered = readRegistered(reading, inventory, currentRecorder()!)
    return { inventory, registered, ended: { by: 'settled' }, hasListened: true }
  })
}

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `retire` for an app that stands in a file, which is the same app whatever is written there. */
async function retire(name: string, ...parameters: string[]): Promise<Ran> {
  const text = texts[name] ?? usual
  const file = write(name, text)
  const report = reports.get(file) ?? reportOf(file, text)
  reports.set(file, report)
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const look = () => Promise.resolve({ report, code: undefined, signal: undefined })
  const line = ['retire', '--entry', 'server.cjs', '--cwd', folder, '--json', ...parameters]
  const code = await retireEntry(
    readCommandLine(line) as CommandOptions,
    { stdout, stderr, look } as unknown as LookContext,
  )
  return { code, stdout: String(stdout.read()), stderr: String(stderr.read()) }
}

const texts: Record<string, string> = {
  'stays.cjs': `const app = require('express')()
const { native } = require('routecontrollers/express')
const { list } = require('./teas.cjs')
const { served } = require('files')
app.get('/a', native(() => 'new'), list)
app.get('/b', native(() => 'new'), served)
`,
}

/** Why each route stays; `gone` for a handler that is deleted. */
async function keptIn(name: string, ...parameters: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await retire(name, ...parameters)
  if (code !== 0) throw new Error(stderr)
  const { routes } = JSON.parse(stdout) as RetireResult
  return Object.fromEntries(routes.map(({ path, left }) => [path, left ?? 'gone']))
}

it('leaves what the file of a store does not have as native', async () => {
  write('states.json', JSON.stringify({ states: { '/a': ' native ', 'GET /b': 'canary 50%' } }))
  expect(await keptIn('app.cjs', '--native-in', 'states.json')).toEqual({
    '/a': 'gone',
    '/b': 'its state in states.json is canary 50%',
  })
  write('states.json', JSON.stringify({ states: {} }))
  expect((await keptIn('app.cjs', '--native-in', 'states.json'))['/a']).toBe(
    'its state in states.json is legacy',
  )
})

it.each(['legacy', 'native'])(
  'leaves all routes where the off switch says %s, named ones too',
  async (state) => {
    write('states.json', JSON.stringify({ states: { '*': 'native', '!*': state } }))
    const off = 'the off switch is on in states.json'
    expect(await keptIn('app.cjs', '--native-in', 'states.json')).toEqual({ '/a': off, '/b': off })
    expect((await keptIn('app.cjs', 'GET /a', '--native-in', 'states.json'))['/a']).toBe(off)
  },
)

it('leaves a route that no client asks for, unless it is named', async () => {
  const asked = { state: 'native', isDead: false, lastAskedAt: '2030-01-01T00:00:00.000Z' }
  const routes = [
    { ...asked, route: 'GET /a', isDead: true },
    { ...asked, route: 'GET /b' },
  ]
  write('status.json', JSON.stringify({ version: 1, routes }))
  expect(await keptIn('app.cjs', '--native-in', 'status.json')).toEqual({
    '/a': 'status.json tells of no request for it lately: name it, if it may go all the same',
    '/b': 'gone',
  })
  expect(await keptIn('app.cjs', 'GET /a', '--native-in', 'status.json')).toEqual({
    '/a': 'gone',
    '/b': 'it was not chosen',
  })
})

it('leaves a file below a folder node_modules that is not named, and one that the repository does not have', async () => {
  const [file, routes] = ['packages/node_modules/teas/index.cjs', ['--routes', '/**']]
  execFileSync('git', ['init', '-q'], { cwd: folder })
  expect((await keptIn(file, file, ...routes))['/a']).toBe('a package registers it')
  execFileSync('git', ['add', '-f', file], { cwd: folder })
  expect((await keptIn(file, ...routes))['/a']).toBe(
    'its file is below a folder node_modules: name the file, where it is your own',
  )
  expect((await keptIn(file, file, ...routes))['/a']).toBe('gone')
})

it('says that nothing was compared where all native callbacks still have their handlers', async () => {
  const { code, stdout, stderr } = await retire('app.cjs', '--routes', '/**', '--write', '--force')
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining('server.cjs runs as it did, without what was written in app.cjs'),
  ])
  expect(JSON.parse(stdout)).toMatchObject({ written: ['app.cjs'], isRestored: false, isCompared: false })
})

it('names the handlers of other files that stay, and none of a package', async () => {
  modules['./teas.cjs'] = { list: made('teas.cjs') }
  modules['files'] = { served: made('node_modules/files/index.js') }
  const { stdout } = await retire('stays.cjs', '--routes', '/**')
  const { routes } = JSON.parse(stdout) as RetireResult
  expect(routes.map(({ left, stays }) => [left, stays])).toEqual([
    [undefined, [{ name: 'list', at: 'teas.cjs:1' }]],
    [undefined, undefined],
  ])
})

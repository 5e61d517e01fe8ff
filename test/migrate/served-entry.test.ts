// An entry that answers requests, for the commands that ask it: whom it would answer by, where it is, and what it has not found.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { itSlow } from '../support/counts.js'
import { bundled } from '../support/bundled.js'
import { type CommandOptions, readCommandLine } from '../../packages/cli/src/entry/options.js'
import { type Side, startSide } from '../../packages/cli/src/entry/serve-side.js'

jest.setTimeout(300_000)

let folder: string
let preload: string
let side: Side
let started: number | undefined
const stderr = new PassThrough()
beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'served-entry-'))
  preload = bundled('preload.cjs', { entryPoints: [join(__dirname, '../../packages/cli/src/preload.ts')] })
  symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'app.cjs'),
    `const express = require('express')
const fs = require('node:fs')
try {
  fs.readFileSync('made.json')
} catch (error) {
  console.error(error.message)
  fs.writeFileSync('made.json', '{}')
}
const answer = (req, res) => res.end()
express().get('/a', answer).get('/b', answer).listen(0)
express().get('/c', answer).listen(0)
`,
  )
  side = await start('app.cjs')
})
afterAll(async () => {
  await side.entry?.stop()
  if (started !== undefined && runs(started)) process.kill(started, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

function start(entry: string): Promise<Side> {
  const options = readCommandLine(['parity', entry, '--cwd', folder, '--settle-ms', '30'])
  return startSide(
    { name: 'now', cwd: folder, entry: join(folder, entry), env: {} },
    'by state',
    options as CommandOptions,
    { stdout: new PassThrough(), stderr, preload, today: '', version: () => '' },
    () => {},
  )
}

it('tells of each question, and not of the one before', async () => {
  for (const path of ['/a', '/b']) {
    const asked = { app: 0, method: 'GET', witness: path, answer: `GET ${path}` }
    const told = await side.entry!.observe([asked])
    expect(told?.map(({ answer }) => answer.route)).toEqual([`GET ${path}`])
  }
})

it('is where its first server is, for an app that none is known of', () => {
  const urls = [0, 1, 2].map((app) => side.placeOf(app).url.href)
  expect(new Set(urls).size).toBe(2)
  expect(urls[2]).toBe(urls[0])
})

it('is where a listener is of which nothing is known, for an app that no server has', async () => {
  writeFileSync(
    join(folder, 'behind.cjs'),
    `const express = require('express')
const answer = (req, res) => res.end(req.url)
const behind = express().get('/behind', answer)
express().get('/known', answer).listen(0)
require('node:http').createServer((req, res) => behind(req, res)).listen(0)
`,
  )
  const behind = await start('behind.cjs')
  try {
    const { routes } = behind.report!.inventory!
    expect(routes.map(({ path }) => path).sort()).toEqual(['/behind', '/known'])
    const answers = routes.map(({ app, path }) => fetch(new URL(path, behind.placeOf(app).url)))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  } finally {
    await behind.entry!.stop()
  }
})

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

itSlow('ends with the process that has started it', async () => {
  const settings = {
    reports: join(folder, 'reports'),
    root: folder,
    settleMs: 30,
    timeLimitMs: 30_000,
    question: [],
  }
  writeFileSync(
    join(folder, 'starter.cjs'),
    `const { existsSync, writeFileSync } = require('node:fs')
const settings = { ...${JSON.stringify(settings)}, serve: { withoutControllers: false, parent: process.pid } }
writeFileSync('start.cjs', 'require(' + ${JSON.stringify(JSON.stringify(preload))} + ').start(' + JSON.stringify(settings) + ')')
const options = { detached: process.platform !== 'win32', stdio: 'ignore' }
const { pid } = require('node:child_process').spawn(process.execPath, ['--require', './start.cjs', 'app.cjs'], options)
process.stdout.write(String(pid))
setInterval(() => existsSync('reports/' + pid + '.json') && process.exit(), 10)
`,
  )
  const starter = spawn(process.execPath, ['starter.cjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [said] = (await once(starter.stdout, 'data')) as [Buffer]
  started = Number(said)
  await once(starter, 'close')
  while (runs(started)) await sleep(20)
})

it('misses no file that it has made itself', () => {
  expect(String(stderr.read())).not.toContain('has not found')
})

itSlow('is started again five times', async () => {
  const revived: boolean[] = []
  for (let turn = 0; turn < 6; turn++) {
    await side.entry!.stop()
    revived.push(await side.revive())
  }
  expect(revived).toEqual([true, true, true, true, true, false])
})

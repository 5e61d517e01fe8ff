// An entry that answers requests, for the commands that ask it: whom it would answer by, where it is, and what it has not found.
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buildSync } from 'esbuild'
import { type CommandOptions, readCommandLine } from '../../packages/cli/src/entry/options.js'
import { type Side, startSide } from '../../packages/cli/src/entry/serve-side.js'

jest.setTimeout(60_000)

let folder: string
let preload: string
let side: Side
const stderr = new PassThrough()
beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'served-entry-'))
  preload = join(folder, 'preload.cjs')
  buildSync({
    entryPoints: [join(__dirname, '../../packages/cli/src/preload.ts')],
    outfile: preload,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
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
  const options = readCommandLine(['parity', 'app.cjs', '--cwd', folder, '--settle-ms', '30'])
  side = await startSide(
    { name: 'now', cwd: folder, entry: join(folder, 'app.cjs'), env: {} },
    'by state',
    options as CommandOptions,
    { stdout: new PassThrough(), stderr, preload, today: '', version: () => '' },
    () => {},
  )
})
afterAll(async () => {
  await side.entry?.stop()
  rmSync(folder, { recursive: true })
})

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

it('misses no file that it has made itself', () => {
  expect(String(stderr.read())).not.toContain('has not found')
})

it('is started again five times', async () => {
  const revived: boolean[] = []
  for (let turn = 0; turn < 6; turn++) {
    await side.entry!.stop()
    revived.push(await side.revive())
  }
  expect(revived).toEqual([true, true, true, true, true, false])
})

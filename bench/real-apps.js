/**
 * Measures three applications of npm, as they are, by `createServer(app)`, and in front of themselves by `toControllers`: `npm run bench:apps`.
 *
 * They are installed into folders of their own, which are removed at the end.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage } from './harness/build-package.js'
import { describeMachine } from './harness/machine.js'
import { measureRow } from './harness/measure.js'
import { compare, summarise } from './harness/statistics.js'

const settings = {
  processes: 2,
  rounds: 4,
  preciseRounds: 4,
  slice: 1_000,
  warmUpRequests: 10_000,
  longestWarmUp: 6_000,
  node: process.execPath,
}

const tea = { id: 1, name: 'Sencha' }
const sencha = {
  name: 'sencha',
  version: '1.0.0',
  dist: { tarball: 'http://registry.example/sencha/-/sencha-1.0.0.tgz' },
  contributors: [],
}
const requests = {
  'json-server': { method: 'GET', path: '/teas/1', answer: JSON.stringify(tea, null, 2) },
  verdaccio: { method: 'GET', path: '/sencha/1.0.0', answer: `${JSON.stringify(sencha, null, 2)}\n` },
  'node-red': { method: 'GET', path: '/api/teas/1', answer: JSON.stringify({ ...tea, id: '1' }) },
}
const packages = {
  'json-server': ['json-server@0.17.4'],
  verdaccio: ['verdaccio@6.8.0'],
  'node-red': ['node-red@4.1.1', 'express@4.22.1'],
}
// verdaccio asks for it by a tag, which not every registry has.
const overrides = { 'node-fetch': '2.7.0' }

const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-apps-'))
const built = buildPackage()
process.on('exit', () => {
  rmSync(folder, { recursive: true })
  built.remove()
})
process.on('SIGINT', () => process.exit(130))

for (const [app, names] of Object.entries(packages)) {
  console.log(`Installing ${names.join(', ')}`)
  const cwd = join(folder, app)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, overrides }))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...names], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

const { machine, pinned, load } = describeMachine()
console.log(`Node ${process.version}, ${machine}; ${load}; pinned: ${pinned}\n`)
console.log('| application | request | as it is, µs of CPU | createServer(app), of it | in front, of it |')
console.log('| --- | --- | --- | --- | --- |')
for (const [app, request] of Object.entries(requests)) {
  const contenders = ['as it is', 'createServer', 'in front'].map((way) => ({
    name: `${app} ${way}`,
    file: 'real-app',
    options: { entry: built.entry, folder: join(folder, app), app, way },
  }))
  const [own, ...ours] = await measureRow({ name: app, kind: 'served', request, contenders }, settings)
  const cpu = summarise(own.samples.map((sample) => sample.cpu)).median.toFixed(0)
  const parts = ours.map(({ samples }) => {
    const { median, low, high } = compare(samples, own.samples, 'cpu')
    return `${(1 / median).toFixed(2)} [${(1 / high).toFixed(2)}–${(1 / low).toFixed(2)}]`
  })
  console.log(`| ${app} | \`${request.method} ${request.path}\` | ${cpu} | ${parts.join(' | ')} |`)
}

/**
 * Measures two applications of npm, as they are and in front of themselves by `toControllers`: `npm run bench:apps`.
 *
 * They are installed into a folder of their own, which is removed at the end.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
const requests = {
  'json-server': { method: 'GET', path: '/teas/1', answer: JSON.stringify(tea, null, 2) },
  'node-red': { method: 'GET', path: '/api/teas/1', answer: JSON.stringify({ ...tea, id: '1' }) },
}
const packages = ['json-server@0.17.4', 'node-red@4.1.1', 'express@4.22.1']

const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-apps-'))
const built = buildPackage()
process.on('exit', () => {
  rmSync(folder, { recursive: true })
  built.remove()
})
process.on('SIGINT', () => process.exit(130))

writeFileSync(join(folder, 'package.json'), '{ "private": true }')
console.log(`Installing ${packages.join(', ')}`)
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
})

const { machine, pinned, load } = describeMachine()
console.log(`Node ${process.version}, ${machine}; ${load}; pinned: ${pinned}\n`)
console.log('| application | request | as it is, µs of CPU | in front, µs of CPU | times cheaper |')
console.log('| --- | --- | --- | --- | --- |')
for (const [app, request] of Object.entries(requests)) {
  const contenders = ['as it is', 'in front'].map((way) => ({
    name: `${app} ${way}`,
    file: 'real-app',
    options: { entry: built.entry, folder, app, way },
  }))
  const [own, front] = await measureRow({ name: app, kind: 'served', request, contenders }, settings)
  const cpu = ({ samples }) => summarise(samples.map((sample) => sample.cpu)).median.toFixed(0)
  const { median, low, high } = compare(front.samples, own.samples, 'cpu')
  const ratio = `${median.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`
  console.log(`| ${app} | \`${request.method} ${request.path}\` | ${cpu(own)} | ${cpu(front)} | ${ratio} |`)
}

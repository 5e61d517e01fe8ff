// The promises of docs/behaviour.md in each runtime. `WRITE_RESULTS=1` keeps what has been found, for the tables of docs/environments.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { differencesIn, type Results, unexplained } from '../../conformance/results.js'
import { runtimes } from '../../conformance/runtimes.js'
import { root } from '../project.js'
import { directory } from './environments.js'

const file = join(root, 'test/conformance/results.json')
const found: Results = {}

it.each(runtimes)(
  'In $name, each promise holds, or its difference has a reason',
  async ({ name, kind, start }) => {
    const started = await start(directory)
    try {
      const differences = await differencesIn(kind, started)
      found[name] = { version: started.version, differences }
      expect(unexplained(name, differences)).toEqual([])
    } finally {
      await started.stop()
    }
  },
)

it('docs/environments.md shows these differences', () => {
  if (process.env['WRITE_RESULTS'] === '1') writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Results
  const titles = (results: Results): [string, string[]][] =>
    Object.entries(results).map(([name, { differences }]) => [name, Object.keys(differences)])
  expect(titles(found)).toEqual(titles(kept))
})

// docs/environments.md has the tables of results.json. `UPDATE_TABLES=1 npx jest test/conformance/page` writes them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMarked } from '../support/doc-table.js'
import { matrixOf, reasonList, summaryOf } from './page.js'
import { promises, titleOf } from './promises.js'
import { type Results, unexplained } from './results.js'
import { runtimes } from './runtimes.js'

const page = join(__dirname, '../../docs/environments.md')
const results = JSON.parse(readFileSync(join(__dirname, 'results.json'), 'utf8')) as Results

it.each([
  ['promises-summary', summaryOf],
  ['promises', matrixOf],
  ['promises-reasons', reasonList],
])('docs/environments.md has the table %s of the results', (name, make) => {
  const table = make(results)
  expect(readMarked(page, name, table)).toBe(table)
})

it('There are results of each runtime, and each difference has a reason', () => {
  expect(Object.keys(results)).toEqual(runtimes.map(({ name }) => name))
  const open = Object.entries(results).flatMap(([runtime, { differences }]) =>
    unexplained(runtime, differences),
  )
  expect(open).toEqual([])
})

it('Each promise of the list has a name of its own, and its section is one of docs/behaviour.md', () => {
  expect(promises.length).toBeGreaterThan(150)
  expect(new Set(promises.map(titleOf)).size).toBe(promises.length)
  const behaviour = readFileSync(join(__dirname, '../../docs/behaviour.md'), 'utf8')
  for (const { section } of promises) expect(behaviour).toContain(`\n## ${section}\n`)
})

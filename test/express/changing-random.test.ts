// A few of the random apps of `npm run test:hard -- --rows changing`. `SEED=7 APPS=500 npx jest test/express/changing-random`;
// `WAYS=beside` is for some ways of serving alone, by how their names begin.
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import { createRandom } from '../hard/random.js'
import { hostileTarget } from '../hostile/hostile-paths.js'
import { times } from '../support/counts.js'
import { ChangingComparison, changingScenarioOf, compareChangingApps, ways } from './random/changing.js'

const seed = process.env['SEED'] === undefined ? undefined : Number(process.env['SEED'])
const begins = process.env['WAYS'] ?? ''
const some = ways.filter((way) => way.startsWith(begins))
const count = Number(process.env['APPS'] ?? times(25, 1_000))

it.each([4, 5] as const)(
  'no handler has a request past a guard while apps of Express %i change, in any way of serving',
  async (version) => {
    const comparison = new ChangingComparison({ 4: express4, 5: express5 }, version)
    const odd = fc.nat().map((chance) => hostileTarget(createRandom(chance), ''))
    await compareChangingApps(comparison, changingScenarioOf(version, odd, some), { apps: count, seed })
    if (begins !== '') console.log(`Express ${version}: ${JSON.stringify(comparison.counts)}`)
    // Else it has shown nothing.
    expect(comparison.counts.reachedChanged).toBeGreaterThan(count / 20)
  },
  3_600_000,
)

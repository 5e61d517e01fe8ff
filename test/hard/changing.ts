// Random guarded apps of both versions of Express that are changed between requests and within them, in every way of serving: no
// handler has a request past a guard that Express calls before it.
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import { ChangingComparison, changingScenarioOf, compareChangingApps } from '../express/random/changing.js'
import { hostileTarget } from '../hostile/hostile-paths.js'
import { createRandom } from './random.js'
import { grouped, judge, type Row } from './row.js'

const appsAtOnce = 250

export const row: Row = {
  asked:
    '100 000 requests that reach a handler, of random guarded apps that change between requests and within them: 0 passed guards',
  async run({ seed, count, tell }) {
    const findings: string[] = []
    const total = { apps: 0, requests: 0, reached: 0, reachedChanged: 0, copies: 0 }
    const wanted = count(100_000)
    const odd = fc.nat().map((chance) => hostileTarget(createRandom(chance), ''))
    for (const version of [4, 5] as const) {
      const comparison = new ChangingComparison({ 4: express4, 5: express5 }, version)
      const { counts } = comparison
      const scenarios = changingScenarioOf(version, odd)
      for (let round = 0; counts.reached < wanted / 2 && findings.length < 10; round++) {
        const apps = Math.max(1, Math.min(appsAtOnce, Math.ceil((wanted / 2 - counts.reached) / 3)))
        try {
          await compareChangingApps(comparison, scenarios, { apps, seed: seed * 1_000 + round })
        } catch (error) {
          findings.push(`Express ${version}: ${(error as Error).message}`)
        }
        tell(
          `Express ${version}: ${grouped(counts.reached)} of ${grouped(wanted / 2)} have reached a handler`,
        )
      }
      for (const name of ['apps', 'requests', 'reached', 'reachedChanged', 'copies'] as const)
        total[name] += counts[name]
    }
    const { apps, requests, reached, reachedChanged, copies } = total
    const passed = findings.filter((finding) => finding.includes('past a guard')).length
    const measured =
      `${grouped(requests)} requests to ${grouped(apps)} apps, ${grouped(reached)} have reached a handler, ` +
      `${grouped(reachedChanged)} of these after a change, and ${grouped(copies)} copies for a twin: ${passed} passed guards, ${findings.length} differences`
    // Else the run proves nothing.
    if (reachedChanged < reached / 4) findings.push(`only ${reachedChanged} of ${reached} after a change`)
    return judge(measured, findings)
  },
}

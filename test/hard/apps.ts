// Random apps with guards of both versions of Express, in each way of serving, by HTTP/1.1 and HTTP/2: who is called, with what and in
// which order is the same as where Express serves them.
import express5 from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import { Comparison, compareRandomApps } from '../express/random/compare.js'
import { scenarioOf, type Version } from '../express/random/parts.js'
import { hostileTarget } from '../hostile/hostile-paths.js'
import { createRandom } from './random.js'
import { grouped, judge, type Row } from './row.js'

const appsAtOnce = 250

export const row: Row = {
  asked:
    '100 000 requests to random guarded apps, half of them reach a handler: 0 passed guards, 0 differences in what was called',
  async run({ seed, count, tell }) {
    const findings: string[] = []
    const total = { apps: 0, requests: 0, reached: 0, refused: 0 }
    const wanted = count(100_000)
    const odd = fc.nat().map((chance) => hostileTarget(createRandom(chance), ''))
    const versions: [Version, unknown][] = [
      [4, express4],
      [5, express5],
    ]
    for (const [version, express] of versions) {
      const comparison = new Comparison(express, version)
      const scenarios = scenarioOf(version, { odd, http2: true, guards: 20 })
      for (let round = 0; comparison.counts.requests < wanted / 2; round++) {
        const left = wanted / 2 - comparison.counts.requests
        const apps = Math.min(appsAtOnce, Math.ceil(left / 8))
        try {
          await compareRandomApps(comparison, scenarios, { apps, seed: seed * 1_000 + round })
        } catch (error) {
          findings.push(`Express ${version}: ${(error as Error).message}\n${String((error as Error).cause)}`)
          if (findings.length > 10) break
        }
        tell(`Express ${version}: ${grouped(comparison.counts.requests)} of ${grouped(wanted / 2)}`)
      }
      await comparison.close()
      for (const name of ['apps', 'requests', 'reached', 'refused'] as const)
        total[name] += comparison.counts[name]
    }
    const passed = findings.filter((finding) => finding.includes('past a guard')).length
    const { apps, requests, reached, refused } = total
    const measured =
      `${grouped(requests)} requests to ${grouped(apps)} apps, ${grouped(reached)} have reached a handler, ` +
      `${grouped(refused)} targets were refused: ${passed} passed guards, ${findings.length} differences`
    if (reached < requests / 2)
      findings.push(`only ${reached} of ${requests} requests have reached a handler`)
    return judge(measured, findings)
  },
}

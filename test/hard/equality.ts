// The same requests to every way of serving: what comes back is the same.
import { createAsked, createComparison } from '../hostile/equality.js'
import { closeAll } from '../support/describe-servings.js'
import { createRandom } from './random.js'
import { countsOf, grouped, judge, type Row, runMany } from './row.js'

export const row: Row = {
  asked: '100 000 generated requests, answered alike in all ways: 0 differences',
  async run({ seed, count, tell }) {
    const total = count(100_000)
    const findings: string[] = []
    const { compare, statuses, close } = await createComparison()
    let done = 0
    await runMany(total, 24, async (at) => {
      const random = createRandom(seed * 1_000_003 + at)
      try {
        findings.push(...(await compare(createAsked(random), random)))
      } catch (error) {
        findings.push(`request ${at}, seed ${seed}: ${(error as Error).stack}`)
      }
      if (++done % 10_000 === 0) tell(`${grouped(done)} of ${grouped(total)}`)
    })
    close()
    await closeAll()
    const measured = `${grouped(total)} requests in 6 ways (${countsOf(statuses)}): ${findings.length} differences`
    // Else the run proves nothing.
    const met = statuses['2xx'] ?? 0
    if (met < total / 10) findings.push(`only ${met} of ${total} requests were answered by a route`)
    return judge(measured, findings)
  },
}

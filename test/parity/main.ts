import { describePair, runParity } from './run.js'
import type { Version } from './tables.js'

// npm run test:parity [pairs for each version] [seed]
const [count = 100_000, seed = 1] = process.argv.slice(2).map(Number)
let failed = false

for (const version of [4, 5] as Version[]) {
  const started = performance.now()
  let told = 0
  const result = await runParity(version, count, seed, (done) => {
    if (done - told < count / 10 && done < count) return
    told = done
    console.log(`Express ${version}: ${done} of ${count}`)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`\nExpress ${version}, seed ${seed}, ${seconds} s`)
  console.table(result.pairs)
  console.log('Statuses:', Object.fromEntries([...result.statuses].sort()))
  console.log('Explained differences:', Object.fromEntries(result.explained))
  console.log(`Unexplained differences: ${result.unexplained.length}\n`)
  for (const pair of result.unexplained.slice(0, 5)) console.log(`${describePair(pair)}\n`)
  failed ||= result.unexplained.length > 0
}
process.exit(failed ? 1 : 0)

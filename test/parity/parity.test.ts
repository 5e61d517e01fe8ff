import { times } from '../support/counts.js'
import { describePair, runParity } from './run.js'

// A short run of what `npm run test:parity` does with 100 000 requests for each version.
it.each([4, 5] as const)('Express %d and its profile answer random requests alike', async (version) => {
  const { pairs, unexplained } = await runParity(version, times(300, 1_200), 7_000)
  expect(unexplained.slice(0, 2).map(describePair)).toEqual([])
  for (const count of Object.values(pairs)) expect(count).toBeGreaterThan(0)
})

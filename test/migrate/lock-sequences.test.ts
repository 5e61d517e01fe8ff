// A few of the sequences of `npm run test:hard -- --rows locks`. `SEED=7 SEQUENCES=50 npx jest test/migrate/lock-sequences`.
import { times } from '../support/counts.js'
import { runSequences } from './lock-sequences.js'
import { keepReading } from './keep-reading.js'

keepReading()

const seed = Number(process.env['SEED'] ?? 2)
const count = Number(process.env['SEQUENCES'] ?? times(6, 40))

it('check finds each guard that is lost, whatever was accepted of other routes or before, and whoever has edited the lock', async () => {
  const seeds = Array.from({ length: count }, (_, at) => seed * 10_000 + at)
  const { counts, findings } = await runSequences(seeds)
  expect(findings.join('\n\n')).toBe('')
  // Else it has shown nothing.
  expect(counts.accepted).toBeGreaterThan(count / 4)
  expect(counts.changed).toBeGreaterThan(count / 2)
}, 3_600_000)

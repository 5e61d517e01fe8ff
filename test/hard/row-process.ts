// Runs one row and tells its result; run.ts starts it.
import type { Row } from './row.js'

const [name, scale, seed] = process.argv.slice(2) as [string, string, string]
const { row } = (await import(`./${name}.ts`)) as { row: Row }

const outcome = await row.run({
  seed: Number(seed),
  count: (full) => Math.max(1, Math.round(full * Number(scale))),
  tell: (progress) => process.stderr.write(`  ${name}: ${progress}\n`),
})
process.send!({ asked: row.asked, ...outcome }, () => process.exit())

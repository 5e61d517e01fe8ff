// Runs the sequences of some seeds, and tells what they have found; locks.ts starts it.
import { runSequences } from '../migrate/lock-sequences.js'

const outcome = await runSequences(JSON.parse(process.argv[2]!) as number[])
process.send!(outcome, () => process.exit())

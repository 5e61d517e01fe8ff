// Removes the folder of test/support/bundled.ts after the last file of tests.
import { rmSync } from 'node:fs'

export default function remove() {
  rmSync(process.env.SHARED_PROGRAMS, { recursive: true, force: true })
}

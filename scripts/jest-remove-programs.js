// Removes the folder of jest-shared-programs.js after the last file of tests.
import { rmSync } from 'node:fs'

export default function remove() {
  rmSync(process.env.SHARED_PROGRAMS, { recursive: true, force: true })
}

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { TestedExpress } from './tested.js'

/** Removes what `install` has installed. */
export default function remove(_global: unknown, { globals }: { globals: object }): void {
  const { directory } = (globals as { testedExpress: TestedExpress }).testedExpress
  rmSync(dirname(directory), { recursive: true })
}

import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Packs the packages once, as `npm publish` would: `prepack` builds each. */
export default function pack(): void {
  const directory = mkdtempSync(join(tmpdir(), 'routecontrollers-package-'))
  for (const folder of ['.', 'packages/cli', 'packages/switch']) {
    execFileSync('npm', ['pack', '--pack-destination', directory], {
      cwd: join(__dirname, '../..', folder),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }
  process.env.PACKED_IN = directory
}

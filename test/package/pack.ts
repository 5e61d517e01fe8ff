import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Packs the package once, as `npm publish` would: `prepack` builds it. */
export default function pack(): void {
  const directory = mkdtempSync(join(tmpdir(), 'routecontrollers-package-'))
  execFileSync('npm', ['pack', '--pack-destination', directory], { stdio: ['ignore', 'ignore', 'pipe'] })
  process.env.PACKED_IN = directory
}

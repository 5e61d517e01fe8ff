import { copyFileSync, cpSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type * as packing from '../pack.js'
import type * as project from '../project.js'

// Jest loads this file without the moduleNameMapper, which finds `.ts` where `.js` is imported.
const load = createRequire(__filename)
const { default: pack } = load('../pack') as typeof packing
const { installInto, root } = load('../project') as typeof project

/** Packs the package, and installs it once beside all environments. */
export default function install(): void {
  pack()
  const directory = join(process.env.PACKED_IN!, 'environments')
  installInto(directory, 'environments', { packed: ['core', 'switch'], timeoutMs: 600_000 })
  cpSync(join(root, 'test/conformance/served'), join(directory, 'conformance'), { recursive: true })
  for (const format of ['mts', 'cts']) {
    copyFileSync(join(root, 'test/types/shared-middleware.ts'), join(directory, `shared.${format}`))
    copyFileSync(join(root, 'test/types/with-express-types.ts'), join(directory, `express.${format}`))
    copyFileSync(join(root, 'test/types/moved-handlers.ts'), join(directory, `moved.${format}`))
  }
}

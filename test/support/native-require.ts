import { runInThisContext } from 'node:vm'

// Of Node's own realm: what Jest gives in the place of `node:module` cannot load them.
const { createRequire } = runInThisContext(
  "process.getBuiltinModule('node:module')",
) as typeof import('node:module')

/** Node's own `require`, which loads packages that exist as ES modules alone. What it gives is of another realm. */
export const nativeRequire = createRequire(__filename)

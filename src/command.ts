#!/usr/bin/env node
// The command `routecontrollers` is a package of its own. Where the project has it, this runs it.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
let manifest: string | undefined
try {
  manifest = require.resolve('@routecontrollers/cli/package.json')
} catch {
  console.error(
    'routecontrollers: the command is the package @routecontrollers/cli now: npm install --save-dev @routecontrollers/cli, or npx @routecontrollers/cli',
  )
  process.exitCode = 2
}
if (manifest !== undefined) require(join(dirname(manifest), 'dist/cli.cjs'))

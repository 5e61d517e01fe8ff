#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { runCommand } from './command.js'

process.exitCode = await runCommand(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  // CommonJS, which `--require` loads before an entry of either kind.
  preload: fileURLToPath(new URL('../../cjs/migrate/preload.js', import.meta.url)),
  today: new Date().toISOString().slice(0, 10),
})

#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.js'
import { runEntry } from './entry/run-entry.js'

const { stdout, stderr } = process
// The build makes this file CommonJS, as `--require` needs the preload: so both stand in one folder.
const preload = join(__dirname, 'preload.cjs')
void runCommand(process.argv.slice(2), {
  stdout,
  stderr,
  look: (options) => runEntry({ ...options, preload }),
  preload,
  today: new Date().toISOString().slice(0, 10),
  version: () => {
    const text = readFileSync(join(__dirname, '../package.json'), 'utf8')
    return (JSON.parse(text) as { version: string }).version
  },
}).then((exitCode) => {
  process.exitCode = exitCode
})

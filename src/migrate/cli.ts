#!/usr/bin/env node
import { join } from 'node:path'
import { runCommand } from './command.js'

const { stdout, stderr } = process
// The build makes this file CommonJS, as `--require` needs the preload: so both stand in one folder.
const preload = join(__dirname, 'preload.js')
void runCommand(process.argv.slice(2), {
  stdout,
  stderr,
  preload,
  today: new Date().toISOString().slice(0, 10),
}).then((exitCode) => {
  process.exitCode = exitCode
})

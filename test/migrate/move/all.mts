// All inputs in one app, each at its name.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import express from 'express'

const app = express()
for (const name of readdirSync(import.meta.dirname).sort()) {
  const files = /\.|^node_modules$/.test(name) ? [] : readdirSync(join(import.meta.dirname, name))
  const input = files.find((file) => file.startsWith('input.'))
  if (input === undefined) continue
  const { default: own } = await import(pathToFileURL(join(import.meta.dirname, name, input)).href)
  app.use(`/${name}`, own)
}
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address()?.port}\n`))
// Ends with who has started it.
if (process.send !== undefined) process.on('disconnect', () => process.exit())

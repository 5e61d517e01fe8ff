// Starts every host in one process, for `test/connect/hosts.test.ts`: some are ESM only, which Jest does not load.
import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'
import { hosts } from './hosts.js'

let unhandled = 0
process.on('unhandledRejection', () => unhandled++)

const ports: Record<string, number> = {}
for (const [name, listen] of Object.entries(hosts)) {
  const server = await listen(createApp().middleware())
  ports[name] = (server.address() as AddressInfo).port
}
process.send!({ ports })
process.on('message', () => process.send!({ unhandled }))
process.on('disconnect', () => process.exit())

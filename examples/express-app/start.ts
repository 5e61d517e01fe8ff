import { join } from 'node:path'
import { serveInFront, serveInside, serveLegacy, serveTakenOverInFront } from './serve.js'
import { createSetup } from './setup.js'

// The shop in one way alone, as an app of one's own starts: `tsx examples/express-app/start.ts legacy`.
const ways = {
  legacy: serveLegacy,
  inside: serveInside,
  'in-front': serveInFront,
  'taken-over': serveTakenOverInFront,
}

const [way = 'legacy'] = process.argv.slice(2)
const serve = ways[way as keyof typeof ways]
if (serve === undefined) throw new Error(`There is no way ${way}: ${Object.keys(ways).join(', ')}`)

const setup = createSetup({
  publicFolder: join(import.meta.dirname, 'public'),
  adminToken: process.env.ADMIN_TOKEN ?? 'teapot',
  log: (line) => console.log(line),
})
const { url } = await serve(setup, Number(process.env.PORT ?? 3000))
console.log(`The shop listens: ${url}`)

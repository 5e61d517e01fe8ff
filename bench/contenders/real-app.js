import { createRequire } from 'node:module'
import { join } from 'node:path'
import { apps } from './support/real-apps.js'
import { serveApp } from './support/serve-app.js'

/** An application of npm, served in one of the ways of `serveApp`. */
export async function start({ entry, folder, app: name, way }) {
  const app = await apps[name].start(createRequire(join(folder, 'package.json')))
  return serveApp(app, way, entry)
}

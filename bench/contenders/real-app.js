import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { apps } from './support/real-apps.js'
import { serveApp } from './support/serve-app.js'

/** An application of npm, or the app that a module exports, served in one of the ways of `serveApp`. */
export async function start({ entry, folder, app: name, module, way }) {
  if (module === undefined)
    return serveApp(await apps[name].start(createRequire(join(folder, 'package.json'))), way, entry)
  const exported = await import(pathToFileURL(module))
  return serveApp(exported.app ?? exported.default?.app ?? exported.default, way, entry)
}

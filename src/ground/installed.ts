// Packages that this one uses and does not import: Express, Swagger UI and others. The program that uses this package has them.
import { builtin } from './builtin.js'

/** A package that was found, and what loads the files of it. */
export interface Installed {
  readonly load: (id: string) => unknown
  readonly resolve: (id: string) => string
}

/**
 * Where a package is installed: at each of the places where the program may have it, without those that lead to the same one.
 *
 * First beside the entry, because that is what the program itself gets by its name: in a workspace the folder of the program may have another
 * version than the root. Then in the working directory, which under systemd is `/`. Then beside this package. An entry that is a tool, such as a
 * test runner, is no part of the program, and comes last. Throws ERR_RUNTIME_UNSUPPORTED where there is no Node.
 */
export function findInstalled(name: string, what: string): readonly Installed[] {
  const { createRequire } = builtin('node:module', what)
  const found = new Map<string, Installed>()
  for (const folder of placesOf(what)) {
    const load = createRequire(builtin('node:path', what).join(folder, '_'))
    try {
      const file = load.resolve(`${name}/package.json`)
      if (!found.has(file)) found.set(file, { load, resolve: load.resolve })
    } catch {
      // The next place may have it.
    }
  }
  return [...found.values()]
}

/** The places for a message: `/srv/app, /`. */
export function namePlaces(what: string): string {
  return placesOf(what).join(', ')
}

/** True where this code is part of a bundle, which may have a package inside, where it cannot be looked up by its name. */
export function isBundled(what: string): boolean {
  const own = ownFolder(what)
  if (own === undefined) return true
  const { createRequire } = builtin('node:module', what)
  const path = builtin('node:path', what)
  try {
    const folder = path.dirname(createRequire(path.join(own, '_')).resolve('routecontrollers/package.json'))
    return !own.startsWith(folder + path.sep)
  } catch {
    return true
  }
}

function placesOf(what: string): readonly string[] {
  const entry = entryOf(what)
  const own = ownFolder(what)
  const places = [process.cwd(), own]
  if (entry !== undefined && isTool(entry, own)) places.push(entry)
  else places.unshift(entry)
  return [...new Set(places.filter((place) => place !== undefined))]
}

/** The file or the folder that Node was started with. A package is looked up from a file as from a folder. */
function entryOf(what: string): string | undefined {
  const { createRequire } = builtin('node:module', what)
  const given = createRequire(builtin('node:path', what).resolve('_')).main?.filename ?? process.argv[1]
  if (given === undefined) return undefined
  try {
    // It may be a link, as those in /usr/bin are.
    return builtin('node:fs', what).realpathSync(given)
  } catch {
    // Without its ending, as in `node dist/main`.
    return given
  }
}

/** True for an entry in a package that is installed, unless that is the program: then this package is installed within it. */
function isTool(entry: string, own: string | undefined): boolean {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]/.exec(entry) ?? []
  return folder !== undefined && !own?.startsWith(folder)
}

/** The folder of this file. In a bundle it is that of the bundle, or unknown. */
function ownFolder(what: string): string | undefined {
  // The build, and Jest, put `__filename` here for CommonJS.
  const own: unknown = import.meta.url
  if (typeof own !== 'string') return undefined
  const path = builtin('node:path', what)
  if (path.isAbsolute(own)) return path.dirname(own)
  return own.startsWith('file:') ? path.dirname(builtin('node:url', what).fileURLToPath(own)) : undefined
}

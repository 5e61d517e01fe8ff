// An entry that a build has made: what it was made of, and what makes it again.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isIn } from '../documents/place.js'
import { entriesOfScripts, manifestOf } from './default-entry.js'

/** The command line that builds a project, in quotes. */
export function buildOf(cwd: string): string {
  return isBuiltByScript(cwd) ? `'${buildScript}'` : 'COMMAND'
}

/** The command line that builds an entry; undefined for an entry that is written by hand. */
export function buildOfEntry(cwd: string, entry: string): string | undefined {
  if (!isBuilt(cwd, entry)) return undefined
  return isBuiltByScript(cwd) ? buildScript : 'COMMAND'
}

const buildScript = 'npm run build'

function isBuiltByScript(cwd: string): boolean {
  return manifestOf(cwd).scripts.has('build')
}

/** True for what git ignores, and for what has a source map. */
export function isBuilt(cwd: string, entry: string): boolean {
  return isIgnored(cwd, entry) || mappedSource(cwd, entry) !== undefined
}

/** The file that an entry was built of, as its source map, its place or another script says; undefined where none is there. */
export function sourceOf(cwd: string, entry: string): string | undefined {
  const others = entriesOfScripts(cwd).map((one) => one.entry)
  return [mappedSource(cwd, entry), ...namesakes(cwd, entry), ...others].find(
    (file) => file !== undefined && file !== entry && isFile(file) && !isIgnored(cwd, file),
  )
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

function isIgnored(cwd: string, file: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '-q', '--', relative(cwd, file)], { cwd, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What the source map of a file names, where that is one file of the project. */
function mappedSource(cwd: string, entry: string): string | undefined {
  try {
    const text = readFileSync(entry, 'utf8')
    const [, url] = [...text.matchAll(/^\/\/[#@] ?sourceMappingURL=(\S+)\s*$/gm)].at(-1) ?? []
    if (url === undefined) return undefined
    const [, inline] = /^data:[^,]*;base64,(.*)$/.exec(url) ?? []
    const file = resolve(dirname(entry), decodeURIComponent(url))
    const read = inline === undefined ? readFileSync(file, 'utf8') : Buffer.from(inline, 'base64').toString()
    const { sources = [], sourceRoot = '' } = JSON.parse(read) as { sources?: string[]; sourceRoot?: string }
    const [name, ...more] = sources
    if (name === undefined || more.length > 0) return undefined
    const path = name.startsWith('file:') ? fileURLToPath(name) : join(sourceRoot, name)
    const source = resolve(inline === undefined ? dirname(file) : dirname(entry), path)
    return isFile(source) && isWithin(cwd, source) && source !== entry ? source : undefined
  } catch {
    // A map that cannot be read names nothing.
    return undefined
  }
}

function isWithin(folder: string, file: string): boolean {
  return isIn(folder, file) && !relative(folder, file).split(sep).includes('node_modules')
}

/** `dist/main.js` is made of `src/main.ts` or `main.ts`, and `dist/src/main.js` of `src/main.ts`. */
function namesakes(cwd: string, entry: string): string[] {
  const [, ...inner] = relative(cwd, entry)
    .replace(/\.[cm]?jsx?$/, '')
    .split(sep)
  if (inner.length === 0) return []
  return [join(cwd, 'src', ...inner), join(cwd, ...inner)].flatMap((path) =>
    ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs'].map((ending) => path + ending),
  )
}

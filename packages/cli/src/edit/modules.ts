// The files of the project that a file imports, as far as their paths say.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { readSource, type SourceFile } from './source-file.js'

const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs']

/** Reads the files that others import, each once. */
export class Modules {
  readonly #sources = new Map<string, SourceFile | undefined>()
  readonly #isOwn: (file: string) => boolean
  readonly #readSource: (file: string) => SourceFile | string

  /** `isOwn` says which files may be edited. */
  constructor(isOwn: (file: string) => boolean, read: (file: string) => SourceFile | string = readSource) {
    this.#isOwn = isOwn
    this.#readSource = read
  }

  /** The file that an import names; undefined for a package, and for a file that may not be edited or cannot be read. */
  imported({ file }: SourceFile, specifier: string): SourceFile | undefined {
    const found = fileOf(file, specifier)
    return found === undefined ? undefined : this.#read(found)
  }

  #read(file: string): SourceFile | undefined {
    if (!this.#sources.has(file)) {
      const source = this.#isOwn(file) ? this.#readSource(file) : ''
      this.#sources.set(file, typeof source === 'string' ? undefined : source)
    }
    return this.#sources.get(file)
  }
}

function fileOf(from: string, specifier: string): string | undefined {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return existing(resolve(dirname(from), specifier), extname(from))
  for (const path of aliased(from, specifier)) {
    const found = existing(path, extname(from))
    if (found !== undefined) return found
  }
  return undefined
}

/** The file that a path names as a bundler, TypeScript or Node reads it. `like` is the ending that is tried first. */
function existing(path: string, like: string): string | undefined {
  // TypeScript writes the ending of what it makes.
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  const ordered = [like, ...endings.filter((one) => one !== like)]
  const tried = [
    path,
    source,
    ...ordered.map((ending) => path + ending),
    ...ordered.map((ending) => join(path, `index${ending}`)),
  ]
  return tried.find((one) => endings.includes(extname(one)) && existsSync(one) && statSync(one).isFile())
}

/** What `paths` of the nearest tsconfig.json makes of a specifier. */
function aliased(from: string, specifier: string): string[] {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const file = join(folder, 'tsconfig.json')
    if (existsSync(file)) {
      const { baseUrl = '.', paths = {} } = compilerOptionsOf(file)
      return Object.entries(paths).flatMap(([pattern, targets]) => {
        const [before, after] = pattern.split('*') as [string, string | undefined]
        const isNamed = after === undefined ? specifier === before : specifier.startsWith(before)
        if (!isNamed) return []
        const rest = specifier.slice(before.length)
        return targets.map((target) =>
          resolve(
            folder,
            baseUrl,
            target.replace('*', () => rest),
          ),
        )
      })
    }
    if (folder === dirname(folder)) return []
  }
}

interface CompilerOptions {
  readonly baseUrl?: string
  readonly paths?: Readonly<Record<string, readonly string[]>>
}

function compilerOptionsOf(file: string): CompilerOptions {
  const text = readFileSync(file, 'utf8')
  // Comments and the comma behind the last of a list, as the file may have them.
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_all, string?: string) => string ?? '')
    .replace(/,(?=\s*[\]}])/g, '')
  try {
    return (JSON.parse(plain) as { compilerOptions?: CompilerOptions }).compilerOptions ?? {}
  } catch {
    return {}
  }
}

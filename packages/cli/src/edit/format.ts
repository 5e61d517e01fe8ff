// Formats what is written as the project formats its files.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { CommandContext } from '../terminal/context.js'
import { tell } from '../terminal/context.js'
import type { ChangedFile } from './changed-file.js'

/** A formatter that reads a text from its input. */
interface Formatter {
  readonly name: string
  readonly parametersFor: (file: string) => readonly string[]
  /** The formatted text in what it has said; undefined where it has failed. */
  readonly textIn: (said: string, code: number | null) => string | undefined
}

const textOfSuccess: Formatter['textIn'] = (said, code) => (code === 0 && said !== '' ? said : undefined)

/** In the order in which they count where a project has more than one. */
const formatters: readonly Formatter[] = [
  { name: 'prettier', parametersFor: (file) => ['--stdin-filepath', file], textIn: textOfSuccess },
  {
    name: '@biomejs/biome',
    parametersFor: (file) => ['format', `--stdin-file-path=${file}`],
    textIn: textOfSuccess,
  },
  {
    name: 'eslint',
    parametersFor: (file) => ['--stdin', '--stdin-filename', file, '--fix-dry-run', '--format', 'json'],
    // What it finds and cannot mend makes another exit code.
    textIn: (said) => (JSON.parse(said) as readonly { output?: string; source?: string }[])[0]?.output,
  },
]

/** How long one file may take. */
const limitMs = 30_000

const mostNamed = 5

/** Formats those of the files that were formatted so before; the others stay as they are. */
export class FileFormatter {
  readonly #cwd: string
  readonly #context: CommandContext
  readonly #known = new Map<string, string>()
  /** What was told already. */
  readonly #told = new Set<string>()

  constructor(cwd: string, context: CommandContext) {
    this.#cwd = cwd
    this.#context = context
  }

  async format(files: readonly ChangedFile[]): Promise<readonly ChangedFile[]> {
    const all: ChangedFile[] = []
    /** Files that were not formatted before, by the formatter of their project. */
    const others = new Map<string, string[]>()
    for (const file of files) {
      const found = formatterOf(file.file)
      const name = found?.formatter.name ?? ''
      // Another format would change lines that nothing else has changed.
      const isFormatted = found !== undefined && (await this.#run(found, file.file, file.text)) === file.text
      if (isFormatted) this.#tell(`What is written is formatted by ${name}.`)
      else if (found !== undefined)
        others.set(name, [...(others.get(name) ?? []), relative(this.#cwd, file.file)])
      const written = isFormatted ? await this.#run(found, file.file, file.written) : file.written
      all.push({ ...file, written })
    }
    for (const [name, some] of others) {
      const more = some.length > mostNamed ? ` and ${some.length - mostNamed} more` : ''
      this.#tell(
        `Not formatted by ${name}, because its other lines would change too: ${some.slice(0, mostNamed).join(', ')}${more}`,
      )
    }
    return all
  }

  #tell(line: string): void {
    if (!this.#told.has(line)) tell(this.#context, line)
    this.#told.add(line)
  }

  async #run({ formatter, folder, bin }: Found, file: string, text: string): Promise<string> {
    const key = `${file}\n${text}`
    let known = this.#known.get(key)
    if (known === undefined) {
      const child = spawn(process.execPath, [bin, ...formatter.parametersFor(file)], {
        cwd: folder,
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: limitMs,
      })
      known = await new Promise<string>((resolve) => {
        const said: Buffer[] = []
        child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
        child.stdin.on('error', () => {})
        child.once('error', () => resolve(text))
        child.once('close', (code) =>
          resolve(readText(formatter, Buffer.concat(said).toString(), code) ?? text),
        )
        child.stdin.end(text)
      })
      this.#known.set(key, known)
    }
    return known
  }
}

function readText({ textIn }: Formatter, said: string, code: number | null): string | undefined {
  try {
    return textIn(said, code)
  } catch {
    return undefined
  }
}

/** A formatter in a project. */
interface Found {
  readonly formatter: Formatter
  readonly folder: string
  /** The script that runs it. */
  readonly bin: string
}

/** The first that a package around the file depends on, the nearest package first. */
function formatterOf(file: string): Found | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest)) {
      const { dependencies, devDependencies } = readManifest(manifest)
      const formatter = formatters.find(({ name }) =>
        Object.hasOwn({ ...dependencies, ...devDependencies }, name),
      )
      const bin = formatter && binOf(manifest, formatter.name)
      if (formatter !== undefined && bin !== undefined) return { formatter, folder, bin }
    }
    if (folder === dirname(folder)) return undefined
  }
}

function binOf(manifest: string, name: string): string | undefined {
  try {
    const own = createRequire(manifest).resolve(`${name}/package.json`)
    const { bin } = readManifest(own)
    const path = typeof bin === 'string' ? bin : bin?.[name.replace(/^@[^/]*\//, '')]
    return path === undefined ? undefined : join(dirname(own), path)
  } catch {
    return undefined
  }
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly bin?: string | Readonly<Record<string, string>>
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, type Block } from '../../support/doc-blocks.js'
import { curl, type CookieJars } from './curl.js'
import { exchangePorts, type Ports } from './ports.js'
import { isAsShown } from './shown.js'

export interface Command {
  /** Where it stands, as in `README.md:12`. */
  place: string
  words: string[]
  /** What the documentation shows that it prints. */
  shown: string | undefined
}

/** Reads the commands of a block: `sh` has a command on each line, `console` has them behind `$`, and what they print. */
export function readCommands(block: Block): Command[] {
  const commands: Command[] = []
  const lines = block.code.split('\n')
  const show = (text: string) => {
    const last = commands.at(-1)
    if (last) last.shown = last.shown === undefined ? text : `${last.shown}\n${text}`
  }
  for (let at = 0; at < lines.length; at++) {
    const place = `${block.file}:${block.line + at}`
    let line = lines[at]!
    if (block.language === 'console') {
      if (!line.startsWith('$ ')) {
        if (commands.length > 0 || line.trim() !== '') show(line)
        continue
      }
      line = line.slice(2)
    }
    while (line.endsWith('\\') && at + 1 < lines.length) line = line.slice(0, -1) + lines[++at]!.trimStart()

    const { commands: parts, comment } = splitWords(line)
    commands.push(...parts.map((words) => ({ place, words, shown: undefined })))
    const arrow = /^\s*→ ?(.*)$/.exec(comment)
    if (arrow) show(arrow[1]!)
  }
  return commands
}

/** Splits a line into the words of its commands (`&&` between them) and the comment at its end. */
function splitWords(line: string): { commands: string[][]; comment: string } {
  const commands: string[][] = [[]]
  const token =
    /\s*(?:#(?<comment>.*)|(?<and>&&)|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\#]|(?<=\S)#)+))/y
  for (let found = token.exec(line); found; found = token.exec(line)) {
    const { comment, and, word } = found.groups!
    if (comment !== undefined) return { commands: commands.filter((words) => words.length > 0), comment }
    if (and) commands.push([])
    else commands.at(-1)!.push(unquote(word!))
  }
  return { commands: commands.filter((words) => words.length > 0), comment: '' }
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
    (_whole, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped!,
  )
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Says what is wrong with a command that is not tried, but that a reader will try. */
export function checkCommand({ words }: Command): string | undefined {
  const [program, ...rest] = words.filter((word, at) => at > 0 || !/^[A-Z_]+=/.test(word))
  const [verb, ...operands] = rest.filter((word) => !word.startsWith('-'))
  const line = words.join(' ')

  if (program === 'npm' && (verb === 'install' || verb === 'i') && operands.length > 0) {
    const known = [
      manifest.name,
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.devDependencies),
    ]
    const unknown = operands.filter((name) => !known.includes(name.replace(/(?<=.)@.*$/, '')))
    return unknown.length > 0 ? `${line}: neither this package nor one that we know` : undefined
  }
  if (program === 'npm' && (verb === 'ci' || verb === 'install')) return undefined
  if (program === 'npm') {
    const script = verb === 'run' ? operands[0] : verb
    return script && script in manifest.scripts ? undefined : `${line}: package.json has no such script`
  }
  if (program === 'npx' && verb !== 'tsx') {
    return existsSync(join(root, 'node_modules/.bin', verb ?? '')) ||
      existsSync(join(root, 'node_modules', verb ?? '', 'package.json')) ||
      verb === manifest.name
      ? undefined
      : `${line}: not installed here`
  }
  if (program === 'node' || program === 'bash' || program === 'npx') {
    const file = program === 'npx' ? operands[0] : verb
    return file && existsSync(join(root, file)) ? undefined : `${line}: there is no such file`
  }
  return `${line}: test/docs/runner/shell.ts does not know how to check this`
}

/** Tries the curl commands among these and compares what they print; the others are only checked. */
export async function tryCommands(
  commands: Command[],
  ports: Ports,
  jars: CookieJars = new Map(),
): Promise<void> {
  for (const command of commands) {
    if (command.words[0] !== 'curl') {
      const problem = checkCommand(command)
      if (problem) throw new Error(`${command.place}: ${problem}`)
      continue
    }
    const line = command.words.join(' ')
    const printed = await curl(
      command.words.map((word) => exchangePorts(word, ports)),
      jars,
    ).catch((error: unknown) => {
      throw new Error(`${command.place}: ${line}: ${String(error)}`)
    })
    checkShown(command, printed, ports)
  }
}

export function checkShown({ place, words, shown }: Command, printed: string, ports: Ports): void {
  if (shown === undefined || isAsShown(printed, exchangePorts(shown, ports))) return
  throw new Error(`${place}: ${words.join(' ')}: shown as\n${shown}\nbut prints\n${printed}`)
}

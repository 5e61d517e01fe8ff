/**
 * Finds the code blocks of the documentation, so that test/docs can check every one of them.
 *
 * What a writer needs to know:
 *
 * - ```ts and ```js are type-checked and run, each as a module of its own in a process of its own. A ```js block that
 *   calls `require` is CommonJS. Nothing has to be closed: the process ends with the block.
 * - `value // → text`, `const name = value // → text` and `console.log(value) // text` are held to be true: the text is
 *   the value as Node prints it, `…` stands for anything. `value // throws text` throws an error with this text in it.
 * - `import … from './name.js'` is test/docs/fixtures/name.ts.
 * - ```sh and ```bash are commands, ```console is `$ commands` with what they print. curl runs against `npm start`; what
 *   it prints is compared with what is shown (`# → text` in ```sh). npm, npx and node are checked against the package.
 * - ```json must parse. ```text is for all that nobody can run. Any other language, and none, is a mistake.
 * - Ports are exchanged for free ones, so that the tests disturb nobody.
 *
 * A comment above a block, which no reader sees, ties it to others:
 *
 *     <!-- continues -->      the code goes on where the block before ended; curl asks the server that the code started
 *     <!-- with: shop -->     all that test/docs/fixtures/shop.ts exports is there
 *
 * In doc comments of src, fenced blocks and bare `@example` texts are code blocks too. There the package's public names and
 * the exports of the file itself need no import.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

export const root = join(__dirname, '../..')
export const fixtures = join(root, 'test/docs/fixtures')

export interface Block {
  /** The document, relative to the repository. */
  file: string
  /** Where the code begins: the first line below the fence, counted from 1. */
  line: number
  language: string
  code: string
  continues: boolean
  fixtures: string[]
}

/** Code that runs in one go: a block, and those that continue it. */
export interface Program {
  /** The document. */
  file: string
  /** Where it stands, as in `README.md:12`. */
  name: string
  /** The name of its module, relative to the fixtures: from there it imports. */
  module: string
  /** Its code stands on the lines on which it stands in the document, so that every message points there. */
  source: string
  /** Commands to try while it runs. */
  shell: Block[]
}

export interface Documentation {
  programs: Program[]
  /** Commands that belong to no program: they are about the repository and its example. */
  shell: Block[]
  /** What can be said to be wrong without running anything. */
  problems: string[]
}

/** All documents that may hold code blocks, relative to the repository. */
export function listDocuments(): string[] {
  return [
    ...['README.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((file) =>
      existsSync(join(root, file)),
    ),
    // docs/api is made of the doc comments, which are read where they stand.
    ...listFiles('docs', '.md').filter((file) => !file.startsWith('docs/api/')),
    ...['src', 'packages/cli/src', 'packages/switch/src'].flatMap((folder) => listFiles(folder, '.ts')),
  ]
}

function listFiles(directory: string, extension: string): string[] {
  if (!existsSync(join(root, directory))) return []
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** Reads one document: a `.md` file, or a `.ts` file with doc comments. */
export function readDocument(file: string, text = readFileSync(join(root, file), 'utf8')): Documentation {
  return arrange(file.endsWith('.md') ? findBlocks(file, text) : findCommentBlocks(file, text))
}

const fence = /^(?<indent>\s*)(?<ticks>`{3,}|~{3,})\s*(?<language>[^\s`]*)/
const directive =
  /^\s*<!--\s*(?:(?<continues>continues)|with:\s*(?<names>[\w-]+(?:\s*,\s*[\w-]+)*))\s*-->\s*$/

export function findBlocks(file: string, markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let continues = false
  let names: string[] = []

  for (let at = 0; at < lines.length; at++) {
    const said = directive.exec(lines[at]!)?.groups
    if (said?.continues) continues = true
    if (said?.names) names = said.names.split(/\s*,\s*/)

    const opening = fence.exec(lines[at]!)?.groups
    if (opening) {
      const start = at + 1
      const closing = new RegExp(`^\\s*${opening.ticks!}\\s*$`)
      do at++
      while (at < lines.length && !closing.test(lines[at]!))
      const code = lines
        .slice(start, at)
        .map((line) => line.replace(new RegExp(`^\\s{0,${opening.indent!.length}}`), ''))
      blocks.push({
        file,
        line: start + 1,
        language: opening.language!,
        code: code.join('\n'),
        continues,
        fixtures: names,
      })
    }
    // A directive is about the block below it, with at most empty lines between.
    if (!said && lines[at]?.trim() !== '') {
      continues = false
      names = []
    }
  }
  return blocks
}

const docComment = /\/\*\*(?!\/)([^]*?)\*\//g

export function findCommentBlocks(file: string, source: string): Block[] {
  return [...source.matchAll(docComment)].flatMap((comment) => {
    const above = source.slice(0, comment.index).split('\n').length - 1
    const lines = comment[1]!.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
    const blocks = [...findBlocks(file, lines.join('\n')), ...findBareExamples(file, lines)]
    return blocks.map((block) => ({ ...block, line: block.line + above })).sort((a, b) => a.line - b.line)
  })
}

/** `@example` may be followed by the code itself, without a fence. */
function findBareExamples(file: string, lines: string[]): Block[] {
  const tags = lines.flatMap((line, at) => (/^\s*@\w/.test(line) ? [at] : []))
  return tags
    .filter((at) => /^\s*@example\b/.test(lines[at]!))
    .map((at) => ({ at, code: lines.slice(at + 1, tags[tags.indexOf(at) + 1]) }))
    .filter(({ code }) => !code.some((line) => fence.test(line)))
    .map(({ at, code }) => ({
      file,
      line: at + 2,
      language: 'ts',
      code: code.join('\n').trimEnd(),
      continues: false,
      fixtures: [],
    }))
}

const shellLanguages = ['sh', 'bash', 'console']

function arrange(blocks: Block[]): Documentation {
  const groups: Block[][] = []
  const shell: Block[] = []
  const problems: string[] = []

  for (const block of blocks) {
    const place = `${block.file}:${block.line}`
    const { language, continues } = block
    if (language === 'ts' || language === 'js') {
      if (continues && groups.length === 0) problems.push(`${place}: continues, but nothing stands before it`)
      if (continues && groups.length > 0) groups.at(-1)!.push(block)
      else groups.push([block])
    } else if (shellLanguages.includes(language)) {
      if (continues && groups.length > 0) groups.at(-1)!.push(block)
      else shell.push(block)
    } else if (language === 'json') {
      try {
        JSON.parse(block.code)
      } catch (error) {
        problems.push(`${place}: ${String(error)}`)
      }
    } else if (language !== 'text') {
      problems.push(`${place}: nothing runs a block of ${language === '' ? 'no language' : language}`)
    }
    for (const name of block.fixtures) {
      if (!existsSync(join(fixtures, `${name}.ts`))) problems.push(`${place}: there is no fixture ${name}`)
    }
  }
  return { programs: groups.map(toProgram), shell, problems }
}

function toProgram(group: Block[]): Program {
  const [first] = group as [Block]
  const shell = group.filter((block) => shellLanguages.includes(block.language))
  const code = group.filter((block) => !shell.includes(block))
  const lines: string[] = []
  for (const block of code) {
    const text = block.code.split('\n')
    text.forEach((line, at) => (lines[block.line - 1 + at] = line))
  }
  // Line N of the module is line N of the document; what the reader does not see stands on the line of the fence.
  lines[first.line - 2] = preamble(code)
  const source = Array.from(lines, (line) => line ?? '').join('\n')
  return {
    file: first.file,
    name: `${first.file}:${first.line}`,
    module: `${first.file.replace(/[/\\]/g, '-')}-${first.line}${extensionOf(first)}`,
    source,
    shell,
  }
}

function extensionOf(block: Block): string {
  if (block.language === 'ts') return '.ts'
  return /\brequire\(/.test(block.code) ? '.cjs' : '.mjs'
}

/** The imports that a block need not write, on one line. */
function preamble(code: Block[]): string {
  const imports = code
    .flatMap((block) => block.fixtures)
    .map((name) => importLine(exportsOf(join(fixtures, `${name}.ts`)), `./${name}.js`))

  const file = code[0]!.file
  if (!file.endsWith('.md')) {
    const text = code.map((block) => block.code).join('\n')
    const own = exportsOf(join(root, file))
    const all = exportsOf(join(root, 'src/index.ts'))
    const wanted = (names: Exports): Exports =>
      new Map([...names].filter(([name]) => new RegExp(`\\b${name}\\b`).test(text) && !declares(text, name)))
    const fromFile = wanted(own)
    const fromPackage = new Map([...wanted(all)].filter(([name]) => !fromFile.has(name)))
    imports.push(importLine(fromFile, relative(fixtures, join(root, file)).replace(/\.ts$/, '.js')))
    imports.push(importLine(fromPackage, 'routecontrollers'))
  }
  return imports.filter(Boolean).join('; ')
}

type Exports = Map<string, 'value' | 'type'>

function importLine(names: Exports, from: string): string {
  if (names.size === 0) return ''
  const list = [...names].map(([name, kind]) => (kind === 'type' ? `type ${name}` : name))
  return `import { ${list.join(', ')} } from '${from}'`
}

function declares(code: string, name: string): boolean {
  return parse(code).statements.some(
    (statement) =>
      namesOf(statement).includes(name) ||
      (ts.isImportDeclaration(statement) && new RegExp(`\\b${name}\\b`).test(statement.getText())),
  )
}

/** The names that a file exports, read from its text alone. */
function exportsOf(path: string): Exports {
  const found: Exports = new Map()
  if (!existsSync(path)) return found
  for (const statement of parse(readFileSync(path, 'utf8')).statements) {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      for (const { name, isTypeOnly } of statement.exportClause.elements) {
        found.set(name.text, isTypeOnly || statement.isTypeOnly ? 'type' : 'value')
      }
    } else if (
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
    ) {
      const kind =
        ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) ? 'type' : 'value'
      for (const name of namesOf(statement)) if (found.get(name) !== 'value') found.set(name, kind)
    }
  }
  return found
}

/** The names that a statement declares. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name)
        ? [name.text]
        : name.elements.flatMap((element) =>
            ts.isBindingElement(element) && ts.isIdentifier(element.name) ? [element.name.text] : [],
          ),
    )
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name ? [statement.name.text] : []
}

function parse(code: string): ts.SourceFile {
  return ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true)
}

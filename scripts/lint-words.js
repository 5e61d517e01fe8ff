// Checks the words of the pages, and in the source those of all comments and messages, against docs/style.md: `npm run lint:words [-- file…]`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const mostWords = 25
/** scripts/build-page.js makes it of sources that are read themselves. */
const madeFile = join('packages', 'switch', 'src', 'page', 'page-assets.ts')

/** What is read: pages, and the source. docs/api is made of those, and docs/style.md names the words. */
function listFiles() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name))
  const pages = ['.github', 'bench', 'docs', 'examples', ...packages].flatMap(below).concat(readdirSync(root))
  const sources = ['src', ...packages.map((folder) => join(folder, 'src'))].flatMap(below)
  return [
    ...pages.filter((file) => file.endsWith('.md')),
    ...sources.filter((file) => file.endsWith('.ts') && file !== madeFile),
  ]
    .filter((file) => !/node_modules|^docs\/(?:api|\.vitepress|style\.md)/.test(file))
    .sort()
}

/** A word of docs/style.md that is not to be used, and what to write. */
function readWords() {
  const page = readFileSync(join(root, 'docs/style.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm)]
  if (rows.length === 0) throw new Error('docs/style.md has no table of words')
  return rows.map(([, words, instead]) => ({
    pattern: new RegExp(`\\b(?:${words.split(', ').join('|')})\\b`, 'i'),
    instead,
  }))
}

/** The lines of a page; those of code and of comments are empty. */
function linesOf(text) {
  let fence
  let isComment = false
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      return ''
    }
    if (mark !== undefined) fence = mark
    else if (isComment || /^\s*<!--/.test(line)) isComment = !line.includes('-->')
    else return line
    return ''
  })
}

/** The paragraphs of a page with their lines: without tables and headings. */
function paragraphsOf(text) {
  const paragraphs = []
  let current
  linesOf(text).forEach((line, at) => {
    if (/^\s*($|#|\||<|---)/.test(line)) return (current = undefined)
    const item = /^\s*(?:[-*>]|\d+\.)\s+(.*)$/.exec(line)
    if (current === undefined || item !== null) paragraphs.push((current = { line: at + 1, text: '' }))
    current.text += ` ${item?.[1] ?? line.trim()}`
  })
  return paragraphs
}

/** The rows of tables and the headings of a page: they are no sentences, so only their words count. */
function labelsOf(text) {
  return (
    linesOf(text)
      // The title of a test is a link: it stays as the test has it.
      .map((line, at) => ({ line: at + 1, text: line.replace(/\[[^\]]*\]\([^)]*\)/g, '') }))
      .filter((one) => /^\s*[#|]/.test(one.text))
  )
}

/** The comments of a file of source, without examples and without what is written for tools. */
function commentsOf(source) {
  const { text } = source
  const ranges = new Map()
  const take = (node) => {
    for (const rangesAt of [ts.getLeadingCommentRanges, ts.getTrailingCommentRanges]) {
      const at = rangesAt === ts.getLeadingCommentRanges ? node.pos : node.end
      for (const range of rangesAt(text, at) ?? []) ranges.set(range.pos, range)
    }
    // A comment stands before or behind a token. The text of a template looks like one where it holds an address.
    for (const child of node.getChildren(source)) {
      if (!ts.isTemplateLiteralToken(child)) take(child)
    }
  }
  take(source)
  const comments = [...ranges.values()]
    .sort((one, other) => one.pos - other.pos)
    .map(({ pos, end }) => ({ ...linesFrom(source, pos, end), written: text.slice(pos, end) }))
    .filter(({ written }) => !/^\/[/*]+ *(?:eslint|prettier|@ts-|#(?:end)?region|<reference)/.test(written))
  return joined(comments).flatMap(({ line, written }) =>
    paragraphsOf(textOf(written)).map((paragraph) => ({
      line: line + paragraph.line,
      text: paragraph.text,
    })),
  )
}

function linesFrom(source, pos, end) {
  const lineAt = (at) => source.getLineAndCharacterOfPosition(at).line
  const isBehindCode = /[^ \t\n][ \t]*$/.test(source.text.slice(0, pos).slice(-300))
  return { line: lineAt(pos), last: lineAt(end), isBehindCode }
}

/** Lines of `//` that stand one below the other are one text. */
function joined(comments) {
  const found = []
  for (const one of comments) {
    const before = found.at(-1)
    const isLine = ({ written, isBehindCode }) => written.startsWith('//') && !isBehindCode
    if (before?.last === one.line - 1 && isLine(before) && isLine(one)) {
      before.written += `\n${one.written}`
      before.last = one.last
    } else found.push({ ...one })
  }
  return found
}

/** What a comment says, line by line. */
function textOf(written) {
  return (
    written
      .replace(/^\/\*+|\*\/$/g, '')
      .replace(/^[ \t]*(?:\/\/|\*) ?/gm, '')
      // An example is code, and these tags hold a name. Other tags begin a paragraph.
      .replace(/^@(?:example|module)\b[^]*?(?=^@|(?![^]))/gm, (all) => all.replace(/[^\n]/g, ''))
      .replace(/^@(?:param|returns|throws|template|deprecated|internal)\b(?: \w+ -)? ?/gm, '- ')
  )
}

/** The texts of a file of source that somebody reads: errors, lines of logs, help. A value that is put in counts as one word. */
function messagesOf(source) {
  const found = []
  const visit = (node) => {
    const written = literalOf(node)
    // The style and the script of a page are texts too, and so is a list of names, which is split.
    const isCode = written === undefined || /^(?:const |:root)/m.test(written) || isSplit(node)
    if (!isCode && /\p{L}{2,} \p{L}+ \p{L}{2,}/u.test(written)) {
      const { line } = linesFrom(source, node.getStart(), node.end)
      found.push(...written.split(/\n/).map((one) => ({ line: line + 1, text: one })))
    }
    // The parts of a sum are read with it, but not what is put into them.
    if (isSum(node) && written !== undefined) ts.forEachChild(node, visitWithin)
    else ts.forEachChild(node, visit)
  }
  const visitWithin = (node) => {
    if (isSum(node) || literalOf(node) !== undefined) ts.forEachChild(node, visitWithin)
    else visit(node)
  }
  visit(source)
  return found
}

/** A text of the source, also one that is put together of several; undefined for other code. */
function literalOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('VALUE')
  if (!isSum(node)) return undefined
  const parts = [node.left, node.right].map(literalOf)
  return parts.every((part) => part === undefined) ? undefined : parts.map((part) => part ?? 'VALUE').join('')
}

/** True for a list of names: `'GET HEAD POST'.split(' ')`. */
function isSplit({ parent }) {
  return ts.isParenthesizedExpression(parent) ? isSplit(parent) : ts.isPropertyAccessExpression(parent)
}

function isSum(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken
}

/** A paragraph as its reader sees it: code is one word, a link is its text. */
function plain(text) {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\{@link [^}]*\}/g, 'code')
    .replace(/https?:\S+/g, 'link')
    .replace(/[*_]{1,2}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function sentencesOf(text) {
  return text.split(/(?<=[.!?:]["')]?)\s+(?=\S)/)
}

function problemsOf(text, words) {
  const problems = []
  for (const sentence of sentencesOf(plain(text))) {
    const count = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length
    if (count > mostWords) problems.push(`${count} words: ${sentence.slice(0, 90)}`)
    problems.push(...refusedIn(sentence, words))
  }
  return problems
}

function refusedIn(text, words) {
  return words.flatMap(({ pattern, instead }) => {
    const [found] = pattern.exec(text) ?? []
    return found === undefined ? [] : [`"${found}": ${instead}`]
  })
}

const words = readWords()
const given = process.argv.slice(2)
const files = given.length > 0 ? given.map((file) => relative(root, resolve(file))) : listFiles()

/** The paragraphs of a file, which are sentences, and its labels, of which the words count alone. */
function read(file) {
  const text = readFileSync(join(root, file), 'utf8')
  if (file.endsWith('.md')) return { paragraphs: paragraphsOf(text), labels: labelsOf(text) }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  return { paragraphs: [...commentsOf(source), ...messagesOf(source)], labels: [] }
}

let count = 0
for (const file of files) {
  const { paragraphs, labels } = read(file)
  const problems = [
    ...paragraphs.flatMap((one) => problemsOf(one.text, words).map((problem) => ({ ...one, problem }))),
    ...labels.flatMap((one) => refusedIn(plain(one.text), words).map((problem) => ({ ...one, problem }))),
  ]
  for (const { line, problem } of problems) {
    count++
    console.log(`${file}:${line}: ${problem}`)
  }
}
if (count > 0) {
  console.log(`${count} places to mend: docs/style.md says how.`)
  process.exitCode = 1
}

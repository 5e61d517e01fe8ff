// Checks the words of the pages, of the doc comments and of what the package prints against docs/style.md: `npm run lint:words [-- file…]`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const mostWords = 25

/** What is read: pages, and the source. docs/api is made of those, and docs/style.md names the words. */
function listFiles() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
  const pages = ['.github', 'bench', 'docs', 'examples'].flatMap(below).concat(readdirSync(root))
  return [
    ...pages.filter((file) => file.endsWith('.md')),
    ...below('src').filter((file) => file.endsWith('.ts')),
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

/** The doc comments of what a file of source exports, without examples and tags. */
function commentsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const take = (node) => {
    for (const comment of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      const written = ts.getTextOfJSDocComment(comment.comment)
      const { line } = source.getLineAndCharacterOfPosition(comment.getStart())
      if (written) found.push(...written.split(/\n\s*\n/).map((one) => ({ line: line + 1, text: one })))
    }
  }
  for (const statement of source.statements) {
    if (!ts.canHaveModifiers(statement)) continue
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue
    take(statement)
    for (const member of statement.members ?? []) take(member)
  }
  return found.flatMap((one) => paragraphsOf(one.text).map(({ text: words }) => ({ ...one, text: words })))
}

/** The texts of a file of source that somebody reads: errors, lines of logs, help. A value that is put in counts as one word. */
function messagesOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const visit = (node) => {
    const parts = ts.isStringLiteralLike(node)
      ? [node.text]
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
        : []
    const written = parts.join('VALUE')
    // The style and the script of a page are texts too.
    const isCode = /^(?:const |:root)/m.test(written)
    if (!isCode && /\p{L}{2,} \p{L}+ \p{L}{2,}/u.test(written)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push(...written.split(/\n/).map((one) => ({ line: line + 1, text: one })))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
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

let count = 0
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8')
  const paragraphs = file.endsWith('.md') ? paragraphsOf(text) : commentsOf(file, text)
  const labels = file.endsWith('.md') ? labelsOf(text) : []
  const isPrinted = file.startsWith('src') && !file.endsWith('page-assets.ts')
  if (isPrinted) paragraphs.push(...messagesOf(file, text))
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

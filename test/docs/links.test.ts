import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listDocuments, root } from '../support/doc-blocks.js'

const documents = listDocuments().filter((file) => file.endsWith('.md'))

it('Links between the documents lead to a file, and to a heading in it', () => {
  expect(documents.flatMap(findBrokenLinks)).toEqual([])
})

function findBrokenLinks(file: string): string[] {
  return linksOf(readProse(file))
    .filter((link) => {
      if (/^[a-z]+:/.test(link)) return false
      const [path, anchor] = link.split('#') as [string, string?]
      const target = path === '' ? file : join(dirname(file), decodeURIComponent(path))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    .map((link) => `${file}: ${link}`)
}

/** The text of a document without its code. */
function readProse(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/^\s*(`{3,}|~{3,})[^]*?^\s*\1/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''))
}

/** `[text](target)`, `[name]: target` and `<a href="target">`. */
function linksOf(prose: string): string[] {
  const forms = /\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*<?([^\s>]+)|(?:href|src)="([^"]+)"/gm
  return [...prose.matchAll(forms)].map(([, inline, reference, html]) => (inline ?? reference ?? html)!)
}

/** The names that GitHub gives to the headings. */
function anchorsOf(file: string): string[] {
  return [...readProse(file).matchAll(/^#+\s+(.*)$/gm)].map(([, heading]) =>
    heading!
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { drawPicture } from './picture.js'
import {
  appCells,
  importCells,
  measuredText,
  overviewCells,
  rowCells,
  sizeCells,
  titleOf,
  toMarkdown,
} from './tables.js'

const bench = join(import.meta.dirname, '..')

/** The rows that the overview shows: what users compare first. */
const inOverview = /^(?:standalone|handlers|inside|hooks)\b/

/** Writes a run into the regions of bench/README.md for this major of Node, and draws bench/node-<major>.svg. */
export async function writeResults(results) {
  const [major] = results.node.slice(1).split('.')
  const picture = `node-${major}.svg`
  const isOfApps = ({ name }) => name.startsWith('app ')
  const standalone = results.rows.filter(({ name }) => name.startsWith('standalone '))
  if (standalone.length > 0) {
    const caption = `Node ${results.node.slice(1)}, 100 routes; npm run bench; median of ${standalone[0].samples[0].samples.length} rounds`
    writeFileSync(join(bench, picture), drawPicture(standalone, caption))
  }

  const readme = join(bench, 'README.md')
  let text = readFileSync(readme, 'utf8')
  const overview = toOverview(results.rows.filter(({ name }) => inOverview.test(name)))
  if (overview !== '') text = putRegion(text, `results of node ${major}`, () => overview)
  const apps = results.rows.filter(isOfApps)
  if (apps.length > 0) text = putRegion(text, `apps on node ${major}`, () => toApps(results, apps))
  const rows = results.rows.filter((row) => !isOfApps(row))
  if (rows.length > 0) text = putRegion(text, `node ${major}`, () => toSections({ ...results, rows }))
  text = putRegion(text, 'targets', (before) => toMarkdown(mergeTargets(before, major, results.targets)))
  const style = JSON.parse(readFileSync(join(bench, '../.prettierrc.json'), 'utf8'))
  writeFileSync(readme, await format(text, { ...style, parser: 'markdown' }))
}

/** A region stands between the comments `<!-- name -->` and `<!-- end of name -->`. */
function putRegion(text, name, create) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)]
  if (from < start.length || to < from)
    throw new Error(`bench/README.md has no region from ${start} to ${end}`)
  return `${text.slice(0, from)}\n\n${create(text.slice(from, to))}\n\n${text.slice(to)}`
}

function toApps({ node, date, versions }, rows) {
  const source = `Node ${node.slice(1)}, ${date}, Express ${versions.express}; \`npm run bench -- --rows '^app'\`.`
  return `${toMarkdown(appCells(rows))}\n\n${source}`
}

function toOverview(rows) {
  const groups = groupBy(rows, ({ title }) => titleOf(title).group)
  return [...groups].map(([title, rows]) => `**${title}**\n\n${toMarkdown(overviewCells(rows))}`).join('\n\n')
}

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** The table of targets, in which a run replaces the figures of its major of Node, and leaves the others. */
function mergeTargets(before, major, targets) {
  const [head = ['', 'target'], , ...lines] = [...before.matchAll(/^\|(.*)\|$/gm)].map(([, line]) =>
    line.split('|').map((cell) => cell.trim()),
  )
  const column = `Node ${major}`
  if (!head.includes(column)) head.push(column)
  const table = new Map(lines.map((line) => [line[0], line]))
  const groups = groupBy(targets, ({ title, what }) => `${titleOf(title).group}: ${what}`)
  for (const [name, group] of groups) {
    const line = table.get(name) ?? [name]
    line[1] = group[0].wanted
    line[head.indexOf(column)] = group
      .map(({ measured, met }) => (met ? `**${measuredText(measured)}**` : measuredText(measured)))
      .join(', ')
    table.set(name, line)
  }
  return [head, ...[...table.values()].map((line) => head.map((_, at) => line[at] ?? ''))]
}

function toSections({ node, machine, pinned, load, versions, date, command, rows, ...rest }) {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const sections = [
    `Node ${node.slice(1)} on ${machine}; ${load}; pinned: ${pinned}. ${list.join(', ')}. ${date}, \`${command}\`.`,
    ...rows.map((row) => `**${row.title}**\n\n${toMarkdown(rowCells(row))}`),
  ]
  if (rest.imports)
    sections.push(`**import, in a fresh process**\n\n${toMarkdown(importCells(rest.imports))}`)
  if (rest.sizes) sections.push(`**Size**\n\n${toMarkdown(sizeCells(rest.sizes))}`)
  if (rest.routeIndex) {
    sections.push(`**Route index**\n\n\`\`\`text\n${rest.routeIndex}\n\`\`\``)
  }
  return sections.join('\n\n')
}

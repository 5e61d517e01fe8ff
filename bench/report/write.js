import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { drawPicture } from './picture.js'
import { importCells, rowCells, sizeCells, targetCells, toMarkdown } from './tables.js'

const bench = join(import.meta.dirname, '..')

/** Puts a run into bench/README.md, where the figures of this major of Node stand, and draws bench/node-<major>.svg. */
export async function writeResults(results) {
  const [major] = results.node.slice(1).split('.')
  const picture = `node-${major}.svg`
  const standalone = results.rows.filter(({ name }) => name.startsWith('standalone '))
  if (standalone.length > 0) {
    const caption = `Node ${results.node.slice(1)}, 100 routes; npm run bench; median of ${standalone[0].samples[0].samples.length} rounds`
    writeFileSync(join(bench, picture), drawPicture(standalone, caption))
  }

  const readme = join(bench, 'README.md')
  const [start, end] = [`<!-- node ${major} -->`, `<!-- end of node ${major} -->`]
  const text = readFileSync(readme, 'utf8')
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`bench/README.md has no region from ${start} to ${end}`)
  const whole = text.slice(0, from + start.length) + `\n\n${toSections(results)}\n\n` + text.slice(to)
  const style = JSON.parse(readFileSync(join(bench, '../.prettierrc.json'), 'utf8'))
  writeFileSync(readme, await format(whole, { ...style, parser: 'markdown' }))
}

function toSections({ node, machine, pinned, load, versions, date, command, rows, targets, ...rest }) {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const sections = [
    `Node ${node.slice(1)} on ${machine}; ${load}; pinned: ${pinned}. ${list.join(', ')}. ${date}, \`${command}\`.`,
    toMarkdown(targetCells(targets)),
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

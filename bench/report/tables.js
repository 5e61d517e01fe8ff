/** Tables as cells: the first line is the head. One set for the terminal and for Markdown. */

export function rowCells({ unit, contenders }) {
  const hasGrowth = contenders.some(({ growthMiB }) => growthMiB !== undefined)
  return [
    ['', `µs of CPU per ${unit}`, `${unit}s per second`, 'ratio', ...(hasGrowth ? ['RSS growth, MiB'] : [])],
    ...contenders.map(({ name, cpuMicroseconds, perSecond, ratio, growthMiB }) => [
      name,
      withSpread(cpuMicroseconds, cpuMicroseconds.median < 1000 ? 1 : 0),
      Math.round(perSecond.median).toLocaleString('en').replaceAll(',', ' '),
      withSpread(ratio, 2),
      ...(hasGrowth ? [growthMiB.toFixed(0)] : []),
    ]),
  ]
}

export function targetCells(targets) {
  return [
    ['', '', 'target', 'measured', ''],
    ...targets.map(({ title, what, wanted, measured, met }) => [
      title,
      what,
      wanted,
      measuredText(measured),
      met ? 'met' : 'missed',
    ]),
  ]
}

/** The CPU time of each contender, one column for each request that was asked of the same contenders. */
export function overviewCells(rows) {
  return [
    ['µs of CPU per request', ...rows.map(({ title }) => titleOf(title).request)],
    ...rows[0].contenders.map(({ name }, at) => [
      name,
      ...rows.map(({ contenders }) => contenders[at].cpuMicroseconds.median.toFixed(1)),
    ]),
  ]
}

/** Who serves an Express app, one column for each app: the part of what Express takes, and µs of CPU. */
export function appCells(rows) {
  return [
    ['of what Express takes (µs of CPU)', ...rows.map(({ title }) => titleOf(title).request)],
    ...rows[0].contenders.map(({ name }, at) => [
      name,
      ...rows.map(({ contenders }) => {
        const { ratio, cpuMicroseconds } = contenders[at]
        return `${(1 / ratio.median).toFixed(2)} (${cpuMicroseconds.median.toFixed(1)})`
      }),
    ]),
  ]
}

/** A title such as `Standalone, 100 routes: GET static` in its two parts. The second is missing where a row has one request. */
export function titleOf(title) {
  const [, group, request] = /^(.*?)(?:: (.*))?$/.exec(title)
  return { group, request: request ?? 'GET /users/:id' }
}

export function importCells(imports) {
  return [
    ['', 'ms of import'],
    ...imports.map(({ name, milliseconds }) => [name, withSpread(milliseconds, 1)]),
  ]
}

export function sizeCells(sizes) {
  return [
    ['', 'bytes, minified and gzipped'],
    ...sizes.map(({ names, bytes }) => [`{ ${names} }`, String(bytes)]),
  ]
}

/** The first column to the left, numbers to the right. */
export function toText(cells) {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  return cells.map((line) => `  ${line.map(pad).join('   ')}`).join('\n')
}

export function toMarkdown([head, ...lines]) {
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [head, rule, ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

export const measuredText = (measured) => measured.toFixed(measured < 10 ? 2 : measured < 100 ? 1 : 0)

const withSpread = ({ median, low, high }, digits) =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`

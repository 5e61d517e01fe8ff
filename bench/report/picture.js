const labelWidth = 130
const barWidth = 460
const barHeight = 16
const lineHeight = 22
const groupGap = 40
const width = labelWidth + barWidth + 60

/** The standalone rows as bars, an SVG that is legible on light and on dark: CPU time per request, bare node:http = 1. */
export function drawPicture(rows, caption) {
  let y = 28
  const parts = [text(0, 16, 'title', 'Requests for the same CPU time; bare node:http = 1.00')]
  for (const { title, contenders } of rows) {
    parts.push(text(0, y + 20, 'group', title.replace(/^.*: /, '')))
    y += 30
    for (const { name, ratio } of contenders) {
      const part = Math.min(ratio.median, 1.1) / 1.1
      const kind = name === 'routecontrollers' ? 'ours' : 'bar'
      const bar = `<rect class="${kind}" x="${labelWidth}" y="${y}" width="${(part * barWidth).toFixed(1)}" height="${barHeight}" rx="2"/>`
      parts.push(text(labelWidth - 8, y + 12, 'label', name), bar)
      parts.push(text(labelWidth + part * barWidth + 6, y + 12, 'value', ratio.median.toFixed(2)))
      y += lineHeight
    }
    y += groupGap - lineHeight
  }
  parts.push(text(0, y + 8, 'caption', caption))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 20}" width="${width}" height="${y + 20}" role="img">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.group { font-weight: 600 }
.label { text-anchor: end }
.caption { font-size: 11px; fill: #59636e }
.bar { fill: #afb8c1 }
.ours { fill: #1a7f64 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .caption { fill: #9198a1 }
  .bar { fill: #57606a }
  .ours { fill: #3fb68b }
}
</style>
${parts.join('\n')}
</svg>
`
}

function text(x, y, kind, content) {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text class="${kind}" x="${Number(x.toFixed(1))}" y="${y}">${escaped}</text>`
}

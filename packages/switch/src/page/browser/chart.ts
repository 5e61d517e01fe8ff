// A line chart of the last minutes, as SVG.
import { element, setText } from './elements.js'

interface Line {
  readonly name: string
  /** Of the classes `ink-…`. */
  readonly ink: string
}

export interface ChartOptions {
  readonly title: string
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
  /** What the axis reaches at the least. */
  readonly least: number
}

/** Values of all lines at one time, in milliseconds. */
export interface Point {
  readonly at: number
  readonly values: readonly number[]
}

const [left, right, top, bottom] = [44, 6, 8, 20]

/** A figure, and what draws points into it. */
export function createChart({ title, lines, format, least }: ChartOptions): {
  figure: HTMLElement
  draw: (points: readonly Point[]) => void
} {
  const figure = element('figure')
  const caption = element('figcaption', {}, element('b', {}, title))
  const keys = lines.map(({ ink }) => element('span', { class: `key ${ink}` }))
  caption.append(...keys)
  const svg = shape('svg', { role: 'img' })
  figure.append(caption, svg)
  let shown: readonly Point[] = []
  let looked: number | undefined

  const draw = (): void => {
    const [width, height] = [Math.max(160, svg.clientWidth), Math.max(80, svg.clientHeight)]
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
    const last = shown.at(-1)
    const end = last?.at ?? 0
    const start = Math.min(shown[0]?.at ?? 0, end - 60_000)
    const most = niceAbove(Math.max(least, ...shown.flatMap(({ values }) => values)))
    const x = (at: number): number => left + ((at - start) / (end - start)) * (width - left - right)
    const y = (value: number): number => height - bottom - (value / most) * (height - top - bottom)
    const parts: SVGElement[] = []
    for (const value of [0, most / 2, most]) {
      parts.push(shape('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }))
      parts.push(shape('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, format(value)))
    }
    parts.push(shape('text', { x: left, y: height - 4 }, `${durationOf(end - start)} ago`))
    parts.push(shape('text', { x: width - right, y: height - 4, 'text-anchor': 'end' }, 'now'))
    if (shown.length > 1) {
      lines.forEach(({ ink }, at) => {
        const path = shown.map((point) => `${round(x(point.at))} ${round(y(point.values[at]!))}`).join('L')
        const [first, final] = [round(x(shown[0]!.at)), round(x(end))]
        parts.push(shape('path', { class: `area ${ink}`, d: `M${first} ${y(0)}L${path}L${final} ${y(0)}Z` }))
        parts.push(shape('path', { class: `line ${ink}`, d: `M${path}` }))
      })
    }
    const told =
      looked === undefined
        ? last
        : nearest(shown, start + ((looked - left) / (width - left - right)) * (end - start))
    if (told !== undefined && looked !== undefined)
      parts.push(shape('line', { class: 'at', x1: x(told.at), x2: x(told.at), y1: top, y2: height - bottom }))
    const texts = lines.map(
      ({ name }, at) => `${name} ${told === undefined ? '–' : format(told.values[at]!)}`,
    )
    texts.forEach((text, at) => setText(keys[at]!, text))
    if (looked === undefined) svg.setAttribute('aria-label', `${title}: ${texts.join(', ')}`)
    svg.replaceChildren(...parts)
  }
  svg.addEventListener('pointermove', ({ clientX }) => {
    looked = clientX - svg.getBoundingClientRect().left
    draw()
  })
  svg.addEventListener('pointerleave', () => {
    looked = undefined
    draw()
  })
  new ResizeObserver(() => draw()).observe(figure)
  return {
    figure,
    draw: (points) => {
      shown = points
      draw()
    },
  }
}

function nearest(points: readonly Point[], at: number): Point | undefined {
  let best: Point | undefined
  for (const one of points)
    if (best === undefined || Math.abs(one.at - at) < Math.abs(best.at - at)) best = one
  return best
}

/** 1, 2 or 5 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * [1, 2, 5, 10].find((factor) => factor * power >= value * 0.999)!
}

function durationOf(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}

const round = (value: number): number => Math.round(value * 10) / 10

function shape(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  if (text !== undefined) made.textContent = text
  return made
}

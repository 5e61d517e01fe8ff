// The inventory as one page: it needs nothing from anywhere, and shows all of it also where scripts are off.
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import type { AppRow, Inventory, Pass, RouteRow } from '../documents/inventory.js'
import { ownerText, stagesText } from './answerer-text.js'
import { titleOf } from './inspect-findings.js'
import { passedBefore } from './text.js'
import { countRows } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'

/** The page of an inventory; `entry` is its title. */
export function inventoryPage(read: Inventory, entry: string): string {
  const inventory = printable(read)
  const { apps, routes, findings, notes } = inventory
  return pageOf({
    title: `Routes of ${printable(entry)}`,
    summary: summary(inventory),
    placeholder: 'path, guard or file',
    of: 'routes',
    count: routes.length,
    legend: `<p class="legend">${kinds.map((kind) => `<span class="step ${kind}">${kind}</span>`).join(' ')}</p>`,
    main: `${findings.length === 0 ? '' : `<section><h2>Findings</h2><ul class="findings">${findings.map((one) => findingItem(one)).join('')}</ul></section>`}
${apps.map((app, at) => appSection(app, at, inventory)).join('\n')}
${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')}`,
  })
}

/** What a page is made of; `main` and `legend` are HTML. */
interface Page {
  readonly title: string
  readonly summary: string
  readonly placeholder: string
  /** What its articles are. */
  readonly of: string
  readonly count: number
  readonly legend: string
  readonly main: string
}

/** A page with a search through its articles. */
export function pageOf({ title, summary, placeholder, of, count, legend, main }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(summary)}</p>
<label>Search <input id="search" type="search" placeholder="${placeholder}" autocomplete="off"></label>
<output id="count" for="search">${count} of ${count} ${of}</output>
${legend}
</header>
<main>
${main}
</main>
<script>${scriptFor(of)}</script>
</body>
</html>
`
}

const kinds = ['middleware', 'hook', 'param', 'native', 'handler', 'behind', 'error'] as const

function summary({ apps, routes, findings }: Inventory): string {
  const guarded = new Set(routes.flatMap(({ passes }) => passes.map(({ name, at }) => `${name} ${at ?? ''}`)))
  const mounts = apps.reduce((sum, app) => sum + app.mounts, 0)
  return `${countRows(routes.length - mounts, mounts)}${stagesText(routes)}, ${guarded.size} functions that their requests pass, ${findings.length} findings. A request goes from left to right.`
}

function appSection(app: AppRow, at: number, { apps, routes }: Inventory): string {
  const number = apps.length > 1 ? `App ${at + 1}: ` : ''
  const version = app.version === undefined ? '' : ` ${app.version}`
  const own = routes.filter((row) => row.app === at)
  return `<section><h2>${escapeHtml(number + app.kind + version)}</h2>${branch(treeOf(own), '')}</section>`
}

/** Routes by the segments of their paths. */
interface Tree {
  readonly children: Map<string, Tree>
  readonly routes: RouteRow[]
}

function treeOf(routes: readonly RouteRow[]): Tree {
  const root: Tree = { children: new Map(), routes: [] }
  for (const row of routes) {
    let node = root
    for (const segment of row.path.split('/').filter(Boolean)) {
      let child = node.children.get(segment)
      if (child === undefined) node.children.set(segment, (child = { children: new Map(), routes: [] }))
      node = child
    }
    node.routes.push(row)
  }
  return root
}

function branch({ children, routes }: Tree, path: string): string {
  const own = routes.map((row) => routeArticle(row)).join('')
  const below = [...children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([segment, child]) => {
      const whole = `${path}/${segment}`
      // A segment with one way on is a line of its own only where something ends at it.
      const [only] = child.children
      if (child.routes.length === 0 && child.children.size === 1 && only !== undefined)
        return branch(child, whole)
      return `<details open class="branch"><summary>${escapeHtml(whole)}</summary>${branch(child, whole)}</details>`
    })
  return own + below.join('')
}

function routeArticle(row: RouteRow): string {
  const { method, path, own, settings, errorHandlers, shadowed, answer, witness, witnessMethod } = row
  const set = [
    settings.strict && 'strict',
    settings.caseSensitive && 'case sensitive',
    settings.mergeParams && 'mergeParams',
  ].filter((one) => one !== false)
  const end = shadowed
    ? `<span class="step lost">answered by ${escapeHtml(answer.route ?? answer.name)}${place(answer.at)}</span>`
    : `<span class="step answer">${escapeHtml(`${ownerText(own)}: ${own.name}`)}${place(own.at)}</span>`
  const replaced = (own.behind ?? []).map((pass) => stepSpan(pass, 'behind'))
  const behind = [...replaced, ...errorHandlers.map((pass) => stepSpan(pass))].join('')
  return `<article data-text="${escapeHtml(textOf(row))}"><h3><b class="method">${escapeHtml(method)}</b> ${escapeHtml(path)} <small>${escapeHtml(set.join(', '))}</small></h3>
<div class="chain">${passedBefore(row)
    .map((pass) => stepSpan(pass))
    .join('')}${end}${behind}</div>
${witness === undefined ? '' : `<p class="witness">${escapeHtml(`${witnessMethod} ${witness}`)}</p>`}</article>`
}

function stepSpan(pass: Pass, as: string = pass.kind): string {
  const { name, at, mount, argument, param, unverifiable } = pass
  const called = name === '<anonymous>' && argument !== undefined ? argument : name
  const title = [argument, mount === '/' ? '' : `at ${mount}`, unverifiable ? 'cannot be read' : '']
    .filter(Boolean)
    .join('\n')
  const shown = param === undefined ? called : `${param}: ${called}`
  return `<span class="step ${as}" title="${escapeHtml(title)}">${escapeHtml(shown)}${place(at)}</span>`
}

function place(at: string | undefined): string {
  return at === undefined ? '' : `<small>${escapeHtml(at)}</small>`
}

function findingItem({
  code,
  kind,
  method,
  path,
  at,
  message,
  witness,
}: Inventory['findings'][number]): string {
  const tried = witness === undefined ? '' : ` <code>${escapeHtml(witness)}</code>`
  return `<li title="${escapeHtml(titleOf(code))}"><b>${escapeHtml(kind)}</b> ${escapeHtml(`${method} ${path}`)} ${escapeHtml(message)}${place(at)}${tried}</li>`
}

/** What the search looks through. */
function textOf({ method, path, own, passes }: RouteRow): string {
  const words = [...passes, ...(own.behind ?? [])].flatMap(({ name, at, argument }) => [name, at, argument])
  return [method, path, own.stage, own.name, own.at, ...words]
    .filter((one) => one !== undefined)
    .join(' ')
    .toLowerCase()
}

const style = `
:root { color-scheme: light dark; --line: #8886; font: 15px/1.4 system-ui, sans-serif }
body { margin: 0 auto; max-width: 1200px; padding: 0 1rem 4rem }
header { position: sticky; top: 0; background: Canvas; padding: .5rem 0; border-bottom: 1px solid var(--line); z-index: 1 }
h1 { font-size: 1.3rem; margin: .3rem 0 } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem }
h3 { font: 600 1rem ui-monospace, monospace; margin: .6rem 0 .3rem }
header p { margin: .3rem 0 } input { font: inherit; width: 22rem; max-width: 100% }
.branch { border-left: 2px solid var(--line); padding-left: .8rem; margin: .3rem 0 }
.branch > summary { cursor: pointer; font-family: ui-monospace, monospace; opacity: .75 }
.chain { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem }
.step { position: relative; border: 1px solid; border-radius: .4rem; padding: .1rem .5rem; font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
.chain .step:not(:last-child)::after { content: '→'; position: absolute; right: -1.1rem; top: .1rem; color: GrayText }
.step small { display: block; font-size: 11px; color: GrayText }
.middleware { border-color: #3b82f6 } .hook { border-color: #8b5cf6 } .native { border-color: #10b981 } .param { border-color: #06b6d4 } .handler { border-color: #f59e0b } .behind { border-color: #f59e0b; border-style: dotted }
.error { border-color: #9ca3af; border-style: dashed } .answer { border-color: #16a34a; border-width: 2px } .lost { border-color: #dc2626; border-width: 2px }
.method { color: #16a34a } h3 small, .witness { color: GrayText; font-weight: normal }
.witness { margin: .2rem 0 0; font: 12px ui-monospace, monospace }
.findings li { margin: .4rem 0 } .findings small { display: inline; margin: 0 .5rem; color: GrayText }
[hidden] { display: none !important }
`

const scriptFor = (of: string): string => `
const search = document.getElementById('search')
const count = document.getElementById('count')
const articles = [...document.querySelectorAll('article')]
const branches = [...document.querySelectorAll('details.branch')]
const show = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let shown = 0
  for (const article of articles) {
    article.hidden = !words.every((word) => article.dataset.text.includes(word))
    if (!article.hidden) shown++
  }
  for (const branch of branches) branch.hidden = !branch.querySelector('article:not([hidden])')
  count.textContent = shown + ' of ' + articles.length + ' ${of}'
}
search.addEventListener('input', show)
// A search that somebody has sent as an address: routes.html#requireAdmin
search.value = decodeURIComponent(location.hash.slice(1))
if (search.value !== '') show()
`

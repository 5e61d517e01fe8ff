// One page that needs nothing from anywhere: a search and a filter through its articles. It shows all of it also where scripts are off.
import { escapeHtml } from '../../../../src/ground/escape-html.js'

/** A choice of articles: those whose `data-marks` has the value. */
export interface Filter {
  readonly value: string
  readonly label: string
  readonly count: number
}

/** What a page is made of; `main` and `legend` are HTML. */
interface Page {
  readonly title: string
  readonly summary: string
  readonly placeholder: string
  /** What its articles are, as a plural. */
  readonly of: string
  readonly count: number
  readonly filters: readonly Filter[]
  readonly legend: string
  readonly main: string
}

/** A page with a search through its articles. */
export function pageOf({ title, summary, placeholder, of: all, count, filters, legend, main }: Page): string {
  const of = count === 1 ? all.replace(/s$/, '') : all
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
</header>
<form class="tools" role="search">
<label class="search"><span>Search</span> <input id="search" type="search" placeholder="${escapeHtml(placeholder)}" autocomplete="off" aria-keyshortcuts="/"></label>
<label class="filter"${filters.length === 0 ? ' hidden' : ''}><span>Show</span> <select id="filter"><option value="">all</option>${filters.map(option).join('')}</select></label>
<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button>
<output id="count" for="search filter">${count} of ${count} ${of}</output>
</form>
${legend}
<main>
${main}
<p id="none" hidden>None of them is like this.</p>
</main>
<p class="keys"><kbd>/</kbd> searches, <kbd>↓</kbd> and <kbd>↑</kbd> go from line to line, <kbd>→</kbd> opens one, <kbd>←</kbd> closes it or goes to the line above it.</p>
<script>${scriptFor(of)}</script>
</body>
</html>
`
}

function option({ value, label, count }: Filter): string {
  return `<option value="${escapeHtml(value)}">${escapeHtml(label)} (${count})</option>`
}

/** An article with a line that opens it. `line` and `body` are HTML; `text` is what the search looks through. */
export function article({
  text,
  marks,
  line,
  body,
  isOpen = false,
}: {
  readonly text: string
  readonly marks: readonly string[]
  readonly line: string
  readonly body: string
  readonly isOpen?: boolean
}): string {
  return `<article data-text="${escapeHtml(text.toLowerCase())}" data-marks="${escapeHtml(JSON.stringify(marks))}"><details${isOpen ? ' open' : ''}><summary>${line}</summary><div class="body">${body}</div></details></article>`
}

/** Articles, and branches, below one line that opens them. `line`, `tags` and `body` are HTML; the tags are for who sees the line alone. */
export function branch({
  line,
  tags = '',
  body,
  isOpen,
}: {
  readonly line: string
  readonly tags?: string
  readonly body: string
  readonly isOpen: boolean
}): string {
  const more = tags === '' ? '' : ` <span class="own">${tags}</span>`
  return `<details class="branch"${isOpen ? ' open' : ''}><summary><span>${line}</span>${more}</summary>${body}</details>`
}

/** So many articles are read as they stand; of more, each branch that is no larger begins closed. */
export const mostInSight = 60

/** A place in small letters, or nothing. */
export function placeHtml(at: string | undefined): string {
  return at === undefined ? '' : ` <small>${escapeHtml(at)}</small>`
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dee5, #363c46); --quiet: light-dark(#57606a, #9aa4b2); --back: light-dark(#fff, #14171c); --raised: light-dark(#f5f7f9, #1c2128);
--green: light-dark(#116329, #57d37f); --red: light-dark(#b42318, #ff8d80); --amber: light-dark(#8a5200, #f0b35a); --blue: light-dark(#0b57a4, #79b8ff); --violet: light-dark(#6639ba, #c4a7ff);
font: 15px/1.45 system-ui, sans-serif; background: var(--back) }
body { margin: 0 auto; max-width: 1180px; padding: 0 1rem 4rem }
h1 { font-size: 1.4rem; margin: 1rem 0 .2rem; overflow-wrap: anywhere } h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem }
header p { margin: 0 0 .6rem; color: var(--quiet) }
.tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; background: var(--back); padding: .6rem 0; border-bottom: 1px solid var(--line) }
.tools label { display: flex; gap: .4rem; align-items: center } .search { flex: 1 1 15rem } .tools span { color: var(--quiet) }
.tools input { flex: 1 } .tools input, .tools select, .tools button { font: inherit; min-width: 0; padding: .25rem .5rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--raised); color: inherit }
.tools select { max-width: 16rem } .tools button { cursor: pointer } output { color: var(--quiet); white-space: nowrap }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 1px }
code, .path, .method, .step, small, kbd, .branch > summary { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
kbd { border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3rem; font-size: .85em } .keys { color: var(--quiet); font-size: .9em; margin-top: 2rem }
small { font-size: 12px; color: var(--quiet); overflow-wrap: anywhere } summary { cursor: pointer }
.branch { margin: .15rem 0 } .branch .branch, .branch > article { margin-left: 1rem }
.branch > summary { display: flex; flex-wrap: wrap; gap: .1rem .4rem; align-items: baseline; color: var(--quiet); font-size: 13px; padding: .2rem .2rem .2rem 0; overflow-wrap: anywhere; list-style: none }
.branch > summary > :first-child { flex: 0 1 auto; max-width: calc(100% - 1.4rem) } .branch[open] > summary .own { display: none } .branch:not([open]) { border-bottom: 1px solid var(--line) } .branch > summary:hover { background: var(--raised) }
article { border-bottom: 1px solid var(--line) } article > details > summary { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; padding: .3rem .2rem; list-style: none }
article > details > summary::before, .branch > summary::before { content: '▸'; color: var(--quiet); width: .8rem; flex: none } article > details[open] > summary::before, .branch[open] > summary::before { content: '▾' }
summary::-webkit-details-marker { display: none }
article > details > summary:hover { background: var(--raised) } .method { font-weight: 600; font-size: 13px; min-width: 3.4rem; color: var(--green) }
.path { font-size: 14px; overflow-wrap: anywhere } .own { display: flex; flex-wrap: wrap; gap: .2rem .4rem; margin-left: auto; justify-content: flex-end }
.body { padding: .2rem .2rem .8rem 1.6rem } .body p { margin: .3rem 0; overflow-wrap: anywhere }
.tag { font: 12px/1.45 system-ui, sans-serif; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; background: var(--raised); overflow-wrap: anywhere }
.tag.bare { color: var(--amber); border-color: currentColor } .tag.error, .tag.lost { color: var(--red); border-color: currentColor } .tag.warning { color: var(--amber); border-color: currentColor }
ol.chain { list-style: none; margin: .3rem 0; padding: 0; border-left: 2px solid var(--line) }
.step { --kind: 6.2rem; font-size: 13px; padding: .12rem .6rem .12rem calc(.6rem + var(--kind)); text-indent: calc(0px - var(--kind)); overflow-wrap: anywhere } .step i { font-style: normal; display: inline-block; min-width: var(--kind); text-indent: 0; color: var(--quiet) }
.step.answer { font-weight: 600 } .step.answer i { color: var(--green) } .step.native i { color: var(--green) } .step.hook i { color: var(--violet) } .step.middleware i { color: var(--blue) } .step.lost, .step.lost i { color: var(--red) }
.step.was-lost { color: var(--red) } .step.was-lost span { text-decoration: line-through } .step.was-lost i, .step.lost i { color: inherit } .step.is-gained, .step.is-gained i { color: var(--green) } .step.is-changed, .step.is-changed i, .step.is-reordered, .step.is-reordered i { color: var(--amber) }
.shared { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .8rem; margin: .5rem 0 } .shared summary { overflow-wrap: anywhere }
.findings { padding: 0; list-style: none } .findings li { margin: .35rem 0; overflow-wrap: anywhere } .witness { color: var(--quiet); font-size: 13px }
[hidden] { display: none !important }
@media (max-width: 640px) { .own { margin-left: 1.4rem; justify-content: flex-start; flex-basis: 100% } .branch .branch, .branch > article { margin-left: .4rem } .tools { position: static } .tools select { max-width: 100% } .body { padding-left: .6rem } .step { --kind: 5.6rem } .path { flex: 1 1 0; min-width: 60% } }
`

const scriptFor = (of: string): string => `
const search = document.getElementById('search')
const filter = document.getElementById('filter')
const count = document.getElementById('count')
const articles = [...document.querySelectorAll('article')]
const none = document.getElementById('none')
const branches = [...document.querySelectorAll('details.branch')]
const openAtFirst = new Set(branches.filter((one) => one.open))
let isSearching = false
const show = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let shown = 0
  for (const article of articles) {
    const isMarked = filter.value === '' || JSON.parse(article.dataset.marks).includes(filter.value)
    article.hidden = !isMarked || !words.every((word) => article.dataset.text.includes(word))
    if (!article.hidden) shown++
  }
  const wasSearching = isSearching
  isSearching = words.length > 0 || filter.value !== ''
  for (const branch of branches) {
    branch.hidden = !branch.querySelector('article:not([hidden])')
    if (isSearching || wasSearching) branch.open = isSearching || openAtFirst.has(branch)
  }
  none.hidden = shown > 0
  count.textContent = shown + ' of ' + articles.length + ' ${of}'
}
search.addEventListener('input', show)
filter.addEventListener('input', show)
const openAll = (isOpen) => {
  for (const one of document.querySelectorAll('article:not([hidden]) > details')) one.open = isOpen
  for (const one of branches) one.open = isOpen || isSearching || openAtFirst.has(one)
}
document.getElementById('open').addEventListener('click', () => openAll(true))
document.getElementById('close').addEventListener('click', () => openAll(false))
document.addEventListener('submit', (event) => event.preventDefault())
document.addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey) return
  const isTyping = target.matches('input, select')
  if (key === '/' && !isTyping) {
    event.preventDefault()
    search.focus()
  }
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    if (target.matches('select')) return
    const lines = [...document.querySelectorAll('main summary')].filter((one) => one.checkVisibility())
    const at = lines.indexOf(target)
    const next = lines[key === 'ArrowDown' ? at + 1 : Math.max(0, at) - 1]
    if (next === undefined && key === 'ArrowDown') return
    event.preventDefault()
    ;(next ?? search).focus()
  }
  if ((key === 'ArrowRight' || key === 'ArrowLeft') && target.matches('summary')) {
    event.preventDefault()
    const line = target.parentElement
    if (key === 'ArrowRight') line.open = true
    else if (line.open) line.open = false
    else line.parentElement.closest('details.branch')?.querySelector('summary').focus()
  }
})
// A search that somebody has sent as an address: routes.html#requireAdmin
try {
  search.value = decodeURIComponent(location.hash.slice(1))
} catch {
  search.value = location.hash.slice(1)
}
if (search.value !== '') show()
`

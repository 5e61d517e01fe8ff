import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Urls } from './guide.js'

/** The page on which the tour begins. `figures` is the text of bench/README.md. */
export function tourPage({ inside, inFront, standalone, takenOver }: Urls, figures = readFigures()): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>A tour of routecontrollers</title>
<style>${style}</style>
<h1>A tour of routecontrollers</h1>
<p class="lead">Put your Express app behind typed Controllers without editing it, then move its routes one by one.</p>
<p>A Controller is a route of this package: a method, a path and a function that answers.</p>
<div class="doors">
${door(
  '1. The shop',
  'One tea shop, served in four ways. More than half of its routes are Controllers now, and Express has the others. Each way gives the same answers.',
  [
    [inside, 'inside Express: Controllers are one more middleware'],
    [inFront, 'in front of Express: what no Controller matches goes to the app'],
    [`${standalone}/products`, 'without Express: only the routes that have moved'],
    [takenOver, 'the app as it was, taken over as a whole'],
  ],
)}
${door(
  '2. What guards each route',
  'A guard is a function that may refuse a request before its route. This is the list of all routes, read from the running app. Those without a guard of their own are marked.',
  [['/routes', 'the routes of the shop']],
)}
${door(
  '3. A migration under way',
  'Customers visit another small shop, and its routes move while they do. The new code of one route leaves the price out. The page shows it at <code>/products/:id</code>, and no customer has seen it.',
  [['/migration/', 'the page of the migration']],
)}
${door(
  '4. An API that describes itself',
  'Paths, schemas and guards of Controllers become an OpenAPI document, and a page to read and try it. To try it, press Authorize and type <code>ada</code>.',
  [
    ['/docs', 'the page of the API'],
    ['/openapi.json', 'its document'],
  ],
)}
</div>
<h2>What each costs</h2>
<p>A share of the CPU time that Express takes for a request, and µs in brackets. The first line is the floor: the middleware and the handler alone. Your middleware is what you pay for; this takes away the rest.</p>
<div class="table">${costTable(figures)}</div>
<p>These are the figures of Node 24. <code>bench/README.md</code> has those of other versions, and how to measure them on your machine.</p>
</html>
`
}

function door(title: string, text: string, links: readonly (readonly [url: string, text: string])[]): string {
  const items = links.map(([url, text]) => `<li><a href="${url}">${text}</a></li>`)
  return `<section><h2>${title}</h2><p>${text}</p><ul>${items.join('')}</ul></section>`
}

/** The table of Node 24, as bench/README.md has it. */
function costTable(figures: string): string {
  const [, table = ''] = /<!-- apps on node 24 -->([^]*?)<!-- end/.exec(figures) ?? []
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first]) => !/^-+:?$/.test(first!))
  const [head = [], ...body] = rows
  const cells = (row: readonly string[], name: 'td' | 'th'): string =>
    `<tr>${row.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`
  return `<table>${cells(head, 'th')}${body.map((row) => cells(row, 'td')).join('')}</table>`
}

function readFigures(): string {
  return readFileSync(join(import.meta.dirname, '../../bench/README.md'), 'utf8')
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 62rem; margin: 0 auto; padding: 1rem 1.2rem 4rem }
h1 { margin: 1rem 0 0 } .lead { font-size: 1.15rem; margin: .3rem 0 0 } .lead + p { margin: .3rem 0 1.5rem }
.doors { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); gap: 1rem }
section { border: 1px solid #8886; border-radius: .7rem; padding: .2rem 1.1rem .6rem } section h2 { margin: .7rem 0 .2rem; font-size: 1.15rem }
section p { margin: .3rem 0 } ul { padding-left: 1.1rem; margin: .5rem 0 } a { color: light-dark(#0b57a4, #79b8ff) }
.table { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem } td, th { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid #8886; white-space: nowrap }
th { white-space: normal; font-weight: 600; vertical-align: bottom } td:first-child, th:first-child { text-align: left; white-space: normal; min-width: 8rem; position: sticky; left: 0; background: Canvas }
`

// The inventory as one page: a line for each route, with what its requests pass beyond what those of all routes do.
import { basename } from 'node:path'
import { escapeHtml } from '../../../../src/ground/escape-html.js'
import { printable } from '../../../../src/ground/printable.js'
import type { AppRow, Inventory, Pass, RouteRow } from '../documents/inventory.js'
import { count, countRows } from '../terminal/text.js'
import { ownerText, servedText, stagesText } from './answerer-text.js'
import { titleOf } from './inspect-findings.js'
import { article, branch, type Filter, mostInSight, pageOf, placeHtml } from './page.js'
import { shortened } from './pass-text.js'
import { alike, passedBefore, sharedBy } from './shared-passes.js'

/**
 * Makes one HTML page of an inventory, as `inspect --html` writes it. The page loads nothing from anywhere.
 *
 * `entry` is named in its title. Names of the app are escaped.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { inspect, inventoryPage } from '@routecontrollers/cli'
 *
 * const app = express().get('/health', (req, res) => res.send('ok'))
 * inventoryPage(inspect(app), 'server.js').startsWith('<!doctype html>') // → true
 * ```
 */
export function inventoryPage(read: Inventory, entry: string): string {
  const inventory = printable(read)
  const { apps, routes, findings, notes } = inventory
  const rows = apps.map((_app, at) => rowsOf(routes.filter((row) => row.app === at)))
  return pageOf({
    title: `Routes of ${printable(entry)}`,
    summary: summary(inventory, rows),
    placeholder: 'path, guard or file',
    of: 'routes',
    count: routes.length,
    filters: filtersOf(rows.flat()),
    legend: '',
    main: `${findings.length === 0 ? '' : `<details class="shared"><summary>${count(findings.length, 'finding')}</summary><ul class="findings">${findings.map((one) => findingItem(one)).join('')}</ul></details>`}
${apps.map((app, at) => appSection(app, at, rows[at]!, apps.length)).join('\n')}
${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')}`,
  })
}

/** A row with what is shown of it. */
interface Shown {
  readonly row: RouteRow
  /** What its requests pass beyond what those of all routes of its app do. */
  readonly own: readonly Pass[]
  /** How many of those that all pass it does not pass: a mount may stand before some. */
  readonly missing: number
  readonly shared: readonly Pass[]
}

function rowsOf(rows: readonly RouteRow[]): Shown[] {
  const shared = sharedBy(rows.filter(({ kind }) => kind === 'route'))
  return rows.map((row) => {
    const passes = passedBefore(row)
    const first = alike(shared, passes)
    const own = passes.slice(first)
    return { row, own, shared, missing: shared.length - first }
  })
}

/** True for a route whose requests pass nothing but what those of all routes do. */
function isBare({ row, own }: Shown): boolean {
  return row.kind === 'route' && !row.shadowed && own.every(({ kind }) => kind === 'error')
}

const bare = 'no guard of its own'

function filtersOf(rows: readonly Shown[]): Filter[] {
  const counts = new Map<string, number>()
  for (const shown of rows) for (const mark of marksOf(shown)) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  return [...counts]
    .sort(
      ([a, one], [b, other]) => Number(b === bare) - Number(a === bare) || other - one || (a < b ? -1 : 1),
    )
    .map(([value, rows]) => ({ value, label: value, count: rows }))
}

function marksOf(shown: Shown): string[] {
  const names = shown.own.flatMap((pass) => (pass.kind === 'error' ? [] : calledAs(pass)))
  return [...(isBare(shown) ? [bare] : []), ...new Set(names)]
}

/** A function by its name; one without a name by what gave it, or by its place. */
function calledAs({ name, argument, at, definition }: Pass): string {
  if (name !== '<anonymous>') return name
  const given = shortened(argument, 60)
  if (given !== undefined) return given
  return unnamed(at ?? definition)
}

function unnamed(at: string | undefined): string {
  return at === undefined ? 'a function' : `function at ${basename(at)}`
}

function summary({ apps, routes, findings }: Inventory, rows: readonly (readonly Shown[])[]): string {
  const mounts = apps.reduce((sum, app) => sum + app.mounts, 0)
  const without = rows.flat().filter(isBare).length
  return `${countRows(routes.length - mounts, mounts)}${stagesText(routes)}, ${without} without a guard of their own, ${count(findings.length, 'finding')}.`
}

function appSection(app: AppRow, at: number, rows: readonly Shown[], apps: number): string {
  const number = apps > 1 ? `App ${at + 1}: ` : ''
  const shared = rows[0]?.shared ?? []
  const names = shared.map(calledAs).join(', ')
  const first =
    shared.length === 0
      ? ''
      : `<details class="shared"><summary>Requests of every route pass ${count(shared.length, 'function')} first: ${escapeHtml(names)}</summary><ol class="chain">${shared.map((pass) => stepItem(pass)).join('')}</ol></details>`
  return `<section><h2>${escapeHtml(number + servedText(app))}</h2>${first}${treeHtml(treeOf(rows), '', rows.length)}</section>`
}

/** Routes by the segments of their paths. */
interface Tree {
  readonly children: Map<string, Tree>
  readonly routes: Shown[]
}

function treeOf(rows: readonly Shown[]): Tree {
  const root: Tree = { children: new Map(), routes: [] }
  for (const shown of rows) {
    let node = root
    for (const segment of shown.row.path.split('/').filter(Boolean)) {
      let child = node.children.get(segment)
      if (child === undefined) node.children.set(segment, (child = { children: new Map(), routes: [] }))
      node = child
    }
    node.routes.push(shown)
  }
  return root
}

function routesIn({ children, routes }: Tree): Shown[] {
  return [...routes, ...[...children.values()].flatMap((child) => routesIn(child))]
}

// A folder for one or two routes says no more than their paths do.
const leastInBranch = 3

/** `all` says how many routes the app has. */
function treeHtml(tree: Tree, path: string, all: number): string {
  const own = tree.routes.map((shown) => routeArticle(shown)).join('')
  const below = [...tree.children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([segment, child]) => {
      const whole = `${path}/${segment}`
      const inside = treeHtml(child, whole, all)
      const some = routesIn(child)
      const leadsOn = child.routes.length === 0 && child.children.size === 1
      if (some.length < leastInBranch || leadsOn) return inside
      return branch({
        line: escapeHtml(`${whole} (${some.length})`),
        tags: branchTags(some),
        body: inside,
        isOpen: all <= mostInSight || some.length > mostInSight,
      })
    })
  return own + below.join('')
}

/** What some routes have in common, and how many of them have no guard. */
function branchTags(some: readonly Shown[]): string {
  const [first, ...others] = some.filter(({ row }) => !row.shadowed && row.kind === 'route')
  const shared = first?.own.slice(
    0,
    others.reduce((least, { own }) => Math.min(least, alike(first.own, own)), Infinity),
  )
  const without = some.filter(isBare).length
  return (
    guardTags(shared ?? []) +
    (without === 0 ? '' : `<span class="tag bare">${without} without a guard of their own</span>`)
  )
}

function routeArticle(shown: Shown): string {
  const { row, own, missing, shared } = shown
  const { method, path, settings, errorHandlers, shadowed, answer, witness, witnessMethod } = row
  const set = [
    settings.strict && 'strict',
    settings.caseSensitive && 'case sensitive',
    settings.mergeParams && 'mergeParams',
  ].filter((one) => one !== false)
  const end = shadowed
    ? `<li class="step lost"><i>answered by</i> ${escapeHtml(answer.route ?? answer.name)}${placeHtml(answer.at)}</li>`
    : `<li class="step answer"><i>answer</i> ${escapeHtml(handlerText(row))}${placeHtml(row.own.at)}</li>`
  const replaced = (row.own.behind ?? []).map((pass) => stepItem(pass, 'behind'))
  const all = passedBefore(row)
  const isShort = missing > 0
  const before = isShort ? all : own
  const first =
    shared.length === 0 || isShort
      ? ''
      : `<li class="step"><i>first</i> ${escapeHtml(`the ${count(shared.length, 'function')} that requests of every route pass`)}</li>`
  const steps = [
    first,
    ...before.map((pass) => stepItem(pass)),
    end,
    ...replaced,
    ...errorHandlers.map((pass) => stepItem(pass)),
  ]
  const reached =
    witness === undefined
      ? ''
      : `<p class="witness">${escapeHtml(['Try', witnessMethod, witness].join(' '))}</p>`
  const settingsText =
    set.length === 0 ? '' : `<p class="witness">Matching: ${escapeHtml(set.join(', '))}</p>`
  return article({
    text: textOf(row),
    marks: marksOf(shown),
    line: `<b class="method">${escapeHtml(method)}</b> <span class="path">${escapeHtml(path)}</span> <span class="own">${tags(shown)}</span>`,
    body: `<ol class="chain">${steps.join('')}</ol>${reached}${settingsText}`,
  })
}

function tags(shown: Shown): string {
  const { row, own } = shown
  const lost = row.shadowed ? [`<span class="tag lost">never reached</span>`] : []
  const mount =
    row.kind === 'mount' && !row.shadowed
      ? [`<span class="tag">mount of ${escapeHtml(row.own.name)}</span>`]
      : []
  const none = isBare(shown) ? [`<span class="tag bare">${bare}</span>`] : []
  return [...lost, ...none, ...mount, guardTags(own)].join('')
}

function guardTags(passes: readonly Pass[]): string {
  return passes
    .filter(({ kind }) => kind !== 'error')
    .map((pass) => `<span class="tag">${escapeHtml(stepText(pass))}</span>`)
    .join('')
}

function handlerText({ own }: RouteRow): string {
  const name =
    own.name !== '<anonymous>' ? own.name : own.at === undefined ? unnamed(own.definition) : 'a function'
  return `${ownerText(own)}: ${name}`
}

function stepText(pass: Pass): string {
  return pass.param === undefined ? calledAs(pass) : `${pass.param}: ${calledAs(pass)}`
}

function stepItem(pass: Pass, as: string = pass.kind): string {
  const { at, mount, argument, unverifiable } = pass
  const called = stepText(pass)
  const more = [
    argument === undefined || called.includes(argument) ? '' : argument,
    mount === '/' ? '' : `at ${mount}`,
    unverifiable ? 'cannot be read' : '',
  ].filter(Boolean)
  const shown = more.length === 0 ? '' : ` <small>${escapeHtml(more.join(', '))}</small>`
  return `<li class="step ${as}"><i>${as}</i> ${escapeHtml(called)}${shown}${placeHtml(at)}</li>`
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
  return `<li title="${escapeHtml(titleOf(code))}"><b>${escapeHtml(kind)}</b> ${escapeHtml(`${method} ${path}`)} ${escapeHtml(message)}${placeHtml(at)}${tried}</li>`
}

/** What the search looks through. */
function textOf({ method, path, own, passes }: RouteRow): string {
  const words = [...passes, ...(own.behind ?? [])].flatMap(({ name, at, argument }) => [name, at, argument])
  return [method, path, own.stage, own.name, own.at, ...words].filter((one) => one !== undefined).join(' ')
}

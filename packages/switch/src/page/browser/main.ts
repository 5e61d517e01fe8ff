// What runs in the browser: shows the status as it comes in, and asks for a change of a state.
import { kindsOfStates } from '../../states/kinds.js'
import type { HistoryEntry, MigrationStatus, RouteStatus } from '../../states/schema.js'
import { createChange } from './change.js'
import { type Point, createChart } from './chart.js'
import { byId, element, setText } from './elements.js'
import { countOpen } from './open-differences.js'
import { type Accepting, type Rates, RouteRow } from './route-row.js'

interface Session {
  readonly by: string
  readonly canChange: boolean
  readonly token: string
}

/** A status in which only the routes and entries stand that have changed. */
type Update = Omit<MigrationStatus, 'routes' | 'legacyOnly'> & {
  readonly count: number
  /** Differences are sent where they have changed. */
  readonly routes: readonly (Omit<RouteStatus, 'differences'> & Partial<Pick<RouteStatus, 'differences'>>)[]
}

const kinds = kindsOfStates
const chartMs = 600_000
const pageSize = 200
const historySize = 20

let session: Session | undefined
let status: MigrationStatus | undefined
const routes = new Map<string, RouteStatus>()
const rows = new Map<string, RouteRow>()
const history = new Map<string, HistoryEntry>()
const points: Point[] = []
/** Under this name a reload finds the points of the charts. */
const pointsKey = `routecontrollers-charts ${location.pathname}`
let mostRows = pageSize
let mostHistory = historySize
/** The numbers of the last time, by which rates are counted. */
let counted:
  | { readonly at: number; readonly since: string; readonly requests: Map<string, readonly [number, number]> }
  | undefined
const rates = new Map<string, Rates>()

const percent = (share: number): string => `${Number((share * 100).toFixed(share < 0.1 ? 1 : 0))}%`
const perSecond = (value: number): string =>
  value >= 10 ? value.toFixed(0) : String(Number(value.toFixed(1)))
const whole = new Intl.NumberFormat('en')
const time = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const requestsChart = createChart({
  title: 'Requests per second',
  lines: [
    { name: 'legacy', ink: 'ink-legacy' },
    { name: 'native', ink: 'ink-native' },
  ],
  format: perSecond,
  least: 1,
})
const shareChart = createChart({
  title: 'Share of traffic migrated',
  lines: [{ name: 'migrated', ink: 'ink-share' }],
  format: percent,
  least: 1,
})
byId('charts').append(requestsChart.figure, shareChart.figure)

const change = createChange({
  token: () => session?.token ?? '',
  stateOf: (route) => routes.get(route)?.state,
  version: () => status?.store.version,
  routes: () => [...routes.keys()],
  statusOf: (route) => routes.get(route),
  lastRollback: (route) => newestFirst().find((entry) => entry.route === route && entry.by === 'rollback'),
  done: (news) => say(news),
})

/** Accepts a difference, or takes that back. Gives what went amiss. */
async function accept(wanted: Accepting): Promise<string | undefined> {
  try {
    const answer = await fetch('accept', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': session?.token ?? '' },
      body: JSON.stringify(wanted),
    })
    const { error } = (await answer.json()) as { error?: string }
    if (answer.ok) return undefined
    return error ?? `The answer was ${answer.status}`
  } catch {
    return 'No answer'
  }
}

function say(text: string): void {
  setText(byId('news'), text)
}

function takeAll(all: MigrationStatus): void {
  status = all
  routes.clear()
  for (const route of all.routes) routes.set(route.route, route)
  for (const [key, row] of rows) {
    if (routes.has(key)) continue
    row.remove()
    rows.delete(key)
  }
  const isFirst = history.size === 0
  takeHistory(all.history, isFirst)
  refresh()
}

function takeUpdate(update: Update): void {
  if (status === undefined) return
  const { routes: changed, history: entries, count: _, ...rest } = update
  for (const one of changed) {
    // What is undefined is not sent, so nothing else of before may stay.
    const { differences = routes.get(one.route)?.differences ?? [] } = one
    routes.set(one.route, { ...one, differences })
  }
  status = { ...rest, routes: status.routes, legacyOnly: status.legacyOnly, history: status.history }
  takeHistory(entries, false)
  refresh()
}

function takeHistory(entries: readonly HistoryEntry[], isOld: boolean): void {
  for (const entry of entries) {
    const isKnown = history.has(entry.id)
    history.set(entry.id, entry)
    if (!isKnown && !isOld)
      say(`${nameOf(entry.route)} is at ${entry.to} now, by ${entry.by}: ${entry.reason}`)
  }
}

const nameOf = (key: string): string => (key === '*' ? 'Every route' : key === '!*' ? 'The off switch' : key)

function refresh(): void {
  if (status === undefined) return
  count(status)
  showSummary(status)
  showRows()
  showLists(status)
  showHistory()
  change.follow()
}

/** So that they are there after a reload of this tab. */
function keepPoints(): void {
  try {
    sessionStorage.setItem(pointsKey, JSON.stringify(points))
  } catch {
    // A browser may keep nothing: the charts begin anew then.
  }
}

function restorePoints(): void {
  try {
    const kept = JSON.parse(sessionStorage.getItem(pointsKey) ?? '[]') as Point[]
    const since = Date.now() - chartMs
    points.push(...kept.filter(({ at, values }) => at > since && values.length === 2))
    drawCharts()
  } catch {
    points.length = 0
  }
}

/** Requests per second of each route since the last numbers. */
function count({ at, since, routes: _ }: MigrationStatus): void {
  const now = Date.parse(at)
  const requests = new Map(
    [...routes].map(([key, { legacy, native }]) => [key, [legacy.requests, native.requests] as const]),
  )
  const before = counted
  // Another process counts from the beginning.
  if (before !== undefined && before.since === since) {
    const seconds = (now - before.at) / 1000
    if (seconds < 0.5) return
    let [legacySum, nativeSum] = [0, 0]
    for (const [key, [legacy, native]] of requests) {
      const [legacyBefore, nativeBefore] = before.requests.get(key) ?? [legacy, native]
      const rate = {
        legacy: Math.max(0, legacy - legacyBefore) / seconds,
        native: Math.max(0, native - nativeBefore) / seconds,
      }
      const smooth = rates.get(key)
      rates.set(key, {
        legacy: smooth === undefined ? rate.legacy : (smooth.legacy + rate.legacy) / 2,
        native: smooth === undefined ? rate.native : (smooth.native + rate.native) / 2,
      })
      legacySum += rate.legacy
      nativeSum += rate.native
    }
    points.push({ at: now, values: [legacySum, nativeSum] })
    while (points[0]!.at < now - chartMs) points.shift()
    keepPoints()
    drawCharts()
  }
  counted = { at: now, since, requests }
}

function drawCharts(): void {
  requestsChart.draw(points)
  shareChart.draw(
    points
      .filter(({ values }) => values[0]! + values[1]! > 0)
      .map(({ at, values }) => ({ at, values: [values[1]! / (values[0]! + values[1]!)] })),
  )
}

function showSummary({
  requests,
  nativeShare,
  nativeRequests,
  since,
  store,
  shadow,
  at,
  fleet,
  hasOneClientKey,
}: MigrationStatus): void {
  const all = [...routes.values()]
  const open = all.reduce((sum, one) => sum + countOpen(one), 0)
  const dropped = Object.values(shadow.dropped).reduce((sum, one) => sum + one, 0)
  const withDifferences = all.filter((one) => countOpen(one) > 0).length
  showFact(
    'Migrated',
    percent(nativeShare),
    `${whole.format(nativeRequests)} of ${whole.format(requests)} requests`,
  )
  showFact(
    'Routes',
    whole.format(all.length),
    kinds.map((kind) => `${all.filter((one) => one.kind === kind).length} ${kind}`).join(', '),
  )
  showFact('Open differences', whole.format(open), `of ${routeCount(withDifferences)}`, open > 0)
  showFact(
    'Compared',
    whole.format(all.reduce((sum, one) => sum + one.shadow.compared, 0)),
    `${whole.format(dropped)} dropped, ${shadow.waiting} waiting`,
  )
  const pending = store.pending > 0 ? `, ${store.pending} changes wait` : ''
  showFact(
    'Store',
    store.isAway ? 'away' : store.name,
    store.isAway
      ? `${store.problem ?? ''}${pending}`
      : `${store.problem === undefined ? (store.canWrite ? 'in touch' : 'read only') : `takes no changes: ${store.problem}`}${pending}`,
    store.problem !== undefined,
  )
  showFact(
    'Counted since',
    new Date(since).toLocaleTimeString(),
    `as of ${new Date(at).toLocaleTimeString()}`,
  )
  if (fleet !== undefined) showFleet(fleet)
  const away = store.isAway
    ? [{ text: `The store ${store.name} is away: ${store.problem ?? ''}. The last known states count.` }]
    : []
  showAlarms([
    ...switchedOff(),
    ...away,
    ...disagreeing(fleet?.members ?? []),
    ...unread(store.unread).map((text) => ({ text })),
    ...rolledBack(),
    ...paused(all),
    ...(hasOneClientKey
      ? [
          {
            text: 'Nearly all requests under canary have one client key: their share is all or nothing. Set trustProxy or stickyBy.',
          },
        ]
      : []),
  ])
  const bar = byId('states')
  const counts = kinds.map((kind) => all.filter((one) => one.kind === kind).length)
  bar.setAttribute('aria-label', kinds.map((kind, at) => `${counts[at]} ${kind}`).join(', '))
  while (bar.children.length < kinds.length)
    bar.append(element('span', { class: `fill-${kinds[bar.children.length]}` }))
  kinds.forEach((kind, at) => {
    const part = bar.children[at] as HTMLElement
    part.hidden = counts[at] === 0
    part.title = `${counts[at]} ${kind}`
    part.style.flexGrow = String(counts[at])
  })
}

/** Settings of the store that have no meaning. */
function unread(settings: MigrationStatus['store']['unread']): string[] {
  const texts = settings.slice(0, 3).map(({ key, state, what, meant, routes: held }) => {
    const stay =
      held.length === 1 ? `${held[0]} stays where it is` : `${held.length} routes stay where they are`
    const wrong =
      what === 'state'
        ? `"${key}" is at "${state}", which is no state`
        : `"${key}" is for no route${meant === undefined ? '' : `, and may mean "${meant}"`}`
    return `In the store ${wrong}: ${held.length === 0 ? 'it changes nothing' : stay}.`
  })
  return settings.length > 3 ? [...texts, `and ${settings.length - 3} more settings like that`] : texts
}

interface Alarm {
  readonly text: string
  /** When it was noted; else when this page has seen it first. */
  readonly at?: string
  /** The route that it is about. */
  readonly route?: string
}

const alarmSeenAt = new Map<string, string>()
let shownAlarms = ''

/** One line each, with its time, and the way to its row. */
function showAlarms(alarms: readonly Alarm[]): void {
  const key = JSON.stringify(alarms)
  if (key === shownAlarms) return
  shownAlarms = key
  const texts = new Set(alarms.map(({ text }) => text))
  for (const text of alarmSeenAt.keys()) if (!texts.has(text)) alarmSeenAt.delete(text)
  const lines = alarms.map(({ text, at, route }) => {
    const since = at ?? alarmSeenAt.get(text) ?? new Date().toISOString()
    alarmSeenAt.set(text, since)
    const stamp = element('time', { datetime: since }, new Date(since).toLocaleTimeString())
    if (route === undefined || !routes.has(route)) return element('span', {}, `${text} `, stamp)
    const link = element('button', { type: 'button', class: 'link' }, 'Show it')
    link.addEventListener('click', () => showRoute(route))
    return element('span', {}, `${text} `, stamp, ' ', link)
  })
  byId('alarm').replaceChildren(...lines)
}

function showRoute(route: string): void {
  filter.value = byState.value = byKind.value = ''
  mostRows = Math.max(mostRows, [...routes.keys()].indexOf(route) + 1)
  showRows()
  rows.get(route)?.reveal()
}

/** Who has switched everything off. */
function switchedOff(): Alarm[] {
  if (status?.settings['!*'] === undefined) return []
  const entry = newestFirst().find(({ route }) => route === '!*')
  const who = entry === undefined ? '' : `, by ${entry.by}: ${entry.reason}`
  const text = `Everything is at legacy by the off switch${who}. To end that, change the group * (all).`
  return [{ text, ...(entry !== undefined && { at: entry.at }) }]
}

type Members = NonNullable<MigrationStatus['fleet']>['members']

function disagreeing(members: Members): Alarm[] {
  const names = members.filter(({ disagrees }) => disagrees).map(({ replica }) => replica)
  return names.length === 0
    ? []
    : [{ text: `These replicas are in other states than this process: ${names.join(', ')}.` }]
}

function paused(all: readonly RouteStatus[]): Alarm[] {
  return all
    .filter((one) => one.paused !== undefined)
    .slice(0, 3)
    .map(({ route, state, paused: why }) => ({ text: `${route} waits at ${state}: ${why}`, route }))
}

function showFleet({ replicas, leader, members, replica }: NonNullable<MigrationStatus['fleet']>): void {
  const versions = [...new Set(members.map(({ appVersion }) => appVersion ?? 'unknown'))]
  const isSplit = members.some(({ disagrees }) => disagrees)
  showFact(
    'Replicas',
    whole.format(replicas),
    `${leader === undefined ? 'none leads' : `${leader} leads`}, this is ${replica}, app ${versions.join(' and ')}`,
    isSplit,
  )
  const items = members.map(({ replica: name, appVersion, stateVersion, disagrees }) =>
    element(
      'li',
      disagrees ? { class: 'bad' } : {},
      `${name}: app ${appVersion ?? 'of no known version'}, states ${stateVersion ?? 'not read'}${disagrees ? ', in other states' : ''}${name === leader ? ', leads' : ''}`,
    ),
  )
  byId('fleet').hidden = false
  byId('members').replaceChildren(...items)
}

/** Routes that are where a rollback has brought them. */
function rolledBack(): Alarm[] {
  const last = new Map<string, HistoryEntry>()
  for (const entry of newestFirst()) if (!last.has(entry.route)) last.set(entry.route, entry)
  const found = [...last.values()].filter(({ by, route, to }) => {
    const now = routes.get(route)
    return by === 'rollback' && now?.state === to && now.setFor === route
  })
  const alarms: Alarm[] = found
    .slice(0, 3)
    .map(({ route, to, reason, at }) => ({ text: `${route} went back to ${to}: ${reason}`, at, route }))
  return found.length > 3 ? [...alarms, { text: `and ${found.length - 3} more went back` }] : alarms
}

const newestFirst = (): HistoryEntry[] =>
  [...history.values()].sort((one, other) => (one.at < other.at ? 1 : -1))

const facts = new Map<
  string,
  { readonly value: Text; readonly note: HTMLElement; readonly all: HTMLElement }
>()

const routeCount = (count: number): string => `${count} ${count === 1 ? 'route' : 'routes'}`

function showFact(name: string, value: string, note: string, isBad = false): void {
  let fact = facts.get(name)
  if (fact === undefined) {
    fact = { value: document.createTextNode(''), note: element('small'), all: element('dd') }
    fact.all.append(fact.value, fact.note)
    byId('summary').append(element('div', {}, element('dt', {}, name), fact.all))
    facts.set(name, fact)
  }
  setText(fact.value, value)
  setText(fact.note, note)
  fact.all.classList.toggle('bad', isBad)
}

const [filter, byState, byKind, order] = ['filter', 'by-state', 'by-kind', 'order'].map((id) =>
  byId<HTMLInputElement>(id),
) as [HTMLInputElement, HTMLInputElement, HTMLInputElement, HTMLInputElement]

function isShown(route: RouteStatus): boolean {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  const text = `${route.route} ${route.state}`.toLowerCase()
  if (!words.every((word) => text.includes(word))) return false
  if (byState.value !== '' && route.kind !== byState.value) return false
  if (byKind.value === 'differences') return countOpen(route) > 0
  if (byKind.value === 'failures') return route.legacy.failureRate + route.native.failureRate > 0
  return byKind.value !== 'dead' || route.isDead
}

const orders: Readonly<Record<string, (route: RouteStatus) => number>> = {
  requests: ({ legacy, native }) => legacy.requests + native.requests,
  differences: countOpen,
  slow: ({ native }) => native.p99Ms ?? -1,
}

function showRows(): void {
  const found = [...routes.values()].filter((route) => isShown(route))
  const rank = orders[order.value]
  if (rank !== undefined) found.sort((one, other) => rank(other) - rank(one))
  const body = byId('rows')
  const shown = found.slice(0, mostRows)
  const wanted = shown.flatMap((route) => {
    let row = rows.get(route.route)
    if (row === undefined)
      rows.set(route.route, (row = new RouteRow(route.route, { change: (key) => change.open(key), accept })))
    row.show(route, rates.get(route.route), session?.canChange === true)
    return row.elements()
  })
  // Only what stands elsewhere is moved: an element that is moved loses its focus.
  wanted.forEach((one, at) => {
    if (body.children[at] !== one) body.insertBefore(one, body.children[at] ?? null)
  })
  while (body.children.length > wanted.length) body.lastElementChild!.remove()
  setText(byId('count'), `${found.length} of ${routeCount(routes.size)}`)
  byId('none').hidden = found.length > 0
  showMore(byId('more'), found.length - shown.length, pageSize)
}

function showMore(button: HTMLElement, left: number, size: number): void {
  button.hidden = left <= 0
  setText(button, `Show ${Math.min(left, size)} more of ${left}`)
}

function showLists({ dead, legacyOnly }: MigrationStatus): void {
  const never = [...routes.values()].filter(({ lastAskedAt }) => lastAskedAt === undefined).length
  showList(
    'dead',
    dead,
    never === 0 ? 'Each route was asked lately.' : `No route is dead yet. Of ${never} no request is known.`,
  )
  showList('only', legacyOnly, 'Each route of the legacy app has a Controller.')
}

const lists = new Map<string, string>()

function showList(id: string, names: readonly string[], none: string): void {
  const key = names.join('\n')
  if (lists.get(id) === key) return
  lists.set(id, key)
  const items = names.slice(0, 500).map((name) => element('li', {}, name))
  if (names.length > items.length) items.push(element('li', {}, `and ${names.length - items.length} more`))
  byId(id).replaceChildren(
    items.length === 0 ? element('p', {}, none) : element('ul', { class: 'list' }, ...items),
  )
}

let shownHistory = ''

function showHistory(): void {
  const entries = newestFirst()
  for (const { id } of entries.slice(200)) history.delete(id)
  const shown = entries.slice(0, mostHistory)
  const key = shown.map(({ id }) => id).join(' ')
  if (key === shownHistory && key !== '') return
  shownHistory = key
  const items = shown.map(({ at, route, from, to, by, reason }) =>
    element(
      'li',
      {},
      element('time', { datetime: at }, time(at)),
      element(
        'div',
        {},
        element(
          'p',
          {},
          element('code', {}, nameOf(route)),
          from === undefined ? ' to ' : ` from ${from} to `,
          element('b', {}, to),
          ` by ${by}`,
        ),
        element('p', { class: 'why' }, reason),
      ),
    ),
  )
  byId('history').replaceChildren(
    ...(items.length === 0 ? [element('li', { class: 'none' }, 'Nothing has been changed yet.')] : items),
  )
  showMore(byId('more-history'), Math.min(entries.length, 200) - shown.length, 200)
}

for (const one of [filter, byState, byKind, order]) {
  one.addEventListener('input', () => {
    mostRows = pageSize
    if (status !== undefined) showRows()
  })
}
byId('filters').addEventListener('submit', (event) => event.preventDefault())
byId('more').addEventListener('click', () => {
  mostRows += pageSize
  showRows()
})
byId('more-history').addEventListener('click', () => {
  mostHistory = 200
  showHistory()
})
byId('change-many').addEventListener('click', () => change.open(undefined))

function showLive(is: 'live' | 'waiting' | 'away', text: string): void {
  const live = byId('live')
  live.dataset['is'] = is
  setText(live, text)
}

async function getJson<Type>(path: string): Promise<Type> {
  const answer = await fetch(path, { cache: 'no-store' })
  if (!answer.ok)
    throw new Error(
      answer.status === 401 || answer.status === 403
        ? 'You are not let in any more'
        : `The answer was ${answer.status}`,
    )
  return (await answer.json()) as Type
}

function follow(): void {
  const events = new EventSource('events')
  events.addEventListener('status', ({ data }) => {
    showLive('live', 'Live')
    takeAll(JSON.parse(data as string) as MigrationStatus)
  })
  events.addEventListener('update', ({ data }) => takeUpdate(JSON.parse(data as string) as Update))
  events.addEventListener('error', () => {
    if (events.readyState !== EventSource.CLOSED) return showLive('waiting', 'Connecting again')
    // Refused: there may be as many streams as there may be.
    void poll(6)
  })
}

/** Asks every five seconds, and tries a stream again after so many times. */
async function poll(times: number): Promise<void> {
  try {
    takeAll(await getJson<MigrationStatus>('status.json'))
    showLive('waiting', 'Asks every five seconds')
  } catch (error) {
    showLive('away', error instanceof Error ? error.message : 'No answer')
  }
  setTimeout(() => (times > 0 ? void poll(times - 1) : follow()), 5000)
}

async function start(): Promise<void> {
  try {
    session = await getJson<Session>('session')
    setText(byId('visitor'), session.canChange ? session.by : `${session.by} (may look only)`)
    byId('change-many').hidden = !session.canChange
    follow()
  } catch (error) {
    showLive('away', error instanceof Error ? error.message : 'No answer')
    setTimeout(() => void start(), 5000)
  }
}

restorePoints()
void start()

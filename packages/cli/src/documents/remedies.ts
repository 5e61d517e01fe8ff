// What helps against a finding of `check`.
import type { Change, ChangeKind } from './check.js'
import type { RouteRow } from './inventory.js'
import { type Passing, shortened } from './same-pass.js'

const putBack = 'put it back, or accept it: --accept ROUTE --because REASON'
// As `inspect` shows them.
const mostWritten = 49
const instance = 'the instance of '
// A list that can be read.
const mostNamed = 4

/** The call that has a Controller pass a function again; nothing for one that can only be kept with the whole chain. */
export function callOf({
  kind,
  name,
  argument,
  mount,
  param,
}: Passing & { readonly kind?: string }): Pick<Change, 'call'> {
  const written = shortened(argument, mostWritten) ?? (name === '<anonymous>' ? undefined : name)
  if (written === undefined || param !== undefined) return {}
  if (kind === 'native') return { call: `use(${written})` }
  // Made once more, a session or a limiter would have a store of its own.
  const given = argument?.includes('(') ? `${instance}${written}` : written
  // Of the route alone: as a hook it would guard all others below that path.
  if (kind === 'handler') return { call: `fromExpress(${given}, handler) as its callback` }
  const path = mount === undefined || mount === '/' ? '' : `'${mount}', `
  return { call: `addGlobal(${path}${given})` }
}

/** That a Controller stands at another path than its route did, for a slash. */
export function spellingOf({ method, path, own }: RouteRow): Omit<Change, 'key'> {
  const slash = path.endsWith('/') ? 'a slash' : 'no slash'
  const what = `the path of the Controller ${method} ${path} has ${slash} at the end, so it answers other requests`
  return { kind: 'settings', finding: `settings ${slash} at the end of ${path}`, what, at: own.at, path }
}

/** The remedy of all changes of some routes, which a Controller answers now or Express. */
export function remedyFor(
  routes: readonly string[],
  moved: boolean,
  changes: readonly Change[],
): string | undefined {
  const of = (kind: ChangeKind): Change[] => changes.filter((change) => change.kind === kind)
  const has = (kind: ChangeKind): boolean => of(kind).length > 0
  const named = routes.length > mostNamed ? 'those routes' : routes.map((route) => `'${route}'`).join(', ')
  const only = `toControllers(app, { only: [${named}] })`
  const respelled = changes.find(({ path }) => path !== undefined)?.path
  if (respelled !== undefined) {
    const right = respelled.endsWith('/') ? respelled.slice(0, -1) : `${respelled}/`
    return `write '${right}' as the path of the Controller, or give it the profile of the app: profile: fromApp(app)`
  }
  if (has('gone')) return putBack
  if (has('new')) {
    return 'routecontrollers inspect ENTRY --lock routes.lock.json, when you have seen that it is guarded'
  }
  const [shadow] = of('shadowed')
  if (shadow !== undefined && moved) {
    return `${only} before it in the list, which keeps what guards it; or a Controller of this route, with all that it has lost, before ${shadow.what.replace(/^by /, '')}`
  }
  if (has('lost') && moved) {
    const calls = of('lost').map(({ call }) => call)
    // A route that has always been a Controller's is in no app that could be taken over.
    if (calls.every((call) => call?.startsWith('use('))) {
      return `${[...new Set(calls)].join(', ')} of the Controller, or of its group`
    }
    if (calls.includes(undefined)) return `${only}, which keeps them`
    const isShared = calls.some((call) => call?.includes(instance))
    const share = isShared
      ? '; export what the app has, for another instance would have a memory of its own'
      : ''
    return `${[...new Set(calls)].join(', ')}${share}; or ${only}, which keeps them`
  }
  if (has('lost') || has('changed') || has('reordered')) return putBack
  if (has('not-a-guard')) return 'addGlobal(guard), or a profile: profile: fromApp(app)'
  if (has('twice')) return 'take it out of the app'
  if (moved && has('settings')) return `profile: fromApp(app), or ${only}`
  if (moved && has('params')) return `${only}, which keeps them`
  if (has('unverifiable')) return 'give a function that is written in a file, or the call that makes it'
  return undefined
}

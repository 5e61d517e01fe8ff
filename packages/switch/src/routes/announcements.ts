// Lines of the log about routes and their states, each said where its user could believe something else.
import { likelyName } from '../../../../src/ground/closest-name.js'
import { log } from '../../../../src/ground/log.js'
import { printable } from '../../../../src/ground/printable.js'
import { covers, overrideKey } from '../../../compare/src/route-keys.js'
import { stateKinds } from '../states/kinds.js'
import { type MigrationSettings, rollbackDefaults } from '../states/options.js'
import type { Placed } from '../states/placement.js'
import type { FirstChange, HistoryEntry, UnreadSetting } from '../states/schema.js'
import { isForAny, wantedState } from '../states/states.js'
import type { SwitchedRoute } from '../states/switched-route.js'
import type { SwitchedRoutes } from './switched-routes.js'

type Level = 'info' | 'warn'

export class Announcements {
  readonly #settings: MigrationSettings
  readonly #routes: SwitchedRoutes
  #toldUnread = '[]'

  constructor(settings: MigrationSettings, routes: SwitchedRoutes) {
    this.#settings = settings
    this.#routes = routes
  }

  /** A user who believes that the legacy app has these routes would count on a way back; or that it has not, on the Controller. */
  newRoutes(): void {
    const routes = this.#routes.served()
    const fresh = routes.filter(({ canGoBack }) => !canGoBack)
    if (fresh.length > 0) {
      const go = fresh.length === 1 ? 'it goes' : 'they go'
      this.#say('info', `the legacy app has no route for ${someOf(fresh)}: ${go} back by nothing but set()`)
    }
    this.#nothingBehind(fresh)
    this.#shadowKeys()
    const byMount = routes.filter(({ controller, setFor, state }) => {
      const isMount = this.#routes.legacy?.byMount.has(controller) === true
      return isMount && setFor === 'initial' && state.kind === 'legacy'
    })
    if (byMount.length === 0) return
    const [begin, is] = byMount.length === 1 ? ['it begins', 'is'] : ['they begin', 'are']
    this.#say(
      'info',
      `the legacy app has no route for ${someOf(byMount)}, but functions of use at paths of their own that may answer: ${begin} at legacy; where none does, set what ${is} new to native`,
    )
  }

  /** By a key that is for no route, copies are made that were to be prevented, or none that were asked for. */
  #shadowKeys(): void {
    const { shadow } = this.#settings
    const keys = this.#routes.keys()
    const excluded = shadow?.exclude.filter((key) => !isForAny(key, keys)) ?? []
    const unsafe = shadow?.unsafe.filter((key) => !keys.includes(key)) ?? []
    const ways = " name one as 'GET /users/:id'"
    for (const key of excluded)
      this.#say(
        'warn',
        `shadow.exclude: ${noRoute(key, keys)}, so it leaves nothing out:${ways}, all below a path as '/api', or all as '*'`,
      )
    for (const key of unsafe)
      this.#say('warn', `shadow.unsafe: ${noRoute(key, keys)}, so it has nothing compared:${ways}`)
  }

  changed(entry: HistoryEntry): void {
    const { route, to, by, reason } = printable(entry)
    // A rollback has a line of its own. And another process may have routes that this one has not.
    if (by !== 'rollback' && isForAny(entry.route, this.#routes.keys())) {
      const what = route === overrideKey ? 'by the off switch everything' : route
      this.#say('info', `${what} is at ${to} now, by ${by}: ${reason}`)
    }
    this.#differing(entry)
    this.#nothingBehind(
      this.#routes
        .served()
        .filter((one) => !one.canGoBack && one.setFor === entry.route && covers(entry.route, one.key)),
    )
  }

  /** Gives what it has said. */
  dropped(change: HistoryEntry, first: FirstChange): string {
    const { route, to, by, reason } = printable(change)
    return this.#say(
      'warn',
      `${firstText(first)}, so what ${by} had set before is dropped: ${route} to ${to} (${reason})`,
    )
  }

  /** One line for all, once: a file may have many, and is read each second. */
  unread(): void {
    const unread = this.#routes.unread()
    const told = JSON.stringify(unread.map(({ key, state }) => [key, state]))
    if (told === this.#toldUnread) return
    this.#toldUnread = told
    if (unread.length === 0) return
    const some = unread.slice(0, 3).map((one) => unreadText(one, (route) => this.#routes.placed(route)))
    const more = unread.length > 3 ? `; and ${unread.length - 3} more, which status() names` : ''
    const name = printable(this.#settings.store.name)
    this.#say('warn', `the store ${name} has what cannot be read: ${some.join('; ')}${more}`)
  }

  /** What was set for all may take a route from clients that only a Controller answers, as one whose old handler was deleted. */
  #nothingBehind(routes: readonly SwitchedRoute[]): void {
    const gone = routes.filter(({ state }) => stateKinds[state.kind].answers !== 'native')
    if (gone.length === 0) return
    const [are, have] = gone.length === 1 ? ['is', 'it has'] : ['are', 'they have']
    this.#say(
      'warn',
      `${someOf(gone)} ${are} not at native now, and ${have} nothing else to answer: clients get what the app answers without that route, mostly 404. Set what is to answer to native`,
    )
  }

  /** A Controller may be set to answer clients though it was seen to answer otherwise. */
  #differing({ route, by }: HistoryEntry): void {
    if (by === 'rollback' || by === 'plan') return
    const { differenceRate: limit } = this.#settings.rollback ?? rollbackDefaults
    const different = this.#routes
      .served()
      .filter(
        ({ key, setFor, state, differenceRate }) =>
          setFor === route && covers(route, key) && state.percent > 0 && differenceRate > limit,
      )
    const [first] = different
    if (first === undefined) return
    const share = `${Math.round(first.differenceRate * 100)}%`
    const more = different.length === 1 ? '' : `, and so of ${different.length - 1} more`
    this.#say(
      'warn',
      `${first.key} is at ${first.state.text} now, though ${share} of its last comparisons differed${more}: status() and the page show the differences`,
    )
  }

  #say(level: Level, text: string): string {
    const message = `migration: ${text}`
    log(this.#settings.logger, level, message)
    return message
  }
}

/** What another user has set before. */
export function firstText(first: FirstChange): string {
  const { route, to, by } = printable(first)
  return `${by} has ${to === undefined ? `taken ${route} back` : `set ${route} to ${to}`}`
}

function noRoute(key: string, keys: readonly string[]): string {
  const meant = likelyName(key, keys)
  return printable(
    `${JSON.stringify(key)} is no route${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`,
  )
}

function someOf(routes: readonly SwitchedRoute[]): string {
  const some = routes.slice(0, 5).map(({ key }) => key)
  return some.join(', ') + (routes.length > 5 ? `, and ${routes.length - 5} more` : '')
}

/** What is wrong with a setting, what comes of it, and the remedy. */
function unreadText(
  { key, state, what, meant, routes }: UnreadSetting,
  placed: (route: string) => Placed,
): string {
  const [name, text] = [key, state].map((one) => printable(JSON.stringify(one)))
  const [first] = routes
  const comes =
    first === undefined
      ? 'it changes nothing'
      : routes.length === 1
        ? `${first} stays ${placed(first).state === undefined ? 'where it is' : `at ${placed(first).state!.text}`}`
        : `${routes.length} routes stay where they are, as ${first}`
  if (what === 'state') return `${name} is at ${text}, so ${comes}: write ${wantedState}`
  return `${name} is for no route, so ${comes}: ${meant === undefined ? 'take it out' : `did you mean ${printable(JSON.stringify(meant))}?`}`
}

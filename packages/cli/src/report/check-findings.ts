// What is said of the findings of `check`: one entry for each code. Nothing here is compared: facts are.
import type { ChangeKind, CheckCode, CheckFinding, NoteCode, NoteFinding } from '../documents/check.js'
import type { Severity } from '../documents/finding.js'
import { answererText, noGuardText } from './answerer-text.js'
import { callOf, changeText, instance, labelOf } from './pass-text.js'

/** The routes that a remedy is for. */
interface Remedied {
  /** As `toControllers` takes them: `toControllers(app, { only: ['GET /a'] })`. */
  readonly only: string
  /** True where a Controller answers now. */
  readonly moved: boolean
  /** True where that Controller is a route of the app, which only the app guards. */
  readonly takenOver: boolean
}

interface Entry<C extends CheckCode> {
  /** Locks have it, and keys of acceptances are made of it: it never changes. */
  readonly kind: ChangeKind
  readonly title: string
  readonly severity: Severity
  /** True where it is found whatever the lock says: a new lock keeps what was accepted of it. */
  readonly lasts: boolean
  /** What it says of its route. */
  readonly what: (finding: CheckFinding<C>) => string
  /** What names it behind its kind, for readers of a lock; undefined where the kind says all. */
  readonly name: ((finding: CheckFinding<C>) => string) | undefined
  /** What helps against some of them; undefined where nothing is known to. */
  readonly remedy: (found: readonly CheckFinding<C>[], routes: Remedied) => string | undefined
}

const putBack = (): string => 'put it back, or accept it: --accept ROUTE --because REASON'
const nothing = (): undefined => undefined
const slashOf = ({ path }: CheckFinding<'spelling'>): string => (path.endsWith('/') ? 'a slash' : 'no slash')
const profileOrApp = (_found: unknown, { moved, only }: Remedied): string | undefined =>
  moved ? `profile: fromApp(app), or ${only}` : undefined
const readable = (): string => 'give a function that is written in a file, or the call that makes it'

const labelled = ({ pass }: CheckFinding<'lost' | 'gained' | 'unverifiable'>): string => labelOf(pass)
const lostText = (finding: CheckFinding<'lost'>): string => {
  const { step, native } = finding
  if (native !== undefined) return `${labelled(finding)}, which stands behind the native callback ${native}`
  return step === 'error' ? `${labelled(finding)}, an error handler behind the route` : labelled(finding)
}
// A list that can be read.
const mostNamed = 3
const letOnText = ({ pass, of }: CheckFinding<'let-on'>): string => {
  const shown = of.slice(-mostNamed).map((one) => labelOf(one))
  const more = of.length - shown.length
  const guards = `${more > 0 ? `${more} more, ` : ''}${shown.join(', ')}`
  const errors = of.length === 1 ? `an error of ${guards}` : 'an error of one of them'
  return `${labelOf(pass)}: an error handler stands now between ${guards} and the route, and ${errors} may be let on`
}
const byWhom = ({ by }: CheckFinding<'shadowed' | 'unreachable'>): string => `by ${by}`
const paramsText = ({ lost, gained }: CheckFinding<'params'>): string =>
  [lost.length > 0 ? `without ${lost.join(', ')}` : '', gained.length > 0 ? `with ${gained.join(', ')}` : '']
    .filter(Boolean)
    .join(', ')
const strictText = ({ is }: CheckFinding<'strict'>): string =>
  is ? 'a slash at the end makes another path now' : 'a slash at the end is ignored now'
const caseText = ({ is }: CheckFinding<'case-sensitive'>): string =>
  is ? 'upper and lower case make another path now' : 'case is ignored now'
const trustText = ({ was, is }: CheckFinding<'trust-proxy'>): string =>
  `trust proxy was ${JSON.stringify(was)}, and is ${JSON.stringify(is)}`
const mountedTrustText = ({ was, is }: CheckFinding<'mounted-trust-proxy'>): string => {
  const [before, now] = [was, is].map((all) => all.join(', ') || 'that of the app')
  return `trust proxy of a mounted app was ${before}, and is ${now}`
}

/** In the order of their remedies: of the findings of a route the first one that has a remedy gives it. */
export const checkFindings: { readonly [C in CheckCode]: Entry<C> } = {
  spelling: {
    kind: 'settings',
    title: 'A Controller is written with another slash at the end than its route was',
    severity: 'error',
    lasts: false,
    what: (finding) =>
      `the path of the Controller ${finding.route.split(' ', 1)[0]} ${finding.path} has ${slashOf(finding)} at the end, so it answers other requests`,
    name: (finding) => `${slashOf(finding)} at the end of ${finding.path}`,
    remedy: ([first]) => {
      const { path } = first!
      const right = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
      return `write '${right}' as the path of the Controller, or give it the profile of the app: profile: fromApp(app)`
    },
  },
  gone: {
    kind: 'gone',
    title: 'A route is not there any more',
    severity: 'error',
    lasts: false,
    what: ({ instead }) =>
      instead === undefined
        ? 'is not there any more'
        : `is not there any more; ${answererText(instead)} gets its requests`,
    name: undefined,
    remedy: putBack,
  },
  new: {
    kind: 'new',
    title: 'A route is not in the lock',
    severity: 'warning',
    lasts: false,
    what: () => 'is not in the lock',
    name: undefined,
    remedy: () =>
      'routecontrollers inspect ENTRY --lock routes.lock.json, when you have seen that it is guarded',
  },
  shadowed: {
    kind: 'shadowed',
    title: 'Another route answers the requests of a route',
    severity: 'error',
    lasts: false,
    what: byWhom,
    name: byWhom,
    remedy: ([first], { moved, only }) =>
      moved
        ? `${only} before it in the list, which keeps what guards it; or a Controller of this route, with all that it has lost, before ${first!.by}`
        : undefined,
  },
  lost: {
    kind: 'lost',
    title: 'Requests of a route do not pass a function any more',
    severity: 'error',
    lasts: false,
    what: lostText,
    name: labelled,
    remedy: (all, { moved, takenOver, only }) => {
      // Those of an app get no error of a list in front of it. A list in the app leaves its errors to them: there they go back.
      const found = all.filter(({ step, list }) => step !== 'error' || list === undefined)
      if (found.length === 0) return putBack()
      const first = found.find(({ native }) => native !== undefined)
      if (first !== undefined) return `put the native callback behind ${labelOf(first.pass)}, in the route`
      if (!moved || takenOver) return putBack()
      const calls = found.map(callOf)
      // A route that has always been a Controller's is in no app that could be taken over.
      if (calls.every((call) => call?.startsWith('use('))) {
        return `${[...new Set(calls)].join(', ')} of the Controller, or of its group`
      }
      // The hooks of a list are in no such app either.
      const areHooks = found.every(({ step }) => step === 'hook')
      if (calls.includes(undefined)) return areHooks ? putBack() : `${only}, which keeps them`
      const isShared = calls.some((call) => call?.includes(instance))
      const share = isShared
        ? '; export what the app has, for another instance would have a memory of its own'
        : ''
      const named = [...new Set(calls)].join(', ')
      return areHooks ? `${named} of the list${share}` : `${named}${share}; or ${only}, which keeps them`
    },
  },
  narrowed: {
    kind: 'lost',
    title: 'A part of the requests of a route does not pass a function any more',
    severity: 'error',
    lasts: false,
    what: ({ pass, was, is }) =>
      `${labelOf(pass)} for a part of its requests: it is mounted at ${is}, and was at ${was}`,
    name: ({ pass, is }) => `${labelOf(pass)} at ${is}`,
    remedy: putBack,
  },
  changed: {
    kind: 'changed',
    title: 'A function that requests of a route pass has changed',
    severity: 'error',
    lasts: false,
    what: changeText,
    name: changeText,
    remedy: putBack,
  },
  reordered: {
    kind: 'reordered',
    title: 'Requests of a route pass functions in another order',
    severity: 'error',
    lasts: false,
    what: ({ pass, behind, inFrontOf }) => {
      if (behind !== undefined) return `${labelOf(pass)} behind ${labelOf(behind)}`
      return labelOf(pass) + (inFrontOf === undefined ? '' : ` in front of ${labelOf(inFrontOf)}`)
    },
    name: ({ pass }) => labelOf(pass),
    remedy: putBack,
  },
  'let-on': {
    kind: 'let-on',
    title: 'An error handler before a route gets errors of other functions',
    severity: 'error',
    lasts: false,
    what: letOnText,
    name: ({ pass }) => labelOf(pass),
    remedy: () => 'put it behind the routes, or accept it: --accept ROUTE --because REASON',
  },
  'reordered-handlers': {
    kind: 'reordered',
    title: 'Another handler of a method and a path answers first',
    severity: 'error',
    lasts: false,
    what: ({ handler }) => `${handler}, a handler of this method and this path that stood behind this one`,
    name: () => 'handlers',
    remedy: putBack,
  },
  'not-a-guard': {
    kind: 'not-a-guard',
    title: 'A Controller that is meant to guard others does not',
    severity: 'error',
    lasts: true,
    what: ({ guards }) => noGuardText(guards),
    name: undefined,
    remedy: () => 'addGlobal(guard), or a profile: profile: fromApp(app)',
  },
  twice: {
    kind: 'twice',
    title: 'A route that has moved is still in the app',
    severity: 'warning',
    lasts: false,
    what: () => 'is still in the app',
    name: undefined,
    remedy: () => 'take it out of the app',
  },
  strict: {
    kind: 'settings',
    title: 'A slash at the end of a path counts differently',
    severity: 'warning',
    lasts: false,
    what: strictText,
    name: strictText,
    remedy: profileOrApp,
  },
  'case-sensitive': {
    kind: 'settings',
    title: 'Upper and lower case of a path count differently',
    severity: 'warning',
    lasts: false,
    what: caseText,
    name: caseText,
    remedy: profileOrApp,
  },
  'trust-proxy': {
    kind: 'settings',
    title: 'The app trusts other proxies',
    severity: 'error',
    lasts: false,
    what: trustText,
    name: trustText,
    remedy: profileOrApp,
  },
  'mounted-trust-proxy': {
    kind: 'settings',
    title: 'A mounted app trusts other proxies',
    severity: 'error',
    lasts: false,
    what: mountedTrustText,
    name: mountedTrustText,
    remedy: profileOrApp,
  },
  params: {
    kind: 'params',
    title: 'A route has other params',
    severity: 'warning',
    lasts: false,
    what: paramsText,
    name: paramsText,
    remedy: (_found, { moved, only }) => (moved ? `${only}, which keeps them` : undefined),
  },
  unverifiable: {
    kind: 'unverifiable',
    title: 'Nothing tells what a function does that requests of a route pass',
    severity: 'warning',
    lasts: true,
    what: ({ pass }) => `${labelOf(pass)}, of which neither the text nor the argument can be read`,
    name: labelled,
    remedy: readable,
  },
  'unverifiable-route': {
    kind: 'unverifiable',
    title: 'No request is known that reaches a Controller',
    severity: 'warning',
    lasts: true,
    what: () => 'no request was found that reaches it, so what guards it cannot be told',
    name: () => 'route',
    remedy: readable,
  },
  gained: {
    kind: 'gained',
    title: 'Requests of a route pass another function',
    severity: 'warning',
    lasts: false,
    what: labelled,
    name: labelled,
    remedy: nothing,
  },
  unreachable: {
    kind: 'unreachable',
    title: 'A middleware answers the requests of a route',
    severity: 'error',
    lasts: false,
    what: byWhom,
    name: byWhom,
    remedy: nothing,
  },
}

/** What the code of a finding stands for. */
export function titleOfCheck(code: CheckCode): string {
  return checkFindings[code].title
}

/** What holds for all findings of a kind. */
interface KindTraits {
  /** True for what is said of a function that requests passed: that is told first. */
  readonly isOfPassed: boolean
  /** True where it may say what stands in the place of something now. */
  readonly mayReplace: boolean
  /** True where something may stand in the place of what it says is gone. */
  readonly mayBeReplaced: boolean
}

const others: KindTraits = { isOfPassed: false, mayReplace: false, mayBeReplaced: false }

export const changeKinds: Readonly<Record<ChangeKind, KindTraits>> = {
  lost: { isOfPassed: true, mayReplace: false, mayBeReplaced: true },
  gained: { isOfPassed: false, mayReplace: true, mayBeReplaced: false },
  changed: { isOfPassed: true, mayReplace: true, mayBeReplaced: true },
  reordered: { isOfPassed: true, mayReplace: true, mayBeReplaced: true },
  'let-on': { isOfPassed: false, mayReplace: false, mayBeReplaced: false },
  shadowed: { isOfPassed: false, mayReplace: true, mayBeReplaced: true },
  unreachable: { isOfPassed: false, mayReplace: true, mayBeReplaced: true },
  params: others,
  settings: others,
  twice: others,
  'not-a-guard': others,
  unverifiable: others,
  new: others,
  gone: others,
}

/** What is worth telling, and is no finding. */
export const noteTexts: { readonly [C in NoteCode]: (note: NoteFinding<C>) => string } = {
  moved: ({ name, from }) => `${name} from ${from}`,
  updated: ({ name }) => name,
  removed: ({ name }) => `${name}, an error handler before the route`,
  added: ({ name }) => `${name}, an error handler behind the route`,
  respelled: ({ as }) => `as ${as}`,
}

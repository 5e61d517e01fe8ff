// The dialog by which a person changes a state: what, to what, and why.
import { type StateKind, stateKinds } from '../../states/kinds.js'
import type { HistoryEntry, RouteStatus } from '../../states/schema.js'
import { byId, element, setText } from './elements.js'
import { countOpen } from './open-differences.js'

export interface ChangeParts {
  readonly token: () => string
  readonly stateOf: (route: string) => string | undefined
  /** Of all states, where the store counts its changes. */
  readonly version: () => number | undefined
  readonly routes: () => readonly string[]
  readonly statusOf: (route: string) => RouteStatus | undefined
  readonly lastRollback: (route: string) => HistoryEntry | undefined
  readonly done: (news: string) => void
}

/** `open` of a route; without one a group is chosen. `follow` is called when states may have changed. */
export function createChange({
  token,
  stateOf,
  version,
  routes,
  statusOf,
  lastRollback,
  done,
}: ChangeParts): {
  open: (route: string | undefined) => void
  follow: () => void
} {
  const dialog = byId<HTMLDialogElement>('dialog')
  const form = byId<HTMLFormElement>('change')
  const [group, percent] = [byId<HTMLSelectElement>('group'), byId<HTMLInputElement>('percent')]
  const reason = byId<HTMLTextAreaElement>('reason')
  const [confirm, problem] = [byId<HTMLButtonElement>('confirm'), byId('problem')]
  let route: string | undefined
  /** The state that the person has seen. */
  let from: string | undefined
  let seen: number | undefined

  const chosen = (): StateKind | null => new FormData(form).get('state') as StateKind | null
  const hasShare = (): boolean => {
    const kind = chosen()
    return kind !== null && stateKinds[kind].answers === 'share'
  }
  const state = (): string => `${chosen()}${hasShare() ? ` ${Number(percent.value)}%` : ''}`
  const key = (): string => route ?? group.value

  /** What speaks against having the Controller answer all clients. */
  const against = (): string[] => {
    const kind = chosen()
    if (kind === null || stateKinds[kind].answers !== 'native') return []
    const meant = route === undefined ? covered(routes(), group.value) : [route]
    return meant.flatMap((one) => {
      const found = statusOf(one)
      return found === undefined
        ? []
        : reasonsAgainst(found, lastRollback(one)).map((why) => `${one}: ${why}`)
    })
  }

  const showChoice = (): void => {
    const reasons = against()
    const shown = [...reasons.slice(0, 5), ...(reasons.length > 5 ? [`and ${reasons.length - 5} more`] : [])]
    const box = byId('against')
    box.hidden = reasons.length === 0
    box.replaceChildren(
      element('b', {}, 'Against it'),
      element('ul', {}, ...shown.map((one) => element('li', {}, one))),
    )
    percent.disabled = !hasShare()
    percent.required = !percent.disabled
    setText(confirm, chosen() === null ? 'Change' : `Change to ${state()}`)
    const count = route === undefined ? covered(routes(), group.value).length : 1
    setText(
      byId('sure-text'),
      `I mean ${key() === '*' ? 'all' : key()}${route === undefined ? `: ${count} routes` : ''}${reasons.length === 0 ? '' : ', whatever is against it'}`,
    )
    reason.setCustomValidity(reason.value !== '' && reason.value.trim() === '' ? 'Say why' : '')
  }

  const open = (wanted: string | undefined): void => {
    route = wanted
    from = route === undefined ? undefined : stateOf(route)
    seen = version()
    form.reset()
    const now = route === undefined ? undefined : statusOf(route)
    if (now !== undefined && stateKinds[now.kind].answers === 'share') percent.value = String(now.percent)
    setText(problem, '')
    setText(byId('dialog-title'), route === undefined ? 'Change a group' : `Change ${route}`)
    setText(
      byId('dialog-now'),
      from === undefined ? 'States that were set for its parts are taken back.' : `It is at ${from} now.`,
    )
    byId('group-label').hidden = route !== undefined
    if (route === undefined)
      group.replaceChildren(
        ...groupsOf(routes()).map((one) => element('option', { value: one }, one === '*' ? '* (all)' : one)),
      )
    confirm.disabled = false
    showChoice()
    dialog.showModal()
  }

  const send = async (): Promise<void> => {
    confirm.disabled = true
    setText(problem, '')
    const wanted = {
      route: key(),
      state: state(),
      reason: reason.value.trim(),
      ...(from !== undefined && { from }),
      ...(seen !== undefined && { seen }),
    }
    try {
      const answer = await fetch('state', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': token() },
        body: JSON.stringify(wanted),
      })
      const { error, isStored } = (await answer.json()) as { error?: string; isStored?: boolean }
      if (!answer.ok) throw new Error(error ?? `The answer was ${answer.status}`)
      dialog.close()
      done(
        `${wanted.route === '*' ? 'Every route' : wanted.route} is at ${wanted.state} now${isStored === true ? '' : '; the store does not have it yet'}`,
      )
    } catch (error) {
      setText(problem, error instanceof Error ? error.message : 'No answer')
      // Who was told of what others have said may set it all the same.
      seen = version()
    } finally {
      confirm.disabled = false
    }
  }

  form.addEventListener('input', ({ target }) => {
    // What was confirmed was another state.
    if (target instanceof HTMLInputElement && target.name === 'state')
      byId<HTMLInputElement>('sure').checked = false
    showChoice()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!confirm.disabled) void send()
  })
  byId('cancel').addEventListener('click', () => dialog.close())
  return {
    open,
    follow: () => {
      if (!dialog.open || route === undefined) return
      const now = stateOf(route)
      if (now === from || confirm.disabled) return
      from = now
      seen = version()
      setText(byId('dialog-now'), `It is at ${now ?? 'no state'} now.`)
      setText(problem, `The state has changed meanwhile: it is at ${now ?? 'no state'} now.`)
    },
  }
}

/** What is open of a route, and how its Controller has done. */
function reasonsAgainst(route: RouteStatus, rollback: HistoryEntry | undefined): string[] {
  const { coolDownUntil, shadow, fleet, paused, kind } = route
  const open = countOpen(route)
  const compared = Math.max(shadow.compared, fleet?.compared ?? 0)
  const time = (iso: string): string => new Date(iso).toLocaleString()
  return [
    ...(open > 0 ? [`${open} open ${open === 1 ? 'difference' : 'differences'}`] : []),
    ...(compared === 0 && kind !== 'native' ? ['no answer was compared'] : []),
    ...(rollback === undefined ? [] : [`went back at ${time(rollback.at)}: ${rollback.reason}`]),
    ...(coolDownUntil === undefined ? [] : [`no plan moves it before ${time(coolDownUntil)}`]),
    ...(paused === undefined ? [] : [`waits: ${paused}`]),
  ]
}

/** All, and each path with two routes at or below it, the widest first. */
function groupsOf(routes: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const route of routes) {
    const segments = route
      .slice(route.indexOf(' ') + 1)
      .split('/')
      .slice(1)
    let path = ''
    for (const segment of segments) {
      // Params and wildcards of a pattern name no path.
      if (!/^[\w.~-]+$/.test(segment)) break
      path += `/${segment}`
      counts.set(path, (counts.get(path) ?? 0) + 1)
    }
  }
  const groups = [...counts]
    .filter(([, count]) => count > 1)
    .sort(([one], [other]) => one.localeCompare(other))
  return ['*', ...groups.map(([path]) => path).slice(0, 500)]
}

function covered(routes: readonly string[], group: string): string[] {
  if (group === '*') return [...routes]
  return routes.filter((route) => {
    const path = route.slice(route.indexOf(' ') + 1)
    return path === group || path.startsWith(`${group}/`)
  })
}

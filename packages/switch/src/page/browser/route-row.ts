// One route in the table, and what is known of it below.
import type { OpenDifference, RouteStatus, SideStatus } from '../../states/schema.js'
import { element, setText } from './elements.js'
import { countOpen } from './open-differences.js'

/** Requests per second of both sides. */
export interface Rates {
  readonly legacy: number
  readonly native: number
}

/** A difference that is accepted, or is not any more. */
export interface Accepting {
  readonly route: string
  readonly place: string
  readonly reason: string
  readonly takeBack: boolean
}

interface Actions {
  readonly change: (key: string) => void
  /** Gives what went amiss. */
  readonly accept: (wanted: Accepting) => Promise<string | undefined>
}

const labels = [
  '',
  'State',
  'Migrated',
  'Requests/s: legacy · native',
  'Legacy: p50 / p99 ms',
  'Native: p50 / p99 ms',
  '5xx: legacy · native',
  'Differences',
  'Last asked',
  '',
]
const nothing = '–'

export class RouteRow {
  readonly #row: HTMLTableRowElement
  readonly #cells: HTMLTableCellElement[]
  readonly #open: HTMLButtonElement
  readonly #change: HTMLButtonElement
  readonly #badge = element('span')
  readonly #setFor = element('small')
  readonly #share = element('span')
  readonly #bar = element('span')
  #details: { readonly row: HTMLTableRowElement; readonly cell: HTMLTableCellElement } | undefined
  #shownDetails = ''
  #route: RouteStatus | undefined
  #canChange = false
  readonly #accept: Actions['accept']

  constructor(key: string, { change, accept }: Actions) {
    this.#accept = accept
    const at = key.indexOf(' ')
    this.#open = element(
      'button',
      { type: 'button', class: 'open', 'aria-expanded': 'false' },
      element('b', {}, key.slice(0, at)),
      element('span', {}, key.slice(at + 1)),
    )
    this.#open.addEventListener('click', () => this.#toggle())
    this.#change = element('button', { type: 'button', 'aria-label': `Change ${key}` }, 'Change')
    this.#change.addEventListener('click', () => change(key))
    this.#cells = labels.map((label, at) =>
      element('td', {
        role: 'cell',
        ...(label !== '' && { 'data-label': label }),
        ...(at === 0 && { class: 'wide' }),
      }),
    )
    this.#cells[0]!.append(this.#open)
    this.#cells[1]!.append(this.#badge, ' ', this.#setFor)
    this.#cells[2]!.append(this.#share, element('span', { class: 'bar', 'aria-hidden': 'true' }, this.#bar))
    this.#cells.at(-1)!.append(this.#change)
    this.#row = element('tr', { role: 'row' }, ...this.#cells)
  }

  elements(): HTMLElement[] {
    return this.#details === undefined ? [this.#row] : [this.#row, this.#details.row]
  }

  remove(): void {
    for (const one of this.elements()) one.remove()
  }

  /** Opens it, and brings it into sight. */
  reveal(): void {
    if (this.#details === undefined) this.#toggle()
    this.#row.scrollIntoView({ block: 'center' })
    this.#open.focus()
  }

  show(route: RouteStatus, rates: Rates | undefined, canChange: boolean): void {
    this.#route = route
    this.#canChange = canChange
    const open = countOpen(route)
    const { legacy, native, state, kind, setFor, shadow, differences, lastAskedAt, isDead } = route
    this.#badge.className = `badge is-${kind}`
    setText(this.#badge, state)
    const isOwn = setFor === route.route || setFor === 'initial'
    const by = isOwn ? '' : setFor === '!*' ? 'by the off switch' : `by ${setFor}`
    setText(this.#setFor, route.heldBy === undefined ? by : 'stays: what is set cannot be read')
    // Of all replicas, where the store carries their figures.
    const asked = route.fleet ?? { legacy, native }
    const requests = asked.legacy.requests + asked.native.requests
    const share = requests === 0 ? 0 : asked.native.requests / requests
    setText(
      this.#share,
      requests === 0 ? nothing : `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`,
    )
    this.#bar.style.width = `${share * 100}%`
    this.#bar.parentElement!.hidden = requests === 0
    const texts = [
      rates === undefined || requests === 0 ? nothing : `${rate(rates.legacy)} · ${rate(rates.native)}`,
      times(legacy),
      times(native),
      legacy.watched + native.watched === 0
        ? nothing
        : `${part(legacy.failureRate)} · ${part(native.failureRate)}`,
      shadow.compared === 0 && differences.length === 0
        ? nothing
        : `${open} open · ${part(shadow.differenceRate)}`,
      isDead ? `dead, ${ago(lastAskedAt)}` : ago(lastAskedAt),
    ]
    texts.forEach((text, at) => setText(this.#cells[at + 3]!, text))
    // Where there is little room, what says nothing is left out.
    for (const cell of this.#cells) cell.classList.toggle('empty', cell.textContent === nothing)
    this.#cells[6]!.classList.toggle('bad', native.failureRate > legacy.failureRate)
    this.#cells[7]!.classList.toggle('bad', open > 0)
    this.#change.hidden = !canChange
    this.#showDetails()
  }

  #toggle(): void {
    const isOpen = this.#details !== undefined
    this.#open.setAttribute('aria-expanded', String(!isOpen))
    if (this.#details !== undefined) {
      this.#details.row.remove()
      this.#details = undefined
      return
    }
    const cell = element('td', { role: 'cell', colspan: String(labels.length) })
    this.#details = { row: element('tr', { class: 'more', role: 'row' }, cell), cell }
    this.#shownDetails = ''
    this.#showDetails()
    this.#row.after(this.#details.row)
  }

  #showDetails(): void {
    if (this.#details === undefined || this.#route === undefined) return
    const {
      legacy,
      native,
      shadow,
      differences,
      coolDownUntil,
      setFor,
      heldBy,
      isDead,
      fleet,
      paused,
      plan,
    } = this.#route
    const facts = [
      `state set ${setFor === 'initial' ? 'for the beginning' : setFor === '!*' ? 'by the off switch' : `for ${setFor}`}`,
      `${legacy.requests} requests to legacy, ${native.requests} to the Controller`,
      ...(fleet === undefined
        ? []
        : [
            `of all replicas: ${fleet.legacy.requests} requests to legacy, ${fleet.native.requests} to the Controller, ${fleet.legacy.failures} and ${fleet.native.failures} failed`,
            `of all replicas: ${fleet.compared} compared, ${fleet.different} different`,
          ]),
      ...(plan === undefined
        ? []
        : [
            `the plan goes on to ${plan.next}, not before ${clockTime(plan.notBefore)}: ${plan.answers} of ${plan.answersNeeded} answers`,
          ]),
      ...(paused === undefined ? [] : [`it waits: ${paused}`]),
      `${legacy.aborted} and ${native.aborted} given up by clients`,
      `${shadow.compared} compared, ${shadow.different} different, ${shadow.dropped} dropped`,
      ...(shadow.noise.length > 0
        ? [`not compared, as legacy itself varies: ${shadow.noise.join(', ')}`]
        : []),
      ...(shadow.notCopied.length > 0
        ? [
            `a copy had no ${shadow.notCopied.join(', ')}, which cannot be copied; the option shadow.asIs gives it as it is`,
          ]
        : []),
      ...(shadow.asIs.length > 0
        ? [`a copy has these as they are, and may change them: ${shadow.asIs.join(', ')}`]
        : []),
      ...(coolDownUntil === undefined ? [] : [`no plan moves it before ${clockTime(coolDownUntil)}`]),
      ...(heldBy === undefined ? [] : [`it stays where it is, as ${heldBy} cannot be read`]),
      ...(isDead ? ['dead'] : []),
    ]
    const key = JSON.stringify([facts, differences, this.#canChange])
    if (key === this.#shownDetails) return
    // Who writes a reason is not interrupted.
    if (this.#details.cell.querySelector('.accept input:focus') !== null) return
    this.#shownDetails = key
    this.#details.cell.replaceChildren(
      element('ul', { class: 'facts' }, ...facts.map((fact) => element('li', {}, fact))),
      ...(differences.length === 0
        ? [element('p', {}, 'No open difference.')]
        : differences.map((one) => this.#differenceOf(one))),
    )
  }

  #differenceOf(difference: OpenDifference): HTMLElement {
    const shown = differenceOf(difference)
    const { place, accepted } = difference
    if (accepted !== undefined)
      shown.append(element('p', {}, `Accepted by ${accepted.by}: ${accepted.reason}`))
    if (this.#canChange) shown.append(this.#acceptForm(place, accepted !== undefined))
    return shown
  }

  #acceptForm(place: string, takeBack: boolean): HTMLElement {
    const { route } = this.#route!
    const reason = element('input', {
      type: 'text',
      required: '',
      maxlength: '500',
      placeholder: 'reason',
      'aria-label': `Reason: ${place} of ${route}`,
    })
    const problem = element('span', { role: 'alert' })
    const button = element('button', { type: 'submit' }, takeBack ? 'Accept it no longer' : 'Accept this one')
    const form = element('form', { class: 'accept' }, reason, button, problem)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      button.disabled = true
      void this.#accept({ route, place, reason: reason.value.trim(), takeBack }).then((wrong) => {
        button.disabled = false
        setText(problem, wrong ?? '')
        // Its details are made anew with the next numbers.
        if (wrong === undefined) reason.blur()
      })
    })
    return form
  }
}

function differenceOf({
  what,
  name,
  legacy,
  native,
  method,
  target,
  count,
  lastAt,
  remedy,
}: OpenDifference): HTMLElement {
  const side = (title: string, ink: string, text: string | undefined): HTMLElement =>
    element(
      'div',
      { class: ink },
      element('small', {}, title),
      element('pre', {}, text === undefined ? '(nothing)' : text || '(empty)'),
    )
  return element(
    'article',
    { class: 'difference' },
    element(
      'p',
      {},
      element('b', {}, name === undefined ? what : `${what} ${name}`),
      ` in ${count} ${count === 1 ? 'answer' : 'answers'}, last ${ago(lastAt)}; first seen with `,
      element('code', {}, `${method} ${target}`),
    ),
    ...(remedy === undefined ? [] : [element('p', {}, element('b', {}, 'Remedy: '), remedy)]),
    element(
      'div',
      { class: 'sides' },
      side('legacy', 'ink-legacy', legacy),
      side('native', 'ink-native', native),
    ),
  )
}

function times({ p50Ms, p99Ms }: SideStatus): string {
  return p50Ms === undefined ? nothing : `${ms(p50Ms)} / ${ms(p99Ms)}`
}

function ms(value: number | undefined): string {
  if (value === undefined) return '–'
  return value < 10 ? String(Number(value.toFixed(1))) : value.toFixed(0)
}

function rate(value: number): string {
  return value >= 10 ? value.toFixed(0) : String(Number(value.toFixed(1)))
}

function part(share: number): string {
  return `${Number((share * 100).toFixed(share < 0.1 ? 1 : 0))}%`
}

function ago(iso: string | undefined): string {
  if (iso === undefined) return 'never'
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1000)
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} days ago`
}

const clockTime = (iso: string): string => new Date(iso).toLocaleTimeString()

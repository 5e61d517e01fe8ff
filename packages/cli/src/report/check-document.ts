// The findings of `check` with what is said of them: the document that is printed.
import type {
  Change,
  CheckCode,
  CheckFinding,
  KeyedFinding,
  Note,
  NoteCode,
  NoteFinding,
  RouteChanges,
  RouteFindings,
} from '../documents/check.js'
import { checkFindings, noteTexts } from './check-findings.js'
import { callOf } from './pass-text.js'

/** A route with the texts of its findings. */
export function toldRoute({ changes, accepted, notes, ...route }: RouteFindings): RouteChanges {
  const told = changes.map(toldChange)
  return {
    ...route,
    notes: notes.map(toldNote),
    changes: told,
    accepted: accepted.map((one) => ({ ...toldChange(one), because: one.because })),
    remedy: remedyFor([`${route.method} ${route.path}`], route, told),
  }
}

function toldChange({ finding, key }: KeyedFinding): Change {
  const { kind, severity } = checkFindings[finding.code]
  const call = finding.code === 'lost' ? callOf(finding) : undefined
  return {
    ...finding,
    kind,
    severity,
    finding: nameOf(finding.code, finding),
    key,
    what: whatOf(finding.code, finding),
    ...(call !== undefined && { call }),
  }
}

function toldNote(note: NoteFinding): Note {
  return { ...note, kind: note.code, what: noteText(note.code, note) }
}

// The code by itself has a function know that its finding and its entry of the table belong together.

function whatOf<C extends CheckCode>(code: C, finding: CheckFinding<C>): string {
  return checkFindings[code].what(finding)
}

function nameOf<C extends CheckCode>(code: C, finding: CheckFinding<C>): string {
  const { kind, name } = checkFindings[code]
  return name === undefined ? kind : `${kind} ${name(finding)}`
}

function noteText<C extends NoteCode>(code: C, note: NoteFinding<C>): string {
  return noteTexts[code](note)
}

// A list that can be read.
const mostNamed = 4

/** The remedy of all findings of some routes, which a Controller answers now or Express. */
export function remedyFor(
  routes: readonly string[],
  { moved, takenOver }: Pick<RouteChanges, 'moved' | 'takenOver'>,
  found: readonly CheckFinding[],
): string | undefined {
  const named = routes.length > mostNamed ? 'those routes' : routes.map((route) => `'${route}'`).join(', ')
  const remedied = { moved, takenOver, only: `toControllers(app, { only: [${named}] })` }
  const remedyOf = <C extends CheckCode>(code: C): string | undefined => {
    const own = found.filter((one): one is CheckFinding & CheckFinding<C> => one.code === code)
    return own.length === 0 ? undefined : checkFindings[code].remedy(own, remedied)
  }
  for (const code of Object.keys(checkFindings) as CheckCode[]) {
    const remedy = remedyOf(code)
    if (remedy !== undefined) return remedy
  }
  return undefined
}

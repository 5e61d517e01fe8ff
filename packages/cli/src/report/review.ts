// What the commands have found, in one shape: reporters for reviews and for CI are written once, for all commands.
import type { Change, CheckReport, RouteChanges } from '../documents/check.js'
import type { DoctorReport } from '../documents/doctor.js'
import type { Severity } from '../documents/finding.js'
import type { ParityDifference, ParityGroup, ParityReport } from '../documents/parity.js'
import type { ProveReport, ToldMissing, Verdict } from '../documents/prove.js'
import { count, countRows } from '../terminal/text.js'
import { factsOf } from './check-blocks.js'
import { titleOfCheck } from './check-findings.js'
import { titleOfDoctor } from './doctor-findings.js'
import { titleOfMissing } from './prove-missing.js'

/** One finding of any command. */
export interface Remark {
  /** Its code: `lost`. */
  readonly code: string
  /** What the code stands for, as a sentence without its full stop. */
  readonly title: string
  readonly severity: Severity
  /** What was found, without its route: `lost requireAdmin`. */
  readonly text: string
  readonly remedy: string | undefined
  /** `GET /users`; undefined for what is of the whole project. */
  readonly route: string | undefined
  /** `src/app.js:12`; undefined where no place is known. */
  readonly at: string | undefined
  /** Remarks that have the same say the same of several routes. */
  readonly group: string
  /** The same in each run, and of no other finding. */
  readonly key: string
}

/** What a command has found. */
export interface Review {
  readonly ok: boolean
  /** False where not all could be looked at. */
  readonly isWhole: boolean
  /** `16 routes checked: 2 with findings`. */
  readonly summary: string
  readonly remarks: readonly Remark[]
  /** What else is to be told: sentences. */
  readonly notes: readonly string[]
}

/** The documents that have findings, each with what makes a review of it. */
export interface Reviewed {
  readonly check: CheckReport
  readonly doctor: DoctorReport
  readonly parity: ParityReport
  readonly prove: ProveReport
}

export const reviews: { readonly [D in keyof Reviewed]: (document: Reviewed[D]) => Review } = {
  check: (report) => ({
    ok: report.ok,
    isWhole: true,
    summary: checkSummary(report),
    remarks: report.routes.flatMap((route) => route.changes.map((change) => checkRemark(route, change))),
    notes: [],
  }),
  doctor: ({ entry, failure, findings }) => ({
    ok: isFree(findings) && failure === undefined,
    isWhole: failure === undefined,
    summary: doctorSummary({ entry, failure, findings }),
    remarks: findings.map(({ code, severity, message, remedy, at }): Remark => ({
      ...{ code, severity, text: message, remedy, title: titleOfDoctor(code) },
      ...{ route: undefined, at: at[0], group: message, key: `${code} ${message}` },
    })),
    notes: failure === undefined ? [] : [failure],
  }),
  parity: (report) => ({
    ok: report.ok,
    isWhole: report.compared === report.planned,
    summary: paritySummary(report),
    remarks: report.groups.flatMap((group) => group.differences.map((one) => parityRemark(group, one))),
    notes: report.notes,
  }),
  prove: proveReview,
}

/** What each part has found, and each proof that is missing. */
function proveReview(report: ProveReport): Review {
  const { check, parity, replay, missing, routes, verdict, limits } = report
  const placeOf = new Map(routes.map(({ method, path, at }) => [`${method} ${path}`, at]))
  const given = replay === undefined ? [] : reviews.parity(replay).remarks
  return {
    ok: verdict === 'proved',
    isWhole: missing.length === 0,
    summary: proveSummary(report),
    remarks: [
      ...(check === undefined ? [] : reviews.check(check).remarks),
      ...(parity === undefined ? [] : reviews.parity(parity).remarks),
      // The same request may have been made before.
      ...given.map((one) => ({ ...one, key: `given ${one.key}` })),
      ...missing.map((one) => missingRemark(one, placeOf.get(one.route ?? ''))),
    ],
    notes: [...provedNotes(report), ...(parity?.notes ?? []), ...(replay?.notes ?? []), ...limits],
  }
}

function missingRemark({ code, route, message, remedy }: ToldMissing, at: string | undefined): Remark {
  return {
    ...{ code, title: titleOfMissing(code), severity: 'warning', text: message, remedy },
    ...{ route, at, group: message, key: code },
  }
}

/** Which routes are proved, so that a review says it where nothing was found of them. */
function provedNotes({ routes }: ProveReport): string[] {
  const proved = routes.filter(({ verdict }) => verdict === 'proved')
  if (proved.length === 0) return []
  return [`Proved: ${namesText(proved.map(({ method, path }) => `${method} ${path}`))}`]
}

/** The last line of the text, without its mark. */
export function proveSummary({ routes, verdict }: ProveReport): string {
  const some = (of: Verdict): number => routes.filter((one) => one.verdict === of).length
  const all = count(routes.length, 'route')
  if (verdict === 'proved') return `${all} proved`
  if (verdict === 'different') return `${some('different')} of ${all} different`
  return `${some('proved')} of ${all} proved, and nothing differs, but proofs are missing`
}

function checkRemark({ method, path, at: place, remedy }: RouteChanges, change: Change): Remark {
  const { code, kind, severity, what, at, key } = change
  // What stands behind a native callback now has a place still.
  const isGone = code === 'lost' && change.native === undefined
  const stood = isGone && at !== undefined ? `, which stood at ${at}` : ''
  return {
    ...{ code, severity, key, remedy, title: titleOfCheck(code) },
    text: what.startsWith(kind) ? what : `${kind}: ${what}${stood}`,
    route: `${method} ${path}`,
    // What is lost stands nowhere: the route is what a reviewer looks at.
    at: code === 'lost' ? (place ?? at) : (at ?? place),
    group: JSON.stringify([factsOf(change), remedy]),
  }
}

/** The last line of the text, without its mark. */
export function checkSummary(report: CheckReport): string {
  const { checked, mounts, byPosition, notCompared, except, routes } = report
  const changed = routes.filter(({ changes }) => changes.length > 0).length
  const accepted = routes.reduce((sum, route) => sum + route.accepted.length, 0)
  const counted = [
    `${countRows(checked, mounts)} checked`,
    byPosition === 0 ? '' : `${byPosition} more by position alone`,
    notCompared === 0 ? '' : `${notCompared} not compared`,
    except === 0 ? '' : `${except} left out by the lock`,
    accepted === 0 ? '' : `${count(accepted, 'finding')} accepted`,
  ]
  const found = changed > 0 ? `${changed} with findings` : `nothing ${accepted === 0 ? '' : 'else '}is lost`
  return `${counted.filter(Boolean).join(', ')}: ${found}`
}

/** True where nothing stands in the way: a note is advice. */
export function isFree(findings: DoctorReport['findings']): boolean {
  return findings.every(({ severity }) => severity === 'note')
}

/** The last line of the text, without its mark. */
export function doctorSummary({ entry, findings, failure }: Omit<DoctorReport, 'version'>): string {
  const looked = failure === undefined ? entry : 'what the files of the project say'
  const { length } = findings
  if (!isFree(findings)) return `${looked}: ${count(length, 'finding')}`
  return `${looked}: nothing stands in the way${length === 0 ? '' : `, ${count(length, 'note')}`}`
}

/** The last line of the text, without its mark. */
export function paritySummary({ legacy, now, compared, planned, groups }: ParityReport): string {
  const differ = groups.reduce((sum, { differences }) => sum + differences.length, 0)
  const sides = `${legacy}, and ${now}`
  if (differ > 0) return `${differ} of ${count(compared, 'request')} differ between ${sides}`
  if (compared < planned)
    return `Not all is known: ${compared} of ${count(planned, 'request')} answered alike by ${sides}`
  return `${count(compared, 'request')} answered alike by ${sides}`
}

function parityRemark({ cause, remedy }: ParityGroup, one: ParityDifference): Remark {
  const { method, target, route, variant, at, headers } = one
  const changed = one.changes.map(({ what, name }) => [what, name].filter(Boolean).join(' '))
  const how = variant === '' ? '' : ` (${variant})`
  return {
    ...{ code: 'differs', title: 'A request has another answer than before', severity: 'error' },
    ...{ route, at, remedy, group: cause },
    text: `${method} ${target}${how}: ${cause.includes('→') ? cause : changed.join(', ')}`,
    key: JSON.stringify([method, target, variant, headers, changed]),
  }
}

/** What is said of several routes alike. */
export interface Group {
  readonly first: Remark
  readonly routes: readonly string[]
  /** How many remarks it has. */
  readonly size: number
}

const rank: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

/** What several routes have in common once, and the worst first: lists of reviews and of CI are short. */
export function groupsOf({ remarks }: Review): Group[] {
  const groups = new Map<string, Remark[]>()
  for (const one of remarks) {
    const key = JSON.stringify([one.code, one.severity, one.group])
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
    .map((all): Group => {
      const routes = [...new Set(all.flatMap(({ route }) => route ?? []))]
      return { first: all[0]!, routes, size: all.length }
    })
    .sort((a, b) => rank[a.first.severity] - rank[b.first.severity])
}

// A list that can be read.
const mostNamed = 3

/** `GET /a, GET /b, GET /c and 4 more`; nothing for what is of no route. */
export function routesText({ routes }: Group): string {
  return namesText(routes)
}

function namesText(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return names.slice(0, mostNamed).join(', ') + more
}

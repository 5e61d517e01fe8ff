// What is said of the findings of `inspect`: one entry for each code.
import type { Finding, FindingKind, InspectFinding } from '../documents/inventory.js'
import type { Severity } from '../documents/finding.js'
import { noGuardText } from './answerer-text.js'

interface Entry<C extends FindingKind> {
  readonly title: string
  readonly severity: Severity
  readonly message: (finding: InspectFinding<C>) => string
}

const noted = (...texts: readonly (string | undefined)[]): string => texts.filter(Boolean).join(' ')

const inspectFindings: { readonly [C in FindingKind]: Entry<C> } = {
  duplicate: {
    title: 'A method and a path are registered twice',
    severity: 'warning',
    message: ({ first }) => `is registered already: ${noted(first.by, first.at)}`,
  },
  shadowed: {
    title: 'Another route answers first',
    severity: 'warning',
    message: ({ by }) => `is answered before by ${by.route ?? 'a route'}, ${noted(by.by, by.at)}`,
  },
  unreachable: {
    title: 'A middleware that never calls next() stands before it',
    severity: 'warning',
    message: ({ by }) => `is answered before by ${by.name}, ${noted(by.at)}, which never calls next()`,
  },
  interceptor: {
    title: 'It may leave its request to what stands behind it',
    severity: 'note',
    message: () => 'may call next(), and leave its request to what stands behind it',
  },
  opaque: {
    title: 'The routes behind it cannot be seen',
    severity: 'warning',
    message: (finding) => opaqueText(finding),
  },
  'unknown-method': {
    title: 'A server of Node refuses its method',
    severity: 'warning',
    message: ({ method }) =>
      `no request reaches it: a server of Node answers 400 to the method ${method}, which http.METHODS does not have`,
  },
  'no-witness': {
    title: 'No URL was found that reaches it',
    severity: 'note',
    message: () => 'no URL was found that reaches it',
  },
  'native-first': {
    title: 'A native callback stands before other functions of its route',
    severity: 'warning',
    message: ({ name, behind }) =>
      `has the native callback ${name} before ${behind.join(', ')}: where it answers, requests do not pass ${behind.length === 1 ? 'that' : 'those'}`,
  },
  'not-a-guard': {
    title: 'A Controller that is meant to guard others does not',
    severity: 'error',
    message: ({ guards }) => noGuardText(guards),
  },
}

/** Of a router or an app that is wrapped, in `inspect` and in `doctor`. */
export function opaqueText({ leadsTo }: { readonly leadsTo: 'router' | 'app' }): string {
  return `leads to ${leadsTo === 'router' ? 'a router' : 'an app'} that is wrapped: the routes behind it cannot be seen`
}

/** What the code of a finding stands for. */
export function titleOf(code: FindingKind): string {
  return inspectFindings[code].title
}

/** A finding with its texts. */
export function toldFinding(finding: InspectFinding): Finding {
  const { severity } = inspectFindings[finding.code]
  return { ...finding, kind: finding.code, severity, message: messageOf(finding.code, finding) }
}

function messageOf<C extends FindingKind>(code: C, finding: InspectFinding<C>): string {
  return inspectFindings[code].message(finding)
}

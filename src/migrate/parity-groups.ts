// Differences by their cause.
import type { ParityDifference, ParityGroup } from './parity-schema.js'

/** Groups differences, those first that open what was closed. */
export function groupDifferences(differences: readonly ParityDifference[]): ParityGroup[] {
  const plain = new Map<string, string>()
  for (const one of differences) {
    if (one.variant === '') plain.set(`${one.route} ${one.headers.join()}`, signatureOf(one))
  }
  const groups = new Map<string, ParityDifference[]>()
  for (const one of differences) {
    const signature = signatureOf(one)
    // What differs in the same way without the variant has nothing to do with it.
    const same = [...plain].some(([key, other]) => key.startsWith(`${one.route} `) && other === signature)
    const cause = one.variant === '' || same || isOpened(one) ? signature : one.variant
    groups.set(cause, [...(groups.get(cause) ?? []), one])
  }
  return [...groups]
    .map(([cause, all]): ParityGroup => {
      const remedy = remedyOf(all)
      const routes = [...new Set(all.map(({ route }) => route))]
      return { cause, ...(remedy !== undefined && { remedy }), routes, differences: all }
    })
    .sort((a, b) => rank(b) - rank(a) || b.routes.length - a.routes.length)
}

function rank({ differences: [first] }: ParityGroup): number {
  return isOpened(first!) ? 1 : 0
}

/** True where legacy refuses, and the app does not any more. */
function isOpened({ legacy, now }: ParityDifference): boolean {
  return [401, 403].includes(legacy.status) && now.status > 0 && now.status < 400
}

function signatureOf({ legacy, now, changes, by }: ParityDifference): string {
  if (changes[0]?.what === 'status') {
    const [was, is] = [legacy, now].map(({ status, type, failure }) => failure ?? `${status} ${type}`.trim())
    return `${was} → ${is}${by === undefined ? '' : ` (now answered by ${by})`}`
  }
  const said = changes.map(({ what, name }) =>
    what === 'body' ? 'another body' : what === 'header' ? `another ${name}` : `${what} ${name}`,
  )
  return said.join(', ')
}

function remedyOf(all: readonly ParityDifference[]): string | undefined {
  const [{ variant, legacy, by = '' }] = all as [ParityDifference]
  if (all.some(isOpened)) return 'a guard is not asked any more; routecontrollers check says which'
  if (variant !== '') return 'use profile fromApp(app)'
  if (legacy.status === 404 && by.startsWith('Controller'))
    return 'legacy has no such route any more; compare with the revision that had it: --base REVISION'
  return undefined
}

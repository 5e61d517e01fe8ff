// Which handlers leave a request without an answer where they reject: async ones, in a version of Express that catches no rejection.
import { expressVersions } from 'routecontrollers/express-model'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import type { Node } from '../syntax/parser.js'
import type { ProjectCode } from './project-code.js'

/** The version of Express that never answers where the handler of a route rejects; undefined where it does, or where that is not known. */
export function unansweredBy(
  { app, own }: RouteRow,
  { apps }: Inventory,
  project: ProjectCode,
): number | undefined {
  const { version } = apps[app] ?? {}
  if (version === undefined || expressVersions[version].catchesRejections) return undefined
  // The handler that a native callback stands before is the last one behind it.
  const replaced = own.behind?.findLast(({ kind }) => kind !== 'error')
  if (own.stage === undefined || (own.stage !== 'legacy' && replaced === undefined)) return undefined
  const { definition, name } = replaced ?? own
  const handler = project.functionAt(definition, name, { prefersLast: true })?.node
  return handler?.['async'] === true && mayReject(handler) ? version : undefined
}

/** False for a body of nothing but `try { … } catch { … }`. */
export function mayReject(handler: Node): boolean {
  const statements = (handler['body'] as Node)['body']
  if (!Array.isArray(statements)) return true
  return (statements as readonly Node[]).some(
    (one) => one.type !== 'TryStatement' || !one['handler'] || Boolean(one['finalizer']),
  )
}

import type { RunnableController } from 'routecontrollers/introspection'
import { nodeCallbackOf } from 'routecontrollers/introspection'
import { createRouteIndex } from '../../../../src/routing/route-index.js'
import type { Finding, RouteRow } from '../documents/inventory.js'
import { mayPass } from 'routecontrollers/express-model'
import { samplePattern, tastes } from 'routecontrollers/express-model'
import type { Description } from 'routecontrollers/introspection'

const noted = ({ at, by }: { at: string | undefined; by?: string }): string =>
  [by, at].filter(Boolean).join(' ')

/** Duplicates, and routes that no request reaches. */
export function findProblems(rows: readonly RouteRow[]): Finding[] {
  const findings: Finding[] = []
  const first = new Map<string, RouteRow>()
  for (const row of rows) {
    const { kind, method, path, witness, witnessMethod } = row
    const shown = { method, path, at: row.own.at, witness: witness && `${witnessMethod} ${witness}` }
    const key = `${row.app} ${method} ${path}`
    // Several functions may be mounted at one path.
    const earlier = kind === 'route' ? first.get(key) : undefined
    if (earlier !== undefined) {
      findings.push({ ...shown, kind: 'duplicate', message: `is registered already: ${noted(earlier.own)}` })
    } else if (kind === 'route') first.set(key, row)
    if (witness === undefined) {
      findings.push({ ...shown, kind: 'no-witness', message: 'no URL was found that reaches it' })
    } else if (row.shadowed && earlier === undefined) {
      const { answer } = row
      const isRoute = answer.by === 'Express' || answer.by === 'Controller'
      const who = isRoute
        ? `${answer.route ?? 'a route'}, ${noted(answer)}`
        : `${answer.name}, ${noted({ at: answer.at })}, which never calls next()`
      findings.push({
        ...shown,
        kind: isRoute ? 'shadowed' : 'unreachable',
        message: `is answered before by ${who}`,
      })
    }
  }
  return findings
}

/** Routes that may give their request on, where another one stands behind that gets it. */
export function findInterceptors(rows: readonly RouteRow[]): Finding[] {
  return rows
    .filter(({ kind, mayPass, witness }) => kind === 'route' && mayPass && witness !== undefined)
    .map(({ method, path, witness, witnessMethod, own }) => ({
      kind: 'interceptor',
      method,
      path,
      at: own.at,
      witness: `${witnessMethod} ${witness}`,
      message: 'may call next(), and leave its request to what stands behind it',
    }))
}

/** Controllers that are meant as guards of others: without a profile a more specific one answers, and they are not asked. */
export function findNonGuards(
  all: readonly {
    readonly described: Description
    readonly atOf: (controller: RunnableController) => string | undefined
  }[],
): Finding[] {
  return all.flatMap(({ described: { controllers, engine }, atOf }) => {
    if (engine.index === undefined) return []
    return controllers.filter(passesOn).flatMap((controller) => {
      const guarded = controllers.filter((other) => other !== controller && covers(controller, other))
      if (guarded.length === 0) return []
      const { method, pattern } = controller
      const names = guarded.map((other) => `${other.method} ${other.pattern.source}`)
      return [
        {
          kind: 'not-a-guard',
          method,
          path: pattern.source,
          at: atOf(controller),
          witness: `${guarded[0]!.method === '*' ? 'GET' : guarded[0]!.method} ${samplePattern(guarded[0]!.pattern.segments, tastes[0]!)}`,
          message: `does not guard ${names.join(', ')}: without a profile the most specific Controller answers alone`,
        },
      ]
    })
  })
}

/** True for a Controller of handlers of Express that calls `next()`. */
function passesOn({ callback }: RunnableController): boolean {
  const last = nodeCallbackOf(callback)?.handlers?.at(-1)
  return last !== undefined && mayPass(last, true)
}

function covers(controller: RunnableController, other: RunnableController): boolean {
  const { method, pattern } = controller
  if (method !== '*' && method !== other.method) return false
  const index = createRouteIndex([{ method: '*', pattern, target: controller }])
  return index.match('GET', samplePattern(other.pattern.segments, tastes[0]!)) !== undefined
}

import { METHODS } from 'node:http'
import type { RunnableController } from 'routecontrollers/introspection'
import { createRouteIndex, nodeCallbackOf } from 'routecontrollers/introspection'
import type { InspectFinding, RouteRow } from '../documents/inventory.js'
import { mayPass } from 'routecontrollers/express-model'
import { candidatePath, tastes } from 'routecontrollers/express-model'
import type { Description } from 'routecontrollers/introspection'

/** Duplicates, and routes that no request reaches. */
export function findProblems(rows: readonly RouteRow[]): InspectFinding[] {
  const findings: InspectFinding[] = []
  const first = new Map<string, RouteRow>()
  for (const row of rows) {
    const { app, kind, method, path, witness, witnessMethod } = row
    const shown = { app, method, path, at: row.own.at, witness: witness && `${witnessMethod} ${witness}` }
    const key = `${row.app} ${method} ${path}`
    // Several functions may be mounted at one path.
    const earlier = kind === 'route' ? first.get(key) : undefined
    if (earlier !== undefined) {
      const { by, at } = earlier.own
      findings.push({ ...shown, code: 'duplicate', first: { by, at } })
    } else if (kind === 'route') first.set(key, row)
    if (method !== '*' && !METHODS.includes(method)) findings.push({ ...shown, code: 'unknown-method' })
    if (witness === undefined) {
      findings.push({ ...shown, code: 'no-witness' })
    } else if (row.shadowed && earlier === undefined) {
      const { by, route, name, at } = row.answer
      findings.push(
        by === 'Express' || by === 'Controller'
          ? { ...shown, code: 'shadowed', by: { by, route, at } }
          : { ...shown, code: 'unreachable', by: { name, at } },
      )
    }
  }
  return findings
}

/** Routes that may give their request on, where another one stands behind that gets it. */
export function findInterceptors(rows: readonly RouteRow[]): InspectFinding[] {
  return rows
    .filter(({ kind, mayPass, witness }) => kind === 'route' && mayPass && witness !== undefined)
    .map(({ app, method, path, witness, witnessMethod, own }) => ({
      code: 'interceptor',
      app,
      method,
      path,
      at: own.at,
      witness: `${witnessMethod} ${witness}`,
    }))
}

/** Routes with a native callback that does not stand directly before the handler that it replaces. */
export function findNativesFirst(rows: readonly RouteRow[]): InspectFinding[] {
  return rows.flatMap(({ app, method, path, witness, witnessMethod, own }) => {
    const behind = (own.behind ?? []).slice(0, -1).map(({ name }) => name)
    if (behind.length === 0) return []
    const { name, at } = own
    const shown = witness && `${witnessMethod} ${witness}`
    return [{ code: 'native-first', app, method, path, at, witness: shown, name, behind }]
  })
}

/** Controllers that are meant as guards of others: without a profile a more specific one answers, and they are not asked. */
export function findNonGuards(
  all: readonly {
    readonly app: number
    readonly described: Description
    readonly atOf: (controller: RunnableController) => string | undefined
  }[],
): InspectFinding[] {
  return all.flatMap(({ app, described: { controllers, engine }, atOf }) => {
    if (engine.index === undefined) return []
    return controllers.filter(passesOn).flatMap((controller) => {
      const guarded = controllers.filter((other) => other !== controller && covers(controller, other))
      if (guarded.length === 0) return []
      const { method, pattern } = controller
      const guards = guarded.map((other) => `${other.method} ${other.pattern.source}`)
      return [
        {
          code: 'not-a-guard',
          app,
          method,
          path: pattern.source,
          at: atOf(controller),
          witness: `${guarded[0]!.method === '*' ? 'GET' : guarded[0]!.method} ${candidatePath(guarded[0]!.pattern.segments, tastes[0]!)}`,
          guards,
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
  return index.match('GET', candidatePath(other.pattern.segments, tastes[0]!)) !== undefined
}

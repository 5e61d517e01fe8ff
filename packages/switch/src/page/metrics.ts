// The numbers of `status()` as Prometheus text.
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { findInstalled, namePlaces } from '../../../../src/ground/installed.js'
import type { MigrationStatus, RouteStatus } from '../states/schema.js'

/** What is used of prom-client. */
interface PromClient {
  readonly Registry: new () => { metrics(): Promise<string> }
  readonly Gauge: new (options: {
    name: string
    help: string
    labelNames?: readonly string[]
    registers: readonly object[]
  }) => { set(labels: Record<string, string>, value: number): void }
}

function promClient(): PromClient {
  const [found] = findInstalled('prom-client', 'metrics')
  if (found !== undefined) return found.load('prom-client') as PromClient
  throw new RouteControllersError(
    'ERR_PROM_CLIENT_MISSING',
    `metrics needs the package prom-client, which is not installed at ${namePlaces('metrics')}: npm install prom-client`,
  )
}

/** Throws ERR_PROM_CLIENT_MISSING. */
export function prometheusText(status: MigrationStatus): Promise<string> {
  const { Registry, Gauge } = promClient()
  const registry = new Registry()
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[] = [],
  ): InstanceType<PromClient['Gauge']> =>
    new Gauge({ name: `routecontrollers_migration_${name}`, help, labelNames, registers: [registry] })
  const ofRoutes = (name: string, help: string, value: (route: RouteStatus) => number): void => {
    const made = gauge(name, help, ['route'])
    for (const one of status.routes) made.set({ route: one.route }, value(one))
  }
  const ofSides = (
    name: string,
    help: string,
    value: (side: RouteStatus['legacy']) => number | undefined,
  ): void => {
    const made = gauge(name, help, ['route', 'side'])
    for (const one of status.routes) {
      for (const side of ['legacy', 'native'] as const) {
        const number = value(one[side])
        if (number !== undefined) made.set({ route: one.route, side }, number)
      }
    }
  }
  const states = gauge('state', '1 for the state that a route is in', ['route', 'state'])
  for (const { route, kind } of status.routes) states.set({ route, state: kind }, 1)
  ofRoutes('percent', 'Share of clients that the Controller answers', ({ percent }) => percent)
  ofSides('requests', 'Requests since the process was started', ({ requests }) => requests)
  const asked = gauge('last_asked_seconds', 'Time of the last request, in seconds since 1970', ['route'])
  for (const { route, lastAskedAt } of status.routes)
    if (lastAskedAt !== undefined) asked.set({ route }, Date.parse(lastAskedAt) / 1000)
  ofSides('watched', 'Requests that were looked at', ({ watched }) => watched)
  ofSides('failures', 'Answers with 5xx among the requests that were looked at', ({ failures }) => failures)
  ofSides('p50_milliseconds', 'Time of the last answers', ({ p50Ms }) => p50Ms)
  ofSides('p99_milliseconds', 'Time of the last answers', ({ p99Ms }) => p99Ms)
  ofRoutes('compared', 'Answers that were compared', ({ shadow }) => shadow.compared)
  ofRoutes('different', 'Compared answers that differ', ({ shadow }) => shadow.different)
  ofRoutes('dropped', 'Answers that were not compared', ({ shadow }) => shadow.dropped)
  gauge('native_share', 'Share of requests that a Controller has got').set({}, status.nativeShare)
  gauge('store_away', '1 while the store is away').set({}, Number(status.store.isAway))
  gauge('store_pending', 'Changes that the store does not have yet').set({}, status.store.pending)
  return registry.metrics()
}

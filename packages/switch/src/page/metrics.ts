// The numbers of a migration as Prometheus text. Counters are those of this process: Prometheus adds them up.
import { RouteControllersError } from '../../../../src/ground/errors.js'
import { findInstalled, namePlaces } from '../../../../src/ground/installed.js'
import { buckets, type Histogram } from '../states/outcomes.js'
import type { MigrationStatus, SideStatus } from '../states/schema.js'

/** One metric, as a registry of prom-client asks it for its values. */
interface Metric {
  readonly name: string
  readonly get: () => Promise<Described>
}

interface Described {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Value[]
}

interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

/** What is used of prom-client. */
interface PromClient {
  readonly Registry: new () => { metrics(): Promise<string>; registerMetric(metric: Metric): void }
}

/** How long answers of a route have taken. */
export interface Durations {
  readonly route: string
  readonly legacy: Histogram
  readonly native: Histogram
  /** Of copies, whichever side has answered them. */
  readonly shadow: Histogram
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
export function prometheusText(status: MigrationStatus, durations: readonly Durations[]): Promise<string> {
  const registry = new (promClient().Registry)()
  for (const one of metricsOf(status, durations)) {
    const name = `routecontrollers_migration_${one.name}`
    registry.registerMetric({ name, get: () => Promise.resolve({ ...one, name }) })
  }
  return registry.metrics()
}

function metricsOf(status: MigrationStatus, durations: readonly Durations[]): Described[] {
  const { routes, shadow, store, fleet } = status
  const sides = ['legacy', 'native'] as const
  const ofSides = (valueOf: (side: SideStatus) => number): Value[] =>
    routes.flatMap((one) =>
      sides.map((side) => ({ labels: { route: one.route, side }, value: valueOf(one[side]) })),
    )
  const ofRoutes = (valueOf: (route: (typeof routes)[number]) => number): Value[] =>
    routes.map((one) => ({ labels: { route: one.route }, value: valueOf(one) }))
  const single = (value: number): Value[] => [{ labels: {}, value }]
  return [
    counter(
      'requests_total',
      'Requests of clients',
      ofSides(({ requests }) => requests),
    ),
    counter(
      'answers_total',
      'Answers that were looked at: all under canary and shadow, else one of eight',
      routes.flatMap((one) =>
        sides.flatMap((side) => {
          const { watched, failures, aborted } = one[side]
          const outcomes = { ok: watched - failures - aborted, failed: failures, aborted }
          return Object.entries(outcomes).map(([outcome, value]) => ({
            labels: { route: one.route, side, outcome },
            value,
          }))
        }),
      ),
    ),
    {
      name: 'answer_duration_seconds',
      help: 'How long answers took that were looked at; of the side shadow: those to copies',
      type: 'histogram',
      values: durations.flatMap((one) =>
        (['legacy', 'native', 'shadow'] as const).flatMap((side) => histogram(one.route, side, one[side])),
      ),
    },
    counter(
      'comparisons_total',
      'Answers to copies that were compared',
      routes.flatMap(({ route, shadow: { compared, different } }) => [
        { labels: { route, outcome: 'same' }, value: compared - different },
        { labels: { route, outcome: 'different' }, value: different },
      ]),
    ),
    counter(
      'dropped_total',
      'Answers that were not compared',
      Object.entries(shadow.dropped).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
    counter(
      'rollbacks_total',
      'How often a route went back by itself',
      ofRoutes(({ rollbacks }) => rollbacks),
    ),
    gauge(
      'state',
      '1 for the state that a route is in',
      routes.map(({ route, kind }) => ({ labels: { route, state: kind }, value: 1 })),
    ),
    gauge(
      'native_ratio',
      'Share of clients that the Controller answers',
      ofRoutes(({ percent }) => percent / 100),
    ),
    gauge(
      'open_differences',
      'Differences that are not accepted',
      ofRoutes(({ differences }) => differences.filter(({ accepted }) => accepted === undefined).length),
    ),
    gauge(
      'last_asked_timestamp_seconds',
      'Time of the last request, in seconds since 1970',
      routes.flatMap(({ route, lastAskedAt }) =>
        lastAskedAt === undefined ? [] : [{ labels: { route }, value: Date.parse(lastAskedAt) / 1000 }],
      ),
    ),
    gauge('store_up', '0 while the store is away', single(Number(!store.isAway))),
    gauge('store_pending_changes', 'Changes that the store does not have yet', single(store.pending)),
    gauge('state_version', 'The version of the states that were read last', single(store.version ?? 0)),
    ...(fleet === undefined
      ? []
      : [
          gauge('leader', '1 for the replica that leads plans up', single(Number(fleet.isLeader))),
          gauge('replicas', 'Replicas that have reported in the last 15 seconds', single(fleet.replicas)),
          gauge(
            'replicas_in_other_states',
            'Replicas whose routes are in other states than here',
            single(fleet.members.filter(({ disagrees }) => disagrees).length),
          ),
        ]),
  ]
}

function counter(name: string, help: string, values: readonly Value[]): Described {
  return { name, help, type: 'counter', values }
}

function gauge(name: string, help: string, values: readonly Value[]): Described {
  return { name, help, type: 'gauge', values }
}

function histogram(route: string, side: string, { counts, count, seconds }: Histogram): Value[] {
  const name = 'routecontrollers_migration_answer_duration_seconds'
  const labels = { route, side }
  let sum = 0
  const found = buckets.map((le, at) => ({
    metricName: `${name}_bucket`,
    labels: { le, ...labels },
    value: (sum += counts[at]!),
  }))
  return [
    ...found,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

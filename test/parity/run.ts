import {
  comparable,
  comparableToWeb,
  isForWeb,
  sendInMemory,
  sendOverSocket,
  sendToWeb,
  toBytes,
} from './exchange.js'
import { explained, type Pair } from './differences.js'
import { Random } from './random.js'
import { makeRequest } from './requests.js'
import { serveLegacy, serveOurs, type Way, ways } from './servers.js'
import { makeTable, type Version } from './tables.js'

export interface Result {
  /** Pairs by way of serving. */
  readonly pairs: Record<Way, number>
  /** Pairs that differ for a reason that is meant, by that reason. */
  readonly explained: Map<string, number>
  readonly unexplained: Pair[]
  /** How many answers had each status, to see that the routes are met. */
  readonly statuses: Map<string, number>
}

const requestsPerTable = 40

/** Compares `count` requests to random tables of routes in Express and under its profile. */
export async function runParity(
  version: Version,
  count: number,
  seed: number,
  onProgress: (done: number) => void = () => {},
): Promise<Result> {
  const result: Result = {
    pairs: { standalone: 0, 'in front': 0, inside: 0, web: 0 },
    explained: new Map(),
    unexplained: [],
    statuses: new Map(),
  }
  const { stackTraceLimit } = Error
  const { error } = console
  // The stack of an error is on its page; without the places in files, which differ, it is the same on both sides.
  Error.stackTraceLimit = 0
  console.error = () => {}
  try {
    for (let done = 0, table = 0; done < count; table++) {
      done += await compareTable(version, seed + table, Math.min(requestsPerTable, count - done), result)
      onProgress(done)
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    console.error = error
  }
  return result
}

async function compareTable(version: Version, seed: number, count: number, result: Result): Promise<number> {
  const random = new Random(seed)
  const table = makeTable(random, version)
  const way = random.pick(ways)
  const mount = way === 'inside' ? random.pick(['/', '/mnt']) : '/'
  const [legacy, ours] = await Promise.all([serveLegacy(table, way, mount), serveOurs(table, way, mount)])
  try {
    for (let at = 0; at < count; at++) {
      const made = makeRequest(random, table)
      const request = mount === '/' ? made : { ...made, target: `${mount}${made.target}` }
      const bytes = toBytes(request)
      const isWeb = way === 'web' && isForWeb(request)
      const overSocket = !isWeb && random.chance(0.05)
      const send = (side: typeof legacy): Promise<string> =>
        overSocket
          ? sendOverSocket((side.server.address() as { port: number }).port, bytes)
          : sendInMemory(side.server, bytes, isWeb ? undefined : '127.0.0.1')
      legacy.trace.length = 0
      ours.trace.length = 0
      const theirs = await send(legacy)
      const own = isWeb
        ? await sendToWeb(ours.routeControllers!.getCallback(), request)
        : comparable(await send(ours))
      const pair: Pair = {
        table,
        way: isWeb || way !== 'web' ? way : 'standalone',
        mount,
        request,
        legacy: isWeb ? comparableToWeb(theirs) : comparable(theirs),
        ours: own,
        legacyTrace: [...legacy.trace],
        oursTrace: [...ours.trace],
      }
      record(pair, result)
    }
  } finally {
    await Promise.all([legacy.close(), ours.close()])
  }
  return count
}

function record(pair: Pair, result: Result): void {
  result.pairs[pair.way]++
  const status = /\d{3}/.exec(pair.legacy)?.[0] ?? 'none'
  result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
  if (pair.legacy === pair.ours && pair.legacyTrace.join() === pair.oursTrace.join()) return
  const reason = explained.find(({ applies }) => applies(pair))?.reason
  if (reason === undefined) result.unexplained.push(pair)
  else result.explained.set(reason, (result.explained.get(reason) ?? 0) + 1)
}

/** A pair that differs, to be read. */
export function describePair({
  table,
  way,
  mount,
  request,
  legacy,
  ours,
  legacyTrace,
  oursTrace,
}: Pair): string {
  return [
    `Express ${table.version}, ${way}, at ${mount}: ${request.method} ${request.target}`,
    `  headers ${JSON.stringify(request.headers)} body ${JSON.stringify(request.body)}`,
    `  settings ${JSON.stringify({ ...table.settings, strict: table.strict, caseSensitive: table.caseSensitive, json: table.parsesJson, params: table.params })}`,
    `  hooks ${JSON.stringify(table.hooks)} errorHooks ${JSON.stringify(table.errorHooks)}`,
    ...table.routes.map(
      (route, at) => `  route${at} ${route.method} ${String(route.path)} ${route.acts.join(', ')}`,
    ),
    `  Express: ${legacyTrace.join(' ')}\n${indent(legacy)}`,
    `  ours: ${oursTrace.join(' ')}\n${indent(ours)}`,
  ].join('\n')
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ').replace(/\r/g, '')
}

// The command `doctor`: what stands in the way of a migration, before it begins.
import { failureOf, type LookContext, shownEntry } from '../entry/command-context.js'
import { appOutput } from '../terminal/app-output.js'
import { tell } from '../terminal/context.js'
import { findingsOfPackage, nodeFindings } from './package.js'
import type { DoctorFound, DoctorReport, Obstacles, RouteFinding } from '../documents/doctor.js'
import type { CommandOptions } from '../entry/options.js'
import type { Report } from '../documents/child.js'
import { EntryError } from '../entry/run-entry.js'
import type { Inventory } from '../documents/inventory.js'
import { toldFound } from '../report/doctor-findings.js'
import { isFree } from '../report/review.js'
import { tellReport } from '../report/tell-report.js'
import { count } from '../terminal/text.js'

/** Looks at a project and its running entry; gives the exit code. */
export async function examineEntry(options: CommandOptions, context: LookContext): Promise<number> {
  const { cwd, entry } = options
  const { report: ofRun, failure } = await run(options, context)
  if (failure !== undefined) tell(context, failure)
  const { obstacles, inventory } = ofRun ?? {}
  const report: DoctorReport = {
    version: 1,
    entry: shownEntry(options),
    failure,
    findings: [
      ...findingsOfPackage(cwd, entry),
      ...(obstacles === undefined ? [] : findingsOfRun(obstacles)),
      ...(inventory === undefined ? [] : [...hiddenIn(inventory), ...routesIn(inventory)]),
    ].map(toldFound),
  }
  const has = count(report.findings.length, 'finding')
  tellReport('doctor', report, { ...options, name: shownEntry(options), has }, context)
  if (failure !== undefined) return 3
  return isFree(report.findings) ? 0 : 1
}

/** Runs the entry; also where that cannot even be tried, its files say something. */
async function run(
  options: CommandOptions,
  context: LookContext,
): Promise<{ readonly report: Report | undefined; readonly failure: string | undefined }> {
  try {
    const outcome = await context.look({
      ...options,
      question: [],
      seeksObstacles: true,
      output: appOutput(context),
    })
    return { report: outcome.report, failure: failureOf(outcome, shownEntry(options), options) }
  } catch (error) {
    if (!(error instanceof EntryError)) throw error
    return { report: undefined, failure: `${error.message}; so only what its files say is shown.` }
  }
}

function findingsOfRun({ node, wrapped, patched, late, upgrades, stores }: Obstacles): DoctorFound[] {
  return [
    ...nodeFindings(node),
    ...wrapped.map(({ by, layers, at }): DoctorFound => ({
      code: 'wrapped',
      by,
      layers,
      at: placesOf([{ at }]),
    })),
    ...(patched.length > 0
      ? [{ code: 'patched', members: patched.map(({ name }) => name), at: placesOf(patched) } as const]
      : []),
    ...(late.length > 0 ? [{ code: 'late', registrations: late.length, at: placesOf(late) } as const] : []),
    ...(upgrades.length > 0
      ? [
          {
            code: 'upgrade',
            takenBy: [...new Set(upgrades.map(({ by }) => by ?? null))],
            at: placesOf(upgrades),
          } as const,
        ]
      : []),
    ...stores
      .filter((store) => store === 'MemoryStore')
      .map((store): DoctorFound => ({ code: 'session', store, at: [] })),
  ]
}

function hiddenIn({ findings }: Inventory): DoctorFound[] {
  return findings.flatMap((one): DoctorFound[] => {
    if (one.code !== 'opaque') return []
    const { path, leadsTo } = one
    return [{ code: 'opaque', path, leadsTo, at: placesOf([one]) }]
  })
}

const ofRoutes: readonly RouteFinding[] = [
  'not-a-guard',
  'native-first',
  'unreachable',
  'unknown-method',
  'shadowed',
]

/** One for each code: a migration of such a route ends nowhere, or without a guard. */
function routesIn({ findings }: Inventory): DoctorFound[] {
  return ofRoutes.flatMap((found): DoctorFound[] => {
    const some = findings.filter(({ code }) => code === found)
    const names = some.map(({ method, path }) => `${method} ${path}`)
    return some.length === 0 ? [] : [{ code: 'routes', found, names, at: placesOf(some) }]
  })
}

/** All places of some findings, each once. */
function placesOf(found: readonly { readonly at: string | undefined }[]): string[] {
  return [...new Set(found.flatMap(({ at }) => at ?? []))]
}

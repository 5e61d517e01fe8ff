// The command `doctor`: what stands in the way of a migration, before it begins.
import { failureOf, shownEntry } from '../entry/command-context.js'
import { type CommandContext, hasColours, tell } from '../terminal/context.js'
import { findingsOfPackage, nodeFindings } from './package.js'
import type { DoctorFinding, DoctorReport, Obstacles } from '../documents/doctor.js'
import type { CommandOptions } from '../entry/options.js'
import { runEntry } from '../entry/run-entry.js'
import type { Inventory } from '../documents/inventory.js'
import { count, stylesFor, type TextOptions, wrap } from '../terminal/text.js'
import { printable } from '../../../../src/ground/printable.js'

/** Looks at a project and its running entry; gives the exit code. */
export async function examineEntry(options: CommandOptions, context: CommandContext): Promise<number> {
  const { cwd, entry, json } = options
  const outcome = await runEntry({
    ...options,
    question: [],
    seeksObstacles: true,
    preload: context.preload,
    output: context.stderr,
  })
  const failure = failureOf(outcome, shownEntry(options), options)
  if (failure !== undefined) tell(context, failure)
  const { obstacles, inventory } = outcome.report ?? {}
  const report: DoctorReport = {
    version: 1,
    entry: shownEntry(options),
    failure,
    findings: [
      ...findingsOfPackage(cwd, entry),
      ...(obstacles === undefined ? [] : findingsOfRun(obstacles)),
      ...(inventory === undefined ? [] : hiddenIn(inventory)),
    ],
  }
  context.stdout.write(
    json ? `${JSON.stringify(report, null, 2)}\n` : doctorText(report, { colours: hasColours(context) }),
  )
  if (failure !== undefined) return 3
  return report.findings.length > 0 ? 1 : 0
}

function findingsOfRun({ node, wrapped, patched, late, upgrades, stores }: Obstacles): DoctorFinding[] {
  return [
    ...nodeFindings(node),
    ...wrapped.map(({ by, layers, at }): DoctorFinding => ({
      kind: 'wrapped',
      message: `${by} has wrapped ${count(layers, 'layer')} of Express`,
      at: at === undefined ? [] : [at],
      remedy: remedyForWrapper(by),
    })),
    ...oneOf(patched, {
      kind: 'patched',
      message: `${patched.map(({ name }) => name).join(', ')}: put on Express itself`,
      remedy:
        'handlers that use them move with fromExpress and profile: fromApp(app), which has them; req and res of native callbacks do not',
    }),
    ...oneOf(late, {
      kind: 'late',
      message: `${count(late.length, 'registration')} after the server listens`,
      remedy:
        'register before listen. What stays: toControllers(app) reads the app again when it has changed (onStale); --settle-ms says how long inspect waits for it',
    }),
    ...oneOf(upgrades, {
      kind: 'upgrade',
      message: `upgrades (WebSockets) on the server of the app, taken by ${[...new Set(upgrades.map(({ by }) => by ?? 'the project'))].join(' and ')}`,
      remedy:
        'inside the app nothing changes. In front of it keep a server of your own, and attach them there: createServer(toListener(routeControllers.getCallback(), { fallback: app }))',
    }),
    ...stores
      .filter((store) => store === 'MemoryStore')
      .map((): DoctorFinding => ({
        kind: 'session',
        message: 'express-session keeps sessions in the memory of one process (MemoryStore)',
        at: [],
        remedy:
          'give it a store that processes share, before parity and workers: the app as it was and as it is are two processes. Within one process, one session(…) for what has moved and what has not',
      })),
  ]
}

function remedyForWrapper(by: string): string {
  if (by === 'express-async-errors') {
    return 'leave it until all has moved: toControllers(app) and profile: fromApp(app) run layers through their wrapper. Controllers need it not: a rejection is an error in every way of serving'
  }
  return 'toControllers(app) and profile: fromApp(app) run layers through their wrapper; what a wrapper hides stands in left, and only the app serves it'
}

function hiddenIn({ findings }: Inventory): DoctorFinding[] {
  return findings
    .filter(({ kind }) => kind === 'opaque')
    .map(({ path, at, message }) => ({
      kind: 'opaque',
      message: `${path} ${message}`,
      at: at === undefined ? [] : [at],
      remedy: 'leave it to the app, behind what has moved (fallback: app); or take the wrapper away',
    }))
}

/** One finding of all places where there is something; none where there is nothing. */
function oneOf(
  found: readonly { readonly at: string | undefined }[],
  finding: Omit<DoctorFinding, 'at'>,
): DoctorFinding[] {
  if (found.length === 0) return []
  return [{ ...finding, at: [...new Set(found.flatMap(({ at }) => at ?? []))] }]
}

// `--json` has all.
const mostPlaces = 3
const indent = 12

/** What was found, for people. */
function doctorText(found: DoctorReport, options: TextOptions): string {
  const { entry, findings, failure } = printable(found)
  const { bold, dim, green, yellow } = stylesFor(options)
  const lines: string[] = []
  for (const { kind, message, at, remedy } of findings) {
    const [first, ...rest] = wrap(message, indent)
    lines.push(yellow(kind.padEnd(indent)) + first!.trimStart(), ...rest)
    const more = at.length > mostPlaces ? [`and ${at.length - mostPlaces} more`] : []
    const places = [...at.slice(0, mostPlaces), ...more]
    lines.push(...places.map((place) => dim(' '.repeat(indent) + place)))
    lines.push(...wrap(`→ ${remedy}`, indent), '')
  }
  const looked = failure === undefined ? entry : 'what the files of the project say'
  lines.push(
    findings.length === 0
      ? green(`✓ ${looked}: nothing stands in the way`)
      : bold(`${looked}: ${count(findings.length, 'finding')}`),
  )
  return `${lines.join('\n')}\n`
}

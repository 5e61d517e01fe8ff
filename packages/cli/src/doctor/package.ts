// What the files of a project say of what stands in the way: its package.json, its installed packages, its configuration of Jest.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, parse } from 'node:path'
import { configOf } from '../code/compiler.js'
import { expressVersions } from 'routecontrollers/express-model'
import type { DoctorFound } from '../documents/doctor.js'

/** What instruments Express or `node:http`, by the names of their packages. */
const agents =
  /^(?:dd-trace|newrelic|elastic-apm-node|applicationinsights|@sentry\/(?:node|profiling-node|nestjs)|@appsignal\/nodejs|@instana\/collector|@dynatrace\/oneagent|@splunk\/otel|@opentelemetry\/(?:sdk-node|auto-instrumentations-node|instrumentation-express|instrumentation-http|instrumentation-router)|@google-cloud\/trace-agent|aws-xray-sdk(?:-express)?|express-winston-xray)$/

const leastNode = '20.19.0'
const leastTypeScript = '5.4.0'
/** Its globals are those of the declarations: Request, FormData, ReadableStream. */
const leastNodeTypes = '20.19.0'
const leastJest = '28.0.0'

interface Manifest {
  readonly version?: string
  readonly engines?: { readonly node?: string }
  readonly jest?: { readonly testEnvironment?: string; readonly projects?: unknown }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** What stands in the way of a project, as far as its files say. `entry` is where its packages are looked for first. */
export function findingsOfPackage(cwd: string, entry: string): DoctorFound[] {
  const manifest = readManifest(join(cwd, 'package.json')) ?? {}
  const declared = { ...manifest.devDependencies, ...manifest.dependencies }
  const versionOf = (name: string): string | undefined =>
    installedVersion(name, [entry, join(cwd, 'package.json')])
  return [
    ...expressFindings(versionOf('express')),
    ...engineFindings(manifest.engines?.node),
    ...typeScriptFindings(cwd, 'typescript' in declared ? versionOf('typescript') : undefined, versionOf),
    ...jestFindings(cwd, manifest, 'jest' in declared ? versionOf('jest') : undefined),
    ...agentFindings(Object.keys(declared)),
  ]
}

function expressFindings(version: string | undefined): DoctorFound[] {
  if (version === undefined) return []
  const known = Object.values(expressVersions).map(({ since }) => since)
  const isTooOld = isBelow(version, known[0]!)
  if (!isTooOld && known.some((since) => parseInt(since) === parseInt(version))) return []
  return [{ code: 'express', version, isTooOld, at: [] }]
}

function engineFindings(range: string | undefined): DoctorFound[] {
  const [least] = /\d+(?:\.\d+){0,2}/.exec(range ?? '') ?? []
  // `20` stands for the newest of 20.
  const newest = least?.split('.').concat('99', '99').slice(0, 3).join('.')
  if (newest === undefined || !isBelow(newest, leastNode)) return []
  return [{ code: 'node-engines', range: range!, least: leastNode, at: ['package.json'] }]
}

/** Node itself, as it has run the entry. */
export function nodeFindings(version: string): DoctorFound[] {
  if (!isBelow(version.replace(/^v/, ''), leastNode)) return []
  return [{ code: 'node-version', version, least: leastNode, at: [] }]
}

function typeScriptFindings(
  cwd: string,
  version: string | undefined,
  versionOf: (name: string) => string | undefined,
): DoctorFound[] {
  if (version === undefined) return []
  const skipsLibCheck = skipsLibCheckIn(cwd)
  const findings: DoctorFound[] = []
  if (isBelow(version, leastTypeScript)) {
    findings.push({ code: 'typescript', version, skipsLibCheck: skipsLibCheck ?? false, at: [] })
  }
  const types = versionOf('@types/node')
  if (skipsLibCheck === false && (types === undefined || isBelow(types, leastNodeTypes))) {
    findings.push({ code: 'types-node', version: types ?? null, least: leastNodeTypes, at: [] })
  }
  return findings
}

/** Whether the compiler leaves declarations of packages unchecked; undefined without a tsconfig.json. */
function skipsLibCheckIn(cwd: string): boolean | undefined {
  const project = join(cwd, 'tsconfig.json')
  if (!existsSync(project)) return undefined
  const isWritten = /"skipLibCheck"\s*:\s*true/.test(readFileSync(project, 'utf8'))
  return configOf(project)?.compilerOptions?.skipLibCheck ?? isWritten
}

function jestFindings(cwd: string, { jest }: Manifest, version: string | undefined): DoctorFound[] {
  const findings: DoctorFound[] = []
  if (version !== undefined && isBelow(version, leastJest)) {
    findings.push({ code: 'jest-version', version, at: [] })
  }
  const at = jsdomIn(cwd, jest)
  if (at.length > 0) findings.push({ code: 'jest-jsdom', at })
  return findings
}

function jsdomIn(cwd: string, inPackage: unknown): string[] {
  const isJsdom = (text: string): boolean =>
    /testEnvironment["']?\s*:\s*["'](?:jest-environment-)?jsdom/.test(text)
  if (isJsdom(JSON.stringify(inPackage ?? ''))) return ['package.json']
  return readdirSync(cwd)
    .filter((name) => /^jest\.config\.(?:json|[cm]?[jt]s)$/.test(name))
    .filter((name) => isJsdom(readFileSync(join(cwd, name), 'utf8')))
}

function agentFindings(names: readonly string[]): DoctorFound[] {
  const found = names.filter((name) => agents.test(name)).sort()
  if (found.length === 0) return []
  return [{ code: 'agent', packages: found, at: ['package.json'] }]
}

/** The version of a package as a file of the project finds it; undefined where it finds none. */
function installedVersion(name: string, from: readonly string[]): string | undefined {
  for (const file of from) {
    let folder = dirname(file)
    try {
      folder = dirname(createRequire(file).resolve(name))
    } catch {
      // Not by what it exports, or not at all.
      folder = join(dirname(file), 'node_modules', name)
    }
    for (; folder !== parse(folder).root; folder = dirname(folder)) {
      const manifest = readManifest(join(folder, 'package.json'))
      if (manifest?.version !== undefined) return manifest.version
      if (folder.endsWith('node_modules')) break
    }
  }
  return undefined
}

function readManifest(file: string): Manifest | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

/** Compares versions by their numbers. */
function isBelow(version: string, least: string): boolean {
  const numbers = (text: string): number[] => text.split('-', 1)[0]!.split('.').map(Number)
  const [a, b] = [numbers(version), numbers(least)]
  const at = b.findIndex((number, place) => (a[place] ?? 0) !== number)
  return at >= 0 && (a[at] ?? 0) < b[at]!
}

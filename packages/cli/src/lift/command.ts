// The command `lift`: makes lists of Controllers of routers whose routes are all native.
import { relative } from 'node:path'
import MagicString from 'magic-string'
import { Broken, type ChangedFile } from '../edit/changed-file.js'
import { replace } from '../edit/code.js'
import { type EditPlan, runEdit } from '../edit/command.js'
import { bindingsIn, keyOf, writeImports } from '../edit/imports.js'
import type { Told } from '../edit/look.js'
import { projectOf } from '../edit/project.js'
import { brokenBy, nameOf, readSource, readText, type SourceFile } from '../edit/source-file.js'
import { isNode, walk } from '../syntax/walk.js'
import { namesIn, withoutUnused } from '../edit/unused.js'
import type { LookContext } from '../entry/command-context.js'
import type { CommandOptions } from '../entry/options.js'
import type { RouteRow } from '../documents/inventory.js'
import type { RegisteredRouter } from '../documents/registered.js'
import { type LiftResult, liftText } from './lift-text.js'
import { importsExpress, needsExpress, reasonOfApp } from './needs-express.js'
import { type Lifted, type LiftPlan, planLift } from './plan.js'
import { lineAt } from './references.js'
import { type Twin, typesOfTwin, unwrap, usedBesides } from './twins.js'
import { documentIn, sourceFilesOf, type UsingFiles } from './users.js'
import type { Why } from './why.js'
import { writeList } from './write-list.js'

/** Runs `lift`; gives the exit code. */
export function liftEntry(options: CommandOptions, context: LookContext): Promise<number> {
  return runEdit(options, context, {
    plan: (before, broken) => plan(options, before, broken),
    text: liftText,
    isRun: (before, now) => controllersIn(now) > controllersIn(before),
  })
}

function controllersIn({ inventory }: Told): number {
  return inventory.routes.filter(({ own }) => own.by === 'Controller' && own.stage === undefined).length
}

function plan(
  { cwd, lift }: CommandOptions,
  { inventory, registered }: Told,
  broken: Broken,
): EditPlan<LiftResult> {
  const known = sourceFilesOf(projectOf(cwd))
  const { planned, files, read } = attemptIn({ inventory, registered }, cwd, known, {
    chosen: lift.files,
    broken,
  })
  const shown = (file: string): string => relative(cwd, file)
  const { lifted, left } = planned
  const rows = inventory.routes.map(({ kind, method, path, own }, number) => {
    const why = left.get(number)
    if (why === undefined) return { kind, method, path, at: own.at }
    const at = why.at === undefined ? own.at : `${shown(why.at.file)}:${why.at.line}`
    return { kind, method, path, at, left: why.reason }
  })
  const lists = lifted.map(({ file: { source, name, routes }, mount }) => ({
    file: shown(source.file),
    name,
    routes: routes.length,
    mount: `${shown(mount.source.file)}:${lineAt(mount.source, mount.call.start)}`,
  }))
  const after = new Map(files.map(({ file, written }) => [file, readText(file, written)]))
  // Files of other programs are none of this app.
  const own = new Set(inventory.routes.flatMap((row) => /^(.*):\d+$/.exec(row.own.at ?? '')?.[1] ?? []))
  const importing = known.filter((file) => {
    if (!own.has(shown(file))) return false
    const source = after.get(file) ?? read(file)
    return typeof source !== 'string' && importsExpress(source)
  })
  const express = needsExpress(registered, inventory, lifted, importing, shown)
  const changes = new Set(lifted.map(({ router }) => passedOn[registered.routers[router]!.version]))
  return {
    result: {
      version: 1,
      lists,
      routes: rows,
      files: files.map(({ file }) => shown(file)),
      express,
      changes: changes.size === 0 ? undefined : [...changes].join('; '),
      appStays: reasonOfApp(inventory, registered, planned),
    },
    files,
  }
}

/** The routes that `lift` takes, as far as their files say it. */
export function rowsToLift(
  { inventory, registered }: Pick<Told, 'inventory' | 'registered'>,
  cwd: string,
): ReadonlySet<RouteRow> {
  const asked = { chosen: [], broken: new Broken() }
  const known = sourceFilesOf(projectOf(cwd))
  const { planned } = attemptIn({ inventory, registered }, cwd, known, asked)
  return new Set(inventory.routes.filter((_row, number) => !planned.left.has(number)))
}

interface Attempt {
  readonly planned: LiftPlan
  readonly files: readonly ChangedFile[]
  readonly read: (file: string) => SourceFile | string
}

/** Plans until all of what would be written can be read. */
function attemptIn(
  { inventory, registered }: Pick<Told, 'inventory' | 'registered'>,
  cwd: string,
  known: readonly string[],
  { chosen, broken }: { readonly chosen: readonly string[]; readonly broken: Broken },
): Attempt {
  const sources = new Map<string, SourceFile | string>()
  const read = (file: string): SourceFile | string => {
    const source = sources.get(file) ?? readSource(file)
    sources.set(file, source)
    return source
  }
  const kept = new Map<number, Why>()
  const document = documentIn(known)
  const asked = { project: projectOf(cwd), root: cwd, files: known, read, chosen, broken, kept, document }
  for (;;) {
    const planned = planLift(inventory, registered, asked)
    const before = kept.size
    keepUsed(planned.lifted, kept, asked)
    const files = kept.size > before ? [] : writeFiles(planned.lifted, kept)
    if (kept.size === before) return { planned, files, read }
  }
}

/** By the version of Express, what a list passes on: what a guard of the path cannot be sure to have seen. */
const passedOn: Readonly<Record<RegisteredRouter['version'], string>> = {
  4: 'a target with a fragment, or with two slashes behind the mount, as /mount//path, goes on behind the list',
  5: 'a target with a fragment, as /path#part, goes on behind the list',
}

/** Keeps the routers whose native callbacks stand elsewhere and are used there by more than these. */
function keepUsed(lifted: readonly Lifted[], kept: Map<number, Why>, asked: UsingFiles): void {
  const twins = lifted.flatMap(twinsOf)
  const references = new Set(twins.map(({ reference }) => reference))
  for (const one of lifted) {
    const [why] = twinsOf(one).flatMap((twin) => usedBesides(twin, references, asked) ?? [])
    if (why !== undefined) kept.set(one.router, why)
  }
}

function twinsOf({ file }: Lifted): readonly Twin[] {
  return file.routes.flatMap(({ twin }) => twin ?? [])
}

/** The texts of the files of lists, and of those of their mounts and of their callbacks. Where one could not be read, its routers are kept from then on. */
function writeFiles(lifted: readonly Lifted[], kept: Map<number, Why>): readonly ChangedFile[] {
  const isTwinIn = (source: SourceFile, one: Lifted): boolean =>
    twinsOf(one).some(({ exported }) => exported.source === source)
  const sources = new Set(
    lifted.flatMap((one) => [
      one.file.source,
      one.mount.source,
      ...twinsOf(one).map(({ exported }) => exported.source),
    ]),
  )
  return [...sources].map((source) => {
    const lists = lifted.filter(({ file }) => file.source === source)
    const mounts = lifted.filter(({ mount }) => mount.source === source)
    const naming = lifted.filter((one) => isTwinIn(source, one))
    const written = writeFile(source, lists, mounts, naming)
    const wrong = brokenBy(source, written)
    for (const { router } of wrong === undefined ? [] : [...lists, ...mounts, ...naming])
      kept.set(router, { reason: `what would be written cannot be read: ${wrong!}` })
    const isCompiled =
      [...lists, ...naming].some((one) => one.isCompiled) || mounts.some(({ mount }) => mount.isCompiled)
    return { file: source.file, text: source.text, written, isCompiled }
  })
}

function writeFile(
  source: SourceFile,
  lists: readonly Lifted[],
  mounts: readonly Lifted[],
  naming: readonly Lifted[],
): string {
  const code = new MagicString(source.text)
  const twins = new Map(
    naming
      .flatMap(twinsOf)
      .filter(({ exported }) => exported.source === source)
      .map((twin) => [twin.native, twin]),
  )
  const before = Math.min(
    ...lists.map(({ file }) => file.declaration.start),
    ...mounts.map(({ mount }) => mount.call.start),
    ...[...twins.keys()].map(({ start }) => start),
  )
  // `express.Router` where the file has the whole of it.
  const wholes = new Map(
    [...bindingsIn(source)].flatMap(([name, { from, imported }]) =>
      /^(?:default|\*)$/.test(imported) ? [[from, name] as const] : [],
    ),
  )
  const bare = mounts.filter(({ file }) => file.uses.length === 0)
  const guarded = lists.filter(({ file }) => file.uses.length > 0)
  const isServed = bare.length > 0 || guarded.length > 0
  const packages = new Set(bare.map(({ file }) => file.express).filter((one) => !wholes.has(one)))
  const names = writeImports(
    code,
    source,
    {
      ...Object.fromEntries([...packages].map((one) => [one, ['Router']])),
      routecontrollers: [
        ...(lists.length > 0 ? ['Controller'] : []),
        ...(lists.some(({ file }) => file.routes.some(({ guards }) => guards.length > 0))
          ? ['fromConnect']
          : []),
        ...(isServed ? ['RouteControllers'] : []),
        ...new Set([...twins.values()].flatMap(typesOfTwin)),
      ],
      ...(isServed && { 'routecontrollers/express': ['fromRouter'] }),
    },
    before,
  )
  const makerOf = (express: string): string => {
    const whole = wholes.get(express)
    return whole === undefined ? names[keyOf(express, 'Router')]! : `${whole}.Router`
  }
  const listNames = {
    controller: names['Controller']!,
    fromConnect: names['fromConnect'],
    routeControllers: names['RouteControllers'],
    fromRouter: names['fromRouter'],
  }
  for (const twin of twins.values()) unwrap(code, twin, names)
  for (const { file } of lists) {
    for (const { start, end, text } of writeList(file, listNames)) replace(code, start, end, text)
  }
  for (const { file, mount, options } of mounts) {
    const { start, end } = mount.argument
    const list = source.text.slice(start, end)
    if (file.uses.length > 0) {
      replace(code, start, end, `${list}.middleware()`)
      continue
    }
    const profile = `{ profile: ${names['fromRouter']}(${makerOf(file.express)}(${options})) }`
    replace(code, start, end, `new ${names['RouteControllers']}(${list}, ${profile}).middleware()`)
  }
  return withoutUnused(source.file, code.toString(), importedFrom(source, lists))
}

/** The names that the routers of a file may have needed alone. */
function importedFrom({ program }: SourceFile, lists: readonly Lifted[]): readonly string[] {
  const modules = ['routecontrollers/express', ...lists.map(({ file }) => file.express)]
  const own = [...walk(program)].filter(
    ({ node }) => node.type === 'StringLiteral' && modules.includes(nameOf(node)),
  )
  return own.flatMap(({ parent, above }) => {
    const named = parent?.type === 'CallExpression' ? above?.['id'] : parent
    return isNode(named) ? [...namesIn(named)] : []
  })
}

// What of an app still needs the package express, file by file.
import type { SourceFile } from '../edit/source-file.js'
import type { Node } from '../syntax/parser.js'
import { walk } from '../syntax/walk.js'
import type { Inventory } from '../documents/inventory.js'
import type { Registered } from '../documents/registered.js'
import type { Lifted, LiftPlan } from './plan.js'

/** What a file registers with Express. */
export interface NeedsExpress {
  readonly file: string
  /** Routes of Express. */
  readonly routes: number
  /** Functions of `use` that lead to no router. */
  readonly functions: number
  /** Lists of Controllers that are mounted there. */
  readonly lists: number
  /** Controllers that run handlers of Express. */
  readonly controllers: number
  /** True where it imports the package, and more of it than types. */
  readonly isImported: boolean
}

/** What is left when some routers have become lists. */
export function needsExpress(
  { routers, runsHandlers }: Registered,
  { routes: rows }: Inventory,
  lifted: readonly Lifted[],
  importing: readonly string[],
  shown: (file: string) => string,
): readonly NeedsExpress[] {
  const byFile = new Map<string, Record<'routes' | 'functions' | 'lists' | 'controllers', number>>()
  const addTo = (name: string, what?: 'routes' | 'functions' | 'lists' | 'controllers'): void => {
    const known = byFile.get(name) ?? { routes: 0, functions: 0, lists: 0, controllers: 0 }
    if (what !== undefined) known[what]++
    byFile.set(name, known)
  }
  const add = (file: string | undefined, what: 'routes' | 'functions' | 'lists'): void =>
    addTo(file === undefined ? unknown : shown(file), what)
  const isLifted = (router: number | undefined): boolean => lifted.some((one) => one.router === router)
  routers.forEach(({ layers }, number) => {
    if (isLifted(number)) return
    for (const { isRoute, use, calls } of layers) {
      if (isRoute) add(calls[0]?.at?.file, 'routes')
      else if (use !== undefined && use.leadsTo === undefined) add(use.at?.file, 'functions')
      else if (isLifted(use?.leadsTo)) add(use!.at?.file, 'lists')
    }
  })
  for (const row of runsHandlers)
    addTo(/^(.*):\d+$/.exec(rows[row]!.own.at ?? '')?.[1] ?? unknown, 'controllers')
  const imports = new Set(importing.map(shown))
  for (const file of imports) addTo(file)
  return [...byFile].map(([file, counts]) => ({ file, ...counts, isImported: imports.has(file) }))
}

const unknown = 'a file that is not known'

/** True for a file that imports Express itself, and more of it than its types. */
export function importsExpress({ program }: SourceFile): boolean {
  return [...walk(program)].some(({ node }) => {
    if (node.type === 'ImportDeclaration') {
      const specifiers = node['specifiers'] as readonly Node[]
      const isValue = (one: Node): boolean => one['importKind'] !== 'type'
      return (
        isExpress(node['source']) && isValue(node) && (specifiers.length === 0 || specifiers.some(isValue))
      )
    }
    const [given] = node.type === 'CallExpression' ? (node['arguments'] as readonly Node[]) : []
    return given !== undefined && isExpress(given) && (node['callee'] as Node)['name'] === 'require'
  })
}

function isExpress(node: unknown): boolean {
  return (node as Node)['value'] === 'express'
}

/** Why an app stays that has no route of Express any more; undefined where it has one, or has no list. */
export function reasonOfApp(
  { routes }: Inventory,
  { runsHandlers }: Registered,
  { left }: LiftPlan,
): string | undefined {
  const own = routes.flatMap(({ kind, own: { stage } }, row) =>
    kind === 'route' ? [{ isList: stage === undefined ? !runsHandlers.includes(row) : !left.has(row) }] : [],
  )
  return own.length > 0 && own.every(({ isList }) => isList)
    ? 'without Express, case, slashes at the end, OPTIONS and 404 are others, and a profile that keeps them needs the package too'
    : undefined
}

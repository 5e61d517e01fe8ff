// What of an app still needs the package express, file by file.
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
}

/** What is left when some routers have become lists. */
export function needsExpress(
  { routers }: Registered,
  lifted: readonly Lifted[],
  shown: (file: string) => string,
): readonly NeedsExpress[] {
  const byFile = new Map<string, { routes: number; functions: number; lists: number }>()
  const add = (file: string | undefined, what: 'routes' | 'functions' | 'lists'): void => {
    const name = file === undefined ? 'a file that is not known' : shown(file)
    const known = byFile.get(name) ?? { routes: 0, functions: 0, lists: 0 }
    known[what]++
    byFile.set(name, known)
  }
  const isLifted = (router: number | undefined): boolean => lifted.some((one) => one.router === router)
  routers.forEach(({ layers }, number) => {
    if (isLifted(number)) return
    for (const { isRoute, use, calls } of layers) {
      if (isRoute) add(calls[0]?.at?.file, 'routes')
      else if (use !== undefined && use.leadsTo === undefined) add(use.at?.file, 'functions')
      else if (isLifted(use?.leadsTo)) add(use!.at?.file, 'lists')
    }
  })
  return [...byFile].map(([file, counts]) => ({ file, ...counts }))
}

/** Why an app stays that has no route of Express any more; undefined where it has one, or has no list. */
export function reasonOfApp({ routes }: Inventory, { left }: LiftPlan): string | undefined {
  const own = routes.flatMap(({ kind, own: { stage } }, row) =>
    kind === 'route' ? [{ isList: stage === undefined || !left.has(row) }] : [],
  )
  return own.length > 0 && own.every(({ isList }) => isList)
    ? 'without Express, case, slashes at the end, OPTIONS and 404 are others, and a profile that keeps them needs the package too'
    : undefined
}

// The shape `group`: which routes of the inventory become those of groups, and what a server in front has to have besides.
import { relative } from 'node:path'
import { identityOf } from '../check/lock.js'
import type { Registered } from '../documents/registered.js'
import type { Inventory, RouteRow } from '../documents/inventory.js'
import { mayMeet } from './group-paths.js'
import { type GroupPlace, groupPlaceOf } from './group-place.js'
import { groupRun, keyOf } from './group-plan.js'
import type { MovedGroup } from './move-text.js'
import type { Run } from './plan.js'
import type { SourceFile } from './source-file.js'

/** The groups of an app. */
export class Groups {
  readonly #inventory: Inventory
  readonly #registered: Registered
  readonly #read: (file: string) => SourceFile | string
  readonly #places = new Map<number, GroupPlace | string>()
  /** Of each router, its guards as its file names them. */
  readonly #guards = new Map<number, Set<string>>()

  constructor(inventory: Inventory, registered: Registered, read: (file: string) => SourceFile | string) {
    this.#inventory = inventory
    this.#registered = registered
    this.#read = read
  }

  #placeOf(number: number): GroupPlace | string {
    let place = this.#places.get(number)
    if (place === undefined) {
      place = groupPlaceOf(this.#registered, number, this.#inventory.routes[number]!.app)
      this.#places.set(number, place)
    }
    return place
  }

  /** Why a route can be of no group. */
  obstacleOf(number: number): string | undefined {
    const place = this.#placeOf(number)
    return typeof place === 'string' ? place : undefined
  }

  /** The runs of a file as those of groups; `kept` gets the reasons of the others. */
  runsOf(source: SourceFile, runs: readonly Run[], kept: Map<number, string>): readonly Run[] {
    const groups = runs
      .flatMap((whole) => this.#partsOf(whole))
      .flatMap((run) => {
        const placeOf = (row: number): GroupPlace => this.#placeOf(row) as GroupPlace
        const { router } = placeOf(run.calls[0]!.routes[0]!.row)
        const group = groupRun(source, run, placeOf, this.#registered.routers[router]!.version, this.#read)
        if (typeof group !== 'string') {
          const { router, guards } = group.group
          const known = this.#guards.get(router) ?? new Set()
          this.#guards.set(router, known)
          for (const { text } of guards) known.add(text)
          return [group]
        }
        for (const { routes } of run.calls) for (const { row } of routes) kept.set(row, group)
        return []
      })
    const first = new Map(groups.toReversed().map((run) => [run.group.router, run]))
    return groups.filter((run) => {
      const listOf = ({ statements: [one] }: Run): unknown => source.parentOf(one!)
      if (listOf(run) === listOf(first.get(run.group.router)!)) return true
      for (const { routes } of run.calls)
        for (const { row } of routes) kept.set(row, 'the routes of its router stand in more than one block')
      return false
    })
  }

  /** The statements of a run in parts, each of which has the same guards. */
  #partsOf(run: Run): Run[] {
    const parts: { key: string; run: Run }[] = []
    for (const statement of run.statements) {
      const calls = run.calls.filter(({ call }) => call.start >= statement.start && call.end <= statement.end)
      const keys = calls.flatMap(({ routes }) =>
        routes.map(({ row }) => keyOf(this.#placeOf(row) as GroupPlace)),
      )
      const last = parts.at(-1)
      if (last !== undefined && keys.every((key) => key === last.key)) {
        const statements = [...last.run.statements, statement]
        last.run = { ...run, calls: [...last.run.calls, ...calls], statements }
      } else parts.push({ key: keys[0]!, run: { ...run, calls, statements: [statement] } })
    }
    return parts.length === 0 ? [run] : parts.map((part) => part.run)
  }

  /** Keeps routes whose requests an earlier one that stays may get: in front of the app it would not get them. */
  keepMeeting(left: ReadonlyMap<number, string>, kept: Map<number, string>): void {
    const { routes } = this.#inventory
    const layerOf = (number: number): string => String(this.#registered.rows[number])
    const staying = new Set([...left.keys()].map(layerOf))
    const earlier: { readonly row: RouteRow; readonly router: number | undefined }[] = []
    routes.forEach((row, number) => {
      const isMoved = !left.has(number)
      const router = isMoved ? (this.#placeOf(number) as GroupPlace).router : undefined
      if (isMoved) {
        const twice = earlier.find((one) => identityOf(one.row) === identityOf(row))
        const found = earlier.find(
          (one) => one.router !== router && sharesMethod(one.row, row) && mayMeet(one.row.path, row.path),
        )
        if (staying.has(layerOf(number))) kept.set(number, 'another method of its route(path) stays')
        else if (twice !== undefined) kept.set(number, 'the same route is registered twice')
        else if (found !== undefined) {
          kept.set(
            number,
            `${found.row.method} ${found.row.path} stands before it and may answer the same requests`,
          )
        }
      }
      if (row.kind === 'route') earlier.push({ row, router })
    })
  }

  /** What the groups are, and what of the app a server in front has to have besides. */
  told(left: ReadonlyMap<number, string>, cwd: string): MovedGroup[] {
    const groups = new Map<number, MovedGroup>()
    this.#inventory.routes.forEach((row, number) => {
      if (left.has(number)) return
      const { router, prefix, forAll } = this.#placeOf(number) as GroupPlace
      const known = groups.get(router)
      const [, layer] = this.#registered.rows[number]!
      const [call] = this.#registered.routers[router]!.layers[layer]!.calls
      const before = forAll.map(({ name, at }) => ({
        name,
        at: at && `${relative(cwd, at.file)}:${at.line + 1}`,
      }))
      const behind = row.errorHandlers.map(({ name, at }) => ({ name, at }))
      const besides = [...(known?.besides ?? []), ...before, ...behind]
      groups.set(router, {
        file: relative(cwd, call!.at!.file),
        prefix: prefix === '' ? '/' : prefix,
        routes: (known?.routes ?? 0) + 1,
        guards: [...this.#guards.get(router)!],
        isOfOwnApp: this.#registered.routers[router]!.kind === 'app',
        besides: [...new Map(besides.map((one) => [`${one.name} ${one.at}`, one])).values()],
      })
    })
    return [...groups.values()]
  }
}

function sharesMethod(one: RouteRow, other: RouteRow): boolean {
  const [a, b] = [one, other].map(({ method }) => (method === 'HEAD' ? 'GET' : method))
  return a === b || a === '*' || b === '*'
}

// Plans what moves in place in one file: which calls become Controllers, which of them stand together, and why others stay.
import type { Registered, RegisteredLayer, RegisteredRouter } from '../documents/registered.js'
import type { Node } from '../syntax/parser.js'
import { calledProperty, nameOf, receiverOf, type SourceFile } from '../edit/source-file.js'
import { isReference, readCall, verbs, type WantedRoute, type WrittenCall } from './calls.js'

/** One call that becomes a Controller. */
export interface MovedCall extends WrittenCall {
  readonly routes: readonly WantedRoute[]
}

/** Calls that stand together and become one RouteControllers. */
export interface Run {
  readonly calls: readonly MovedCall[]
  /** The router, as it is written. */
  readonly base: Node
  readonly kind: 'app' | 'router'
  /** The statements that are moved as a whole; empty where a part of an expression is. */
  readonly statements: readonly Node[]
  /** How the router gets a name, where it has none that could be written a second time. */
  readonly naming?: Naming | undefined
}

/** A statement that makes a router and registers with it at once. */
export interface Naming {
  readonly statement: Node
  /** What it makes, with all calls. */
  readonly made: Node
  /** `const name = …`; undefined where it is returned, exported or assigned. */
  readonly name: string | undefined
}

export interface FilePlan {
  readonly runs: readonly Run[]
  /** Why a row stays. */
  readonly left: ReadonlyMap<number, string>
}

const returningThis = new Set([...verbs, 'use', 'param', 'set', 'enable', 'disable', 'engine'])

/** Plans the move of routes that are written in one file. */
export function planFile(
  source: SourceFile,
  wanted: readonly WantedRoute[],
  registered: Registered,
): FilePlan {
  const planner = new Planner(source, registered)
  for (const route of wanted) planner.add(route)
  return planner.plan()
}

class Planner {
  readonly #source: SourceFile
  readonly #registered: Registered
  readonly #left = new Map<number, string>()
  readonly #calls = new Map<Node, MovedCall & { routes: WantedRoute[] }>()
  readonly #callsOfRow = new Map<number, Node[]>()

  constructor(source: SourceFile, registered: Registered) {
    this.#source = source
    this.#registered = registered
  }

  #routerOf({ router }: WantedRoute): RegisteredRouter {
    return this.#registered.routers[router]!
  }

  #layerOf(route: WantedRoute): RegisteredLayer {
    return this.#routerOf(route).layers[route.layer]!
  }

  /** Finds the calls that a route was registered by. */
  add(route: WantedRoute): void {
    const layer = this.#layerOf(route)
    const obstacle = this.#routerOf(route).obstacle ?? layer.obstacle
    if (obstacle !== undefined) return this.#leave(route.row, obstacle)
    for (const { at, verb, isOnRoute } of layer.calls) {
      const call = at && this.#source.callAt(at.line, at.column, verb)
      if (call === undefined) {
        return this.#leave(route.row, 'it is registered by a call that names no method, as app[method](…)')
      }
      const read = readCall(call, verb, isOnRoute)
      if (typeof read === 'string') return this.#leave(route.row, read)
      const known = this.#calls.get(call)
      if (known === undefined) this.#calls.set(call, { ...read, routes: [route] })
      else known.routes.push(route)
      this.#callsOfRow.set(route.row, [...(this.#callsOfRow.get(route.row) ?? []), call])
    }
  }

  #leave(row: number, reason: string): void {
    if (!this.#left.has(row)) this.#left.set(row, reason)
  }

  plan(): FilePlan {
    // A route moves with all of its calls, or stays.
    let before: number
    do {
      before = this.#left.size
      this.#dropLeft()
      this.#dropPartsOfRoutes()
    } while (this.#left.size !== before)
    const runs = this.#runs()
    this.#dropLeft()
    return { runs, left: this.#left }
  }

  #dropLeft(): void {
    for (const [call, { routes }] of this.#calls) {
      const reason = routes.map(({ row }) => this.#left.get(row)).find((one) => one !== undefined)
      if (reason === undefined) continue
      this.#calls.delete(call)
      for (const { row } of routes) this.#leave(row, reason)
    }
  }

  /** All that a `route(path)` gets moves, or none of it. */
  #dropPartsOfRoutes(): void {
    for (const { call, route, routes } of this.#calls.values()) {
      if (route === undefined) continue
      const reason = this.#routeObstacle(route, call)
      if (reason !== undefined) for (const { row } of routes) this.#leave(row, reason)
    }
  }

  #routeObstacle(route: Node, _call: Node): string | undefined {
    let node = route
    for (;;) {
      const above = this.#chainAbove(node)
      if (above === undefined) break
      if (!this.#calls.has(above)) return 'another method of its route(path) stays'
      node = above
    }
    const parent = this.#source.parentOf(node)
    return parent?.type === 'ExpressionStatement' ? undefined : 'what route(path) gives is used'
  }

  /** The call of a member of what a call gives. */
  #chainAbove(call: Node): Node | undefined {
    const member = this.#source.parentOf(call)
    if (member?.type !== 'MemberExpression' || member['object'] !== call) return undefined
    const above = this.#source.parentOf(member)
    return above?.type === 'CallExpression' && above['callee'] === member ? above : undefined
  }

  #runs(): Run[] {
    const runs: Run[] = []
    const taken = new Set<Node>()
    for (const statements of this.#blocks()) {
      let open:
        { base: string; kind: string; run: Run & { calls: MovedCall[]; statements: Node[] } } | undefined
      for (const statement of statements) {
        const unit = this.#wholeStatement(statement)
        if (unit === undefined) {
          open = undefined
          continue
        }
        const base = this.#textOf(unit.base)
        if (open === undefined || open.base !== base || open.kind !== unit.kind) {
          const run = { base: unit.base, kind: unit.kind, calls: [], statements: [] }
          open = { base, kind: unit.kind, run }
          runs.push(run)
        }
        open.run.calls.push(...unit.calls)
        open.run.statements.push(statement)
        for (const { call } of unit.calls) taken.add(call)
      }
    }
    for (const moved of this.#calls.values()) {
      if (taken.has(moved.call)) continue
      const run = this.#partOfExpression(moved, taken)
      if (typeof run === 'string') for (const { row } of moved.routes) this.#leave(row, run)
      else runs.push(run)
    }
    return runs.flatMap((run) => this.#checked(run))
  }

  /** The lists of statements in which something moves. */
  #blocks(): Set<readonly Node[]> {
    const lists = new Set<readonly Node[]>()
    for (const { call } of this.#calls.values()) {
      let statement = call
      for (let up = this.#source.parentOf(call); up !== undefined; up = this.#source.parentOf(up)) {
        const list = [up['body'], up['consequent']].find(
          (one): one is readonly Node[] => Array.isArray(one) && one.includes(statement),
        )
        if (list !== undefined) {
          lists.add(list)
          break
        }
        statement = up
      }
    }
    return lists
  }

  /** The calls of a statement that consists of nothing else. */
  #wholeStatement(
    statement: Node,
  ): { readonly base: Node; readonly kind: Run['kind']; readonly calls: readonly MovedCall[] } | undefined {
    if (statement.type !== 'ExpressionStatement') return undefined
    const calls: MovedCall[] = []
    let node = statement['expression'] as Node
    if (isParenthesized(node)) return undefined
    for (;;) {
      const moved = this.#calls.get(node)
      if (moved === undefined) break
      calls.unshift(moved)
      node = receiverOf(node)
      if (node === moved.route) {
        node = receiverOf(node)
        break
      }
    }
    const [first] = calls
    if (first === undefined || !isReference(node)) return undefined
    // `app.get(…).route(path).get(…)`
    const kind = this.#kindOf(calls)
    return kind === undefined ? undefined : { base: node, kind, calls }
  }

  #kindOf(calls: readonly MovedCall[]): Run['kind'] | undefined {
    const kinds = new Set(calls.flatMap(({ routes }) => routes.map((route) => this.#routerOf(route).kind)))
    return kinds.size === 1 ? [...kinds][0] : undefined
  }

  /** Calls within an expression: `app.use(guard).get(path, handler)`. */
  #partOfExpression(moved: MovedCall, taken: Set<Node>): Run | string {
    if (moved.route !== undefined) return 'what route(path) gives is used'
    const calls: MovedCall[] = [moved]
    for (let above = this.#chainAbove(moved.call); above !== undefined; above = this.#chainAbove(above)) {
      const next = this.#calls.get(above)
      if (next === undefined || next.route !== undefined || isParenthesized(receiverOf(above))) break
      calls.push(next)
    }
    for (const { call } of calls) taken.add(call)
    const base = baseOf(moved.call)
    const naming = isReference(base) ? undefined : this.#namingOf(base)
    if (naming === undefined && !isReference(base)) return 'its router has no name'
    const kind = this.#kindOf(calls)
    if (kind === undefined) return 'an app and a router are registered with by the same call'
    return { calls, base, kind, statements: [], naming }
  }

  /** The statement that gives what a chain is made on to a name, or to a call. */
  #namingOf(base: Node): Naming | undefined {
    let made = base
    for (let above = this.#chainAbove(made); above !== undefined; above = this.#chainAbove(above))
      made = above
    if (isParenthesized(made)) return undefined
    const parent = this.#source.parentOf(made)
    const around = parent && this.#source.parentOf(parent)
    if (parent === undefined || around === undefined) return undefined
    if (parent.type === 'VariableDeclarator') {
      const id = parent['id'] as Node
      const isAlone = (around['declarations'] as readonly Node[]).length === 1
      if (id.type !== 'Identifier' || !isAlone) return undefined
      const outer = this.#source.parentOf(around)
      const statement = outer?.type === 'ExportNamedDeclaration' ? outer : around
      return this.#isListed(statement) ? { statement, made, name: id['name'] as string } : undefined
    }
    const statement = parent.type === 'AssignmentExpression' ? around : parent
    const isOne = /^(?:ReturnStatement|ExportDefaultDeclaration|ExpressionStatement)$/.test(statement.type)
    return isOne && this.#isListed(statement) ? { statement, made, name: undefined } : undefined
  }

  /** True for a statement that another one can follow. */
  #isListed(statement: Node): boolean {
    const parent = this.#source.parentOf(statement)
    return Array.isArray(parent?.['body']) && (parent['body'] as readonly Node[]).includes(statement)
  }

  /** The run as it may move: in parts, where one alone may, and without what has an obstacle. */
  #checked(run: Run): Run[] {
    const obstacle = this.#isUnbroken(run)
      ? this.#paramObstacle(run)
      : 'something else is registered between its calls when they run'
    if (obstacle === undefined) return [run]
    if (run.statements.length < 2) return this.#stay(run, obstacle)
    return run.statements.flatMap((statement) => this.#checked(this.#partOf(run, statement)))
  }

  #partOf(run: Run, statement: Node): Run {
    const isIn = ({ call }: MovedCall): boolean => call.start >= statement.start && call.end <= statement.end
    return { ...run, calls: run.calls.filter(isIn), statements: [statement] }
  }

  #stay({ calls }: Run, reason: string): [] {
    for (const { routes } of calls) for (const { row } of routes) this.#leave(row, reason)
    return []
  }

  /** Whether the layers of the calls follow one another in each router, as the calls do. */
  #isUnbroken({ calls }: Run): boolean {
    const order: Node[] = calls.map(({ route, call }) => route ?? call)
    const length = new Set(order).size
    return [...this.#layersIn(calls)].every(([, layers]) => {
      const sorted = [...layers].sort(([a], [b]) => a - b)
      return sorted.every(([at, node], number) => {
        const expected = [...new Set(order)][number % length]
        const isFirst = number % length === 0
        return node === expected && (isFirst || at === sorted[number - 1]![0] + 1)
      })
    })
  }

  /** Of each router, the layers that the calls have made. */
  #layersIn(calls: readonly MovedCall[]): Map<number, Map<number, Node>> {
    const routers = new Map<number, Map<number, Node>>()
    for (const { call, route, routes } of calls) {
      for (const { router, layer } of routes) {
        const layers = routers.get(router) ?? new Map<number, Node>()
        routers.set(router, layers.set(layer, route ?? call))
      }
    }
    return routers
  }

  /** Callbacks of `param` run once for a request in a router, and again in Controllers. */
  #paramObstacle({ calls }: Run): string | undefined {
    for (const [number, own] of this.#layersIn(calls)) {
      const { params, layers } = this.#registered.routers[number]!
      for (const { name, layers: before } of params) {
        const has = ({ params: names }: RegisteredLayer): boolean =>
          names === undefined || names.includes(name)
        const using = [...own.keys()].filter((at) => has(layers[at]!))
        if (using.length === 0) continue
        if (before === undefined || before > Math.min(...own.keys())) {
          return `the callback of param '${name}' is registered after it`
        }
        if (layers.some((layer, at) => !own.has(at) && has(layer))) {
          return `the callback of param '${name}' also runs for what is not moved with it, and would run twice`
        }
      }
    }
    return undefined
  }

  #textOf({ start, end }: Node): string {
    return this.#source.text.slice(start, end).replace(/\s+/g, '')
  }
}

/** What the first call of a chain is made on. */
function baseOf(call: Node): Node {
  let node = receiverOf(call)
  for (;;) {
    const property = calledProperty(node)
    if (property === undefined || !returningThis.has(nameOf(property))) return node
    if (isReference(node)) return node
    node = receiverOf(node)
  }
}

function isParenthesized({ extra }: Node): boolean {
  return (extra as { parenthesized?: boolean } | undefined)?.parenthesized === true
}

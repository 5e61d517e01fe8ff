// Rows of an inventory, written in a test: no app is made, and no entry is run.
import type {
  Answerer,
  Inventory,
  Observation,
  Pass,
  RouteRow,
} from '../../packages/cli/src/documents/inventory.js'

export const pass = (name: string, more: Partial<Pass> = {}): Pass => ({
  ...{ kind: 'middleware', name, at: 'app.js:1', via: undefined, definition: `${name}.js:1` },
  ...{ source: `text of ${name}`, formerSource: undefined, argument: undefined, made: undefined },
  ...{ sourceNames: undefined, madeNames: undefined, mount: '/', param: undefined, unverifiable: false },
  ...more,
})
export const errorHandler = (name: string, catches: number): Pass => pass(name, { kind: 'error', catches })

export interface Given extends Partial<Omit<RouteRow, 'own' | 'answer' | 'settings'>> {
  readonly own?: Partial<RouteRow['own']>
  readonly answer?: Partial<Answerer>
  readonly settings?: Partial<RouteRow['settings']>
}

/** `GET /a` behind some functions, and what else is given. */
export function row(route: string, passes: readonly Pass[] = [], given: Given = {}): RouteRow {
  const [method, path] = route.split(' ') as [string, string]
  const { own, answer, settings, ...more } = given
  const source = `handler of ${route}`
  return {
    ...{ app: 0, kind: 'route', method, path, witness: path, witnessMethod: method, shadowed: false },
    ...{ mayPass: false, passes, params: [], errorHandlers: [] },
    settings: { strict: false, caseSensitive: false, mergeParams: false, trustProxy: false, ...settings },
    answer: {
      ...{ by: 'Express', route, name: '<anonymous>', at: 'app.js:9', source, takenOver: false },
      ...answer,
    },
    own: {
      ...{ by: 'Express', name: '<anonymous>', at: 'app.js:9', definition: 'app.js:9', source },
      ...{ formerSource: undefined, ...own },
    },
    ...more,
  }
}

export const inventory = (routes: readonly RouteRow[], apps = 1): Inventory => ({
  version: 1,
  apps: Array.from({ length: apps }, () => ({
    ...{ kind: 'Express app', version: undefined, routes: routes.length, mounts: 0, trustProxy: false },
  })),
  routes,
  findings: [],
  notes: [],
})

/** What a request meets that nothing answers any more. */
export const nobody = (before: RouteRow): Observation => ({
  ...before,
  passes: [],
  answer: {
    by: 'nobody',
    route: undefined,
    name: '',
    at: undefined,
    source: undefined,
    takenOver: false,
  },
})

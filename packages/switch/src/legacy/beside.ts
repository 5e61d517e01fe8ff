// Native callbacks in the routes of an app, each before the handler that it replaces.
import { setImmediate } from 'node:timers'
import type { RunnableController, Switch } from 'routecontrollers/introspection'
import {
  nativesOf,
  type Place,
  type PlacedNative,
  reachableIn,
  type Switched,
  switchNatives,
} from 'routecontrollers/express-model'
import { describeThrown, log } from '../../../../src/ground/log.js'
import type { Logger } from '../../../../src/ground/types.js'
import { keyOf } from '../states/switched-route.js'
import type { LegacyRoutes } from './legacy-routes.js'
import type { Subject } from './subject.js'

/** What was read of an app. */
interface Read {
  readonly controllers: readonly RunnableController[]
  /** Those that legacy answers for, too. */
  readonly replacing: ReadonlySet<RunnableController>
  readonly ofPlaces: ReadonlyMap<Place, RunnableController>
  /** Routes without a native callback. */
  readonly only: readonly string[]
}

const leavesAll: Switch = { choose: () => false, finish: (answer) => answer }

export class Beside implements Subject {
  // Its route was taken out of the app while a request was on its way to it.
  readonly takesOthers = false
  readonly emptyBecause =
    'no route of the app has a native callback. Write native(…) before its handler, or have routecontrollers move do so'
  readonly #app: object
  readonly #logger: Logger
  /** The first one of a key stands for all: a router may be mounted twice, and a route may be registered twice. */
  readonly #known = new Map<string, RunnableController>()
  #read: Read | undefined
  #switched: Switched | undefined

  constructor(app: object, logger: Logger) {
    this.#app = app
    this.#logger = logger
  }

  get controllers(): readonly RunnableController[] {
    return this.#readNow().controllers
  }

  setSwitch(one: Switch): () => void {
    const { switched, leave } = switchNatives(this.#app, {
      place: (place) => this.#switchOf(place, one),
      read: () => this.#tryReading(),
    })
    this.#switched = switched
    this.#readAgain()
    return leave
  }

  #switchOf(place: Place, one: Switch): Switch {
    const controller = this.#read?.ofPlaces.get(place) ?? this.#readAgain().ofPlaces.get(place)
    if (controller !== undefined) {
      return { choose: (_own, exchange) => one.choose(controller, exchange), finish: leavesAll.finish }
    }
    // A state that was set for it could not be found. Without one it would answer at once.
    const { method, pattern } = place.controller
    const what = `${method} ${pattern.source} stands in a router that cannot be read, and stays at legacy`
    log(this.#logger, 'warn', `migration: ${what}: mount the router itself, and not a function around it`)
    return leavesAll
  }

  readLegacy(): LegacyRoutes | undefined {
    const { only } = this.#readAgain()
    return {
      // Also of one that is registered later.
      has: (controller) => this.#readNow().replacing.has(controller),
      byMount: new Set<RunnableController>(),
      appsOf: () => [],
      only,
    }
  }

  /** Once in a turn of the loop: an app may have got another route since, and does not tell. */
  #readNow(): Read {
    return this.#read ?? this.#readAgain()
  }

  /** For a callback of any app of the process, whose request must not fail for this one. */
  #tryReading(): void {
    try {
      this.#readAgain()
    } catch (error) {
      log(this.#logger, 'error', `migration: the routes of the app cannot be read: ${describeThrown(error)}`)
    }
  }

  #readAgain(): Read {
    const read = this.#readApp()
    this.#read = read
    setImmediate(() => {
      if (this.#read === read) this.#read = undefined
    })
    return read
  }

  #readApp(): Read {
    const { routes } = reachableIn(this.#app, () => undefined)
    const ofPlaces = new Map<Place, RunnableController>()
    const controllers = new Set<RunnableController>()
    const replacing = new Set<RunnableController>()
    const only: string[] = []
    for (const [at, live] of routes.entries()) {
      const natives = nativesOf(live)
      if (natives.length === 0) only.push(`${live.method} ${live.path}`)
      for (const native of natives) {
        const controller = this.#controllerOf(native)
        if (this.#switched !== undefined) native.place.isIn(this.#switched)
        // At several paths it has the state of the first.
        if (!ofPlaces.has(native.place)) ofPlaces.set(native.place, controller)
        const own = ofPlaces.get(native.place)!
        controllers.add(own)
        const isBehind = native.behind.some((handle) => handle.length < 4)
        const isRepeated = routes
          .slice(at + 1)
          .some(({ method, path }) => path === live.path && [live.method, '*'].includes(method))
        if (isBehind || isRepeated) replacing.add(own)
      }
    }
    return { controllers: [...controllers], replacing, ofPlaces, only }
  }

  #controllerOf({ controller }: PlacedNative): RunnableController {
    const key = keyOf(controller)
    const known = this.#known.get(key) ?? controller
    this.#known.set(key, known)
    return known
  }

  /** The app itself begins its answers, and sends them. */
  begin(): void {}

  finish: Subject['finish'] = (answer) => answer
}

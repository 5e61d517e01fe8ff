import { findBuiltin } from './builtin.js'

/** Runs a function in the async context in which it was made. */
export type InContext = (run: () => void) => void

// Where there is no node:async_hooks nothing has a context to lose.
const hooks = findBuiltin('node:async_hooks')
const chains = hooks && new hooks.AsyncLocalStorage<object>()

// Up to Node 22 AsyncLocalStorage stands on hooks of every promise and tick: the first use of one, ours included, makes
// the whole process slower (a request with four hooks: by half). Later it costs next to nothing.
const isDear = hooks !== undefined && '_propagate' in hooks.AsyncLocalStorage.prototype

/** True when somebody in this process keeps stores in AsyncLocalStorage. */
function isInUse(): boolean {
  // Node marks each promise then.
  return !isDear || Object.getOwnPropertySymbols(new Promise(ignore)).length > 0
}

const ignore = (): void => {}

const direct: InContext = (run) => run()

/**
 * Calls a hook of the chain `chain`, and gives it what keeps the async context of now for its `next()`.
 *
 * Parsers call `next` from the events of a socket, where the stores of AsyncLocalStorage are gone (body-parser 422,
 * multer 814): there the context of now is put back. A call from within the chain has it, and perhaps stores that the
 * hook has just entered (`store.run(value, next)`): it is left as it is. Where nobody has a store there is none to lose.
 */
export function callInChain(chain: object, call: (inContext: InContext) => void): void {
  if (hooks === undefined || chains === undefined || !isInUse()) return call(direct)
  // Not AsyncLocalStorage.snapshot(), which on Node 20 defines properties on a new function each time.
  const now = new hooks.AsyncResource('routecontrollers.hook', { requireManualDestroy: true })
  const inContext: InContext = (run) => (chains.getStore() === chain ? run() : now.runInAsyncScope(run))
  if (chains.getStore() === chain) call(inContext)
  else chains.run(chain, () => call(inContext))
}

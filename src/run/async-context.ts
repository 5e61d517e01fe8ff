import { findBuiltin } from '../ground/builtin.js'

/** Runs a function in the async context in which it was made. */
export type InContext = (run: () => void) => void

// Where there is no node:async_hooks nothing has a context to lose.
const hooks = findBuiltin('node:async_hooks')
const chains = hooks && new hooks.AsyncLocalStorage<object>()

// Up to Node 22 AsyncLocalStorage uses hooks of every promise and tick. The first use of one, here too, makes the whole process
// slower (a request with four hooks: by half). From Node 24 on it costs almost nothing.
const isDear = hooks !== undefined && '_propagate' in hooks.AsyncLocalStorage.prototype

/** True when code in this process keeps stores in AsyncLocalStorage. */
function isInUse(): boolean {
  // Node marks each promise then.
  return !isDear || Object.getOwnPropertySymbols(new Promise(ignore)).length > 0
}

const ignore = (): void => {}

const direct: InContext = (run) => run()

/**
 * Calls a hook of the chain `chain`, and gives it a function that keeps the current async context for its `next()`.
 *
 * Parsers call `next` from the events of a socket, where the stores of AsyncLocalStorage are lost (body-parser 422, multer 814).
 * For those the context is restored. A call from within the chain has it, and perhaps stores that the hook has entered
 * (`store.run(value, next)`), so it is left as it is. Where no code uses a store, there is none to lose.
 */
export function callInChain(chain: object, call: (inContext: InContext) => void): void {
  if (hooks === undefined || chains === undefined || !isInUse()) return call(direct)
  // Not AsyncLocalStorage.snapshot(), which on Node 20 defines properties on a new function each time.
  const now = new hooks.AsyncResource('routecontrollers.hook', { requireManualDestroy: true })
  const inContext: InContext = (run) => (chains.getStore() === chain ? run() : now.runInAsyncScope(run))
  if (chains.getStore() === chain) call(inContext)
  else chains.run(chain, () => call(inContext))
}

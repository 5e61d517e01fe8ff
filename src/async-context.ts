/** Runs a function in the async context in which it was made. */
export type InContext = (run: () => void) => void

// Taken, not imported: this package loads where there is no node:async_hooks, and then nothing has a context to lose.
const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
const chains = hooks && new hooks.AsyncLocalStorage<object>()

const direct: InContext = (run) => run()

/** Runs the chain `chain`, so that `keepContext` can tell later whether a call still comes from within it. */
export function enterChain(chain: object, run: () => void): void {
  if (chains === undefined) run()
  else chains.run(chain, run)
}

/**
 * Keeps the async context of now for a `next()` to come.
 *
 * Parsers call `next` from the events of a socket, where the stores of AsyncLocalStorage are gone (body-parser 422,
 * multer 814): there the context of now is put back. A call from within the chain has it, and perhaps stores that the
 * hook has just entered (`store.run(value, next)`): it is left as it is.
 */
export function keepContext(chain: object): InContext {
  if (hooks === undefined || chains === undefined) return direct
  // Not AsyncLocalStorage.snapshot(), which on Node 20 defines properties on a new function each time.
  const now = new hooks.AsyncResource('routecontrollers.hook', { requireManualDestroy: true })
  return (run) => (chains.getStore() === chain ? run() : now.runInAsyncScope(run))
}

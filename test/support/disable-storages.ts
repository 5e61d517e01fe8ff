// Runs before each file of tests. Up to Node 22 an AsyncLocalStorage that was entered once costs time at every promise of its
// process until it is disabled: the next files would be slower with each file, and would find that somebody uses one.
import { AsyncLocalStorage } from 'node:async_hooks'

const prototype = AsyncLocalStorage.prototype as AsyncLocalStorage<unknown> & { _enable?: () => void }
const { _enable } = prototype

if (_enable !== undefined) {
  const entered = new Set<AsyncLocalStorage<unknown>>()
  prototype._enable = function () {
    entered.add(this)
    _enable.call(this)
  }
  afterAll(() => {
    prototype._enable = _enable
    for (const storage of entered) storage.disable()
  })
}

/** True for a promise of any make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * True for a promise where none is taken. What refuses it says more than its rejection would, and a rejection that no code handles ends
 * the process. So it is handled here. A thenable of another make may begin its work only when it is asked, and is left alone.
 */
export function isMisplacedPromise(value: unknown): boolean {
  if (!isThenable(value)) return false
  if (Object.prototype.toString.call(value) === '[object Promise]') Promise.resolve(value).catch(() => {})
  return true
}

/** Calls after a time, and keeps no process alive for it. */
export function callLater(call: () => void, ms: number): NodeJS.Timeout {
  const timer = setTimeout(call, ms)
  // With jsdom, where Jest 26 runs tests unless told otherwise, it is a number.
  ;(timer as Partial<NodeJS.Timeout>).unref?.()
  return timer
}

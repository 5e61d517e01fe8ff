import type { ErrorCode } from 'routecontrollers'

/** What `toThrow` and `rejects.toThrow` compare an error with: its code, and parts of its message in this order. */
export function refusal(code: ErrorCode, ...parts: string[]): Error {
  const message = new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*'))
  return expect.objectContaining({ code, message: expect.stringMatching(message) })
}

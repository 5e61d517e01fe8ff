import type { IncomingMessage } from 'node:http'

/**
 * The header fields of a request as they were sent, names and values one after the other.
 *
 * Node's parser writes them to `rawHeaders`. A request that other code has made, such as an adapter for a cloud function, may
 * have them in `headers` alone.
 */
export function fieldLines(req: IncomingMessage): readonly string[] {
  const { rawHeaders } = req as { rawHeaders?: readonly string[] }
  if (rawHeaders !== undefined && rawHeaders.length > 0) return rawHeaders
  const lines: string[] = []
  for (const [name, value] of Object.entries((req.headers ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null) continue
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) lines.push(name, String(one))
  }
  return lines
}

interface LinesOfNode {
  _addHeaderLines?(lines: string[], count: number): void
}

/** Gives a request that no parser of Node has made its fields, names and values one after the other. */
export function setFieldLines(req: IncomingMessage, lines: string[]): void {
  req.rawHeaders = lines
  // That of Node counts the lines, for `headersDistinct`.
  ;(req as LinesOfNode)._addHeaderLines?.(lines, lines.length)
}

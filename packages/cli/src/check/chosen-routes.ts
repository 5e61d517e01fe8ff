// Which rows a pattern such as `GET /account/**` finds, as options of commands and a lock have it.
import { routePattern } from 'routecontrollers/express-model'

/** Whether a route is of a pattern. */
export function isOf(
  { method, hasPath }: NonNullable<ReturnType<typeof routePattern>>,
  row: { readonly method: string; readonly path: string },
): boolean {
  return (method === undefined || method === row.method) && hasPath(row.path)
}

/** Whether a route is of one of some patterns. What is no pattern finds none. */
export function isOfAny(
  texts: readonly string[],
): (row: { readonly method: string; readonly path: string }) => boolean {
  const patterns = texts.flatMap((text) => routePattern(text) ?? [])
  return (row) => patterns.some((pattern) => isOf(pattern, row))
}

import { parseFields } from '../body/urlencoded.js'
import { checkArgument } from '../ground/options.js'

/** What `getQueryParams` gives: the fields of a query, the last value of a repeated name, without a prototype. */
export function queryParamsOf(url: string, maxFields: number): Record<string, string> {
  checkArgument('getQueryParams', 'a URL or a path', url, typeof url === 'string')
  const [beforeFragment] = url.split('#', 1) as [string]
  const mark = beforeFragment.indexOf('?')
  const params = Object.create(null) as Record<string, string>
  if (mark < 0) return params
  for (const [name, value] of Object.entries(parseFields(beforeFragment.slice(mark + 1), maxFields))) {
    params[name] = typeof value === 'string' ? value : value.at(-1)!
  }
  return params
}

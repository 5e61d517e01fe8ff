import type { SentRequest } from './requests.js'
import type { Way } from './servers.js'
import type { Table } from './tables.js'

export interface Pair {
  readonly table: Table
  readonly way: Way
  readonly mount: string
  readonly request: SentRequest
  readonly legacy: string
  readonly ours: string
  readonly legacyTrace: readonly string[]
  readonly oursTrace: readonly string[]
}

/** Differences that are meant, each with its reason; docs/express.md lists them. */
export const explained: readonly { reason: string; applies: (pair: Pair) => boolean }[] = [
  {
    reason: 'below a mount of Express 4 a path that begins with // is matched as it was sent',
    applies: ({ table, mount, request }) =>
      table.version === 4 && mount !== '/' && request.target.startsWith(`${mount}//`),
  },
  {
    reason: "OPTIONS has no list of methods behind next('router') and behind an error that was forgiven",
    applies: ({ request, table, legacy, legacyTrace, oursTrace }) =>
      request.method === 'OPTIONS' &&
      /^allow: /im.test(legacy) &&
      legacyTrace.join() === oursTrace.join() &&
      (table.routes.some(({ acts }) => acts.includes('next router')) ||
        table.errorHooks.some(({ act }) => act === 'forgive error')),
  },
  {
    reason: 'for HEAD, req.route is the last route that has run, not the last whose path has matched',
    applies: ({ request, table, legacy, ours }) =>
      request.method === 'HEAD' &&
      table.errorHooks.some(({ act }) => act === 'handle error') &&
      withoutSize(legacy) === withoutSize(ours),
  },
  {
    reason: 'the option params is for routes: a mounted hook has its params without callbacks',
    applies: ({ table, legacyTrace, oursTrace }) => {
      const first = legacyTrace.findIndex((called, at) => called !== oursTrace[at])
      return (
        legacyTrace[first]?.startsWith('param ') === true &&
        table.hooks.some(({ path = '' }) =>
          table.params.some((name) => path.includes(`:${name}`) || (name === '0' && path.includes('*'))),
        )
      )
    },
  },
]

function withoutSize(answer: string): string {
  return answer.replace(/^(?:content-length|etag): .*\r\n/gim, '')
}

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
    reason: "next('router') leaves an OPTIONS request without the list of methods",
    applies: ({ request, table }) =>
      request.method === 'OPTIONS' && table.routes.some(({ acts }) => acts.includes('next router')),
  },
  {
    reason: 'the option params is for routes: a mounted hook has its params without callbacks',
    applies: ({ table }) =>
      table.params.some((name) =>
        table.hooks.some(
          ({ path = '' }) => path.includes(`:${name}`) || (name === '0' && path.includes('*')),
        ),
      ),
  },
]

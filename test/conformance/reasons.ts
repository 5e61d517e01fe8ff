import { promises as all, titleOf } from './promises.js'

/** Why a promise does not hold in some runtimes. */
interface Reason {
  readonly reason: string
  readonly runtimes: readonly string[]
  /** Titles of promises. */
  readonly promises: readonly string[]
}

// What is promised to each server of node:http is not promised to these.
const hooks = all
  .filter(({ where }) => where === undefined)
  .filter(({ section }) => ['Hooks', 'Express apps'].includes(section))
  .map(titleOf)
const workers = ['workerd', 'workerd, nodejs_compat']
const bun = ['Bun: Server', 'Bun: Server, node:http', 'Bun: Bun.serve']
const deno = ['Deno: Server', 'Deno: Server, node:http', 'Deno: Deno.serve']
const behindProxies = [
  'req: With `trustProxy`, `req.realIp` is the nearest untrusted address',
  'req: An IPv6 address has one spelling',
  'req: An IPv4 address that is mapped into IPv6 is IPv4',
]
const lambda = ['AWS Lambda: Lambda 2.0', 'AWS Lambda: Lambda 1.0', 'AWS Lambda: Lambda, streams']
const bridges = [20, 22, 24, 26].map((version) => `Node ${version}: getCallback`)
const lengths = [
  'res: Bytes are `application/octet-stream`',
  'res: The length of a whole body is right',
  'res: An empty text has the length 0',
]
const cuts = [
  'res: A stream of numbers is cut',
  'Hooks: An answer that a hook begins and leaves open is cut',
  'res: A stream below its length is cut',
  'res: A stream that fails is cut',
  'Hooks: A stream that fails behind hooks is cut',
]

export const reasons: readonly Reason[] = [
  {
    reason: 'Hooks need `node:http`, which a Worker has by `nodejs_compat` alone.',
    runtimes: ['workerd'],
    promises: hooks,
  },
  {
    reason: 'workerd sends a stream in chunks, without its length.',
    runtimes: workers,
    promises: ['res: A stream may have a length'],
  },
  {
    reason: 'Behind hooks too, workerd sends a stream in chunks, without its length.',
    runtimes: ['workerd, nodejs_compat'],
    promises: ['Hooks: A stream with a length behind hooks'],
  },
  {
    reason: 'A hook has no address of the client, which reaches workerd itself in the test.',
    runtimes: ['workerd, nodejs_compat'],
    promises: ['Hooks: Members of Express'],
  },
  {
    reason: 'The node:http of workerd sends each body in chunks, without its length.',
    runtimes: ['workerd, node:http'],
    promises: [
      ...lengths,
      'res: A wrong length of a whole body is not sent',
      'res: A stream may have a length',
      'Hooks: A stream with a length behind hooks',
    ],
  },
  {
    reason: 'The node:http of workerd gives each answer a body, which its own `Response` refuses for 205.',
    runtimes: ['workerd, node:http'],
    promises: ['res: 205 has no body'],
  },
  {
    reason: 'The node:http of workerd compresses a body once more that has been compressed.',
    runtimes: ['workerd, node:http'],
    promises: [
      'res: A body that has its coding is sent as it is',
      'Hooks: compression of a text',
      'Hooks: compression of a stream',
    ],
  },
  {
    reason: 'The node:http of workerd tells nothing of a client that disconnects while an answer is written.',
    runtimes: ['workerd, node:http'],
    promises: ['req: The source of a stream is cancelled when a client disconnects'],
  },
  {
    reason: 'The node:http of Bun answers `OPTIONS *` itself, with 400.',
    runtimes: ['Bun: Server, node:http'],
    promises: ['The path: `OPTIONS *` is 204 with Allow'],
  },
  {
    reason: 'Bun adds a charset to the type of a file of text: `text/plain;charset=utf-8`.',
    runtimes: bun,
    promises: ['Bodies: Fields and files of multipart'],
  },
  {
    reason:
      'A `Response` has no length unless it was set. The server around it sends one, or sends the body in chunks.',
    runtimes: [...bridges, ...lambda],
    promises: lengths,
  },
  {
    reason:
      'Cloudflare names the client in `CF-Connecting-IP`. The client of the test reaches workerd itself, and sends none.',
    runtimes: workers,
    promises: [
      'req: `req.realIp` is the address of the client',
      'req: Without `trustProxy`, X-Forwarded-For does not count',
    ],
  },
  {
    reason: 'Without the address of the peer, `trustProxy` has none to begin with.',
    runtimes: ['workerd, nodejs_compat'],
    promises: [
      ...behindProxies,
      'Express apps: X-Forwarded-Host of a trusted proxy',
      'Express apps: `req.ip` is a text',
    ],
  },
  {
    reason: '`trustProxy` needs `node:net`, and RouteControllers with it cannot be made.',
    runtimes: ['workerd'],
    promises: behindProxies,
  },
  {
    reason: 'The server writes values of headers in UTF-8.',
    runtimes: [...workers, 'workerd, node:http', 'Node 24: @hono/node-server'],
    promises: ['res: Latin-1 in a header'],
  },
  {
    reason: 'Lambda tells a function nothing of a client that disconnects.',
    runtimes: [...lambda, 'Node 24: serverless-http'],
    promises: ['req: `req.signal` aborts when a client disconnects'],
  },
  {
    reason:
      'Lambda takes an answer when it is whole. For one that breaks off, the function fails, and API Gateway answers 502.',
    runtimes: ['AWS Lambda: Lambda 2.0', 'AWS Lambda: Lambda 1.0'],
    promises: cuts,
  },
  {
    reason:
      'serverless-http waits for the end of an answer. For one that breaks off it waits until Lambda ends the function.',
    runtimes: ['Node 24: serverless-http'],
    promises: cuts,
  },
  {
    reason: 'serverless-http sets `req.body` to the bytes, and RouteControllers keeps what was set upstream.',
    runtimes: ['Node 24: serverless-http'],
    promises: ['Bodies: A request without a body has none', 'Bodies: A body of another type is not parsed'],
  },
  {
    reason: 'An event of the format 1.0 has the query decoded, so it is written anew.',
    runtimes: ['AWS Lambda: Lambda 1.0'],
    promises: [
      'req: `req.query`: a list for a repeated name, `+` is a space',
      'req: `req.query`: a malformed escape stays as it is',
      'Errors: `onNotFound` answers, with 404',
    ],
  },
  {
    reason:
      'The `Response` of this runtime does not tell that its body is a text, so the answer to HEAD has no length.',
    runtimes: [...bun, ...deno, ...workers, 'workerd, node:http'],
    promises: ['Which controller: HEAD of a `Response` has the length of GET'],
  },
  {
    reason:
      'Bun gives a `Response` its type when `Bun.serve` sends it. Where its node:http serves, there is none.',
    runtimes: ['Bun: Server', 'Bun: Server, node:http'],
    promises: [
      'res: A `Response` of a text is `text/plain`',
      'res: A `Response` to which a header is added keeps its type',
    ],
  },
  {
    reason: '`Bun.serve` refuses a body with trailers.',
    runtimes: ['Bun: Bun.serve'],
    promises: ['Bodies: Trailers behind a body'],
  },
  {
    reason: '`Bun.serve` ends a connection on which a request comes before the answer to the last one.',
    runtimes: ['Bun: Bun.serve'],
    promises: ['Serving: A slow answer comes before that of the next request'],
  },
  {
    reason: 'Deno reads of a multipart body what has come before it broke off.',
    runtimes: deno,
    promises: ['Bodies: A multipart body that breaks off is 400'],
  },
  {
    reason: 'workerd itself refuses a request without a Host.',
    runtimes: [...workers, 'workerd, node:http'],
    promises: ['The path: HTTP/1.0 without a Host'],
  },
  {
    reason: 'workerd joins two Cookie fields by a comma.',
    runtimes: [...workers, 'workerd, node:http'],
    promises: ['req: Two Cookie fields'],
  },
  {
    reason: 'br needs `node:zlib`, and without it the answer is 415.',
    runtimes: ['workerd'],
    promises: ['Bodies: `decompress` reads br'],
  },
  {
    reason: 'A response of workerd says `close` a second time.',
    runtimes: ['workerd, nodejs_compat'],
    promises: ['Hooks: `finish` and `close` of an answer'],
  },
  {
    reason: 'The node:http of workerd cuts `If-Modified-Since` off at its comma.',
    runtimes: ['workerd, node:http'],
    promises: ['Native middleware: `conditional()` compares a date'],
  },
  {
    reason: 'The query comes without its `?`, and an empty one cannot be told from none.',
    runtimes: [...lambda, 'Node 24: serverless-http', 'workerd, node:http'],
    promises: ['req: A `?` without a query stays in `req.url`', 'Express apps: `req.url` keeps a `?`'],
  },
  {
    reason: 'serverless-http gives a request its headers in `headers` alone.',
    runtimes: ['Node 24: serverless-http'],
    promises: ['Hooks: A hook reads `headersDistinct`, and that its socket is readable'],
  },
  {
    reason: '@hono/node-server sends `text/plain` where an answer has no type.',
    runtimes: ['Node 24: @hono/node-server'],
    promises: ['Hooks: An answer without a type gets none'],
  },
]

/** The number of the reason for each promise that differs in a runtime, from 1 on. */
export function reasonsFor(runtime: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [at, { runtimes, promises }] of reasons.entries()) {
    if (runtimes.includes(runtime)) for (const title of promises) found.set(title, at + 1)
  }
  return found
}

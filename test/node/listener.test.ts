import { withNodeEntry } from '../../src/run/entry.js'
import { type NodeEntry } from '../../src/node/node-entry.js'
import { createListener, type ListenerOptions, toListener } from '../../src/run/listener.js'
import { MemberLayer } from '../../src/node/member-layer.js'
import type { FetchHandler, NodeHandler } from '../../src/ground/types.js'
import { type NodePair, nodePair, settled } from '../support/node-pair.js'

const unused: FetchHandler = () => Promise.reject(new Error('Nobody asks for a web Request'))
const layer = new MemberLayer('test-listener', { added: { value: true, configurable: true } })

/** A handler that adds members to what it gets, and passes it on. */
function adding(): FetchHandler {
  const entry: NodeEntry = (req, res, _host, pass) => {
    layer.addTo(req)
    layer.addTo(res)
    pass?.()
  }
  return withNodeEntry(async (request) => unused(request), entry)
}

/** What the fallback finds of the members, on the request and on the response. */
function seenBy(members: object): [boolean, boolean] | undefined {
  const { req, res } = nodePair()
  let seen: [boolean, boolean] | undefined
  const fallback: NodeHandler = (atReq, atRes) => {
    if (atReq === req && atRes === res) seen = [layer.isOn(atReq), layer.isOn(atRes)]
  }
  createListener(adding(), { fallback: Object.assign(fallback, members) })(req, res)
  return seen
}

it('A fallback gets request and response of their own classes again', () => {
  expect(seenBy({})).toEqual([false, false])
})

it('An Express gets them as they are, because it gives them classes of its own', () => {
  expect(seenBy({ request: {}, response: {} })).toEqual([true, true])
})

it.each(['request', 'response'])('What has a member %s alone is no Express', (name) => {
  expect(seenBy({ [name]: {} })).toEqual([false, false])
})

it('A fallback is called as Node calls a listener, with the server as `this`', () => {
  const { req, res } = nodePair()
  const calls: unknown[][] = []
  const fallback = function (this: unknown, ...parameters: unknown[]): void {
    calls.push([this, ...parameters])
  }
  const server = {}
  createListener(adding(), { fallback }).call(server, req, res)
  expect(calls).toHaveLength(1)
  expect([calls[0]![0] === server, calls[0]![1] === req, calls[0]![2] === res]).toEqual([true, true, true])
})

it('Without a fallback nothing is passed on', () => {
  const passes: unknown[] = []
  const entry: NodeEntry = (_req, _res, _host, pass) => void passes.push(pass)
  const { req, res } = nodePair()
  createListener(withNodeEntry(unused.bind(undefined), entry), {})(req, res)
  expect(passes).toEqual([undefined])
})

const tell = ({ url: location }: Request): Response => new Response(null, { headers: { location } })

/** The answer to a request that nothing but a web handler serves. */
async function answerTo(
  serve: (listenerOf: (options: ListenerOptions) => NodeHandler) => NodeHandler,
  headers: readonly string[],
): Promise<NodePair> {
  const pair = nodePair({ url: '/a', headers, remoteAddress: '10.0.0.1' })
  serve((options) => createListener(tell, options))(pair.req, pair.res)
  await settled()
  return pair
}

const forwarded = [
  'Host',
  'named.example',
  'X-Forwarded-Host',
  'outside.example',
  'X-Forwarded-Proto',
  'https',
]

it('toListener takes no word of a proxy', async () => {
  const pair = await answerTo(() => toListener(tell), forwarded)
  expect(pair.head()).toContain('location: http://named.example/a')
})

it.each([[{}], [{ fallback: () => {} }]])('The options of a server count, with %p', async (more) => {
  const trust = (address: string): boolean => address === '10.0.0.1'
  const trusted = await answerTo((listenerOf) => listenerOf({ trust, ...more }), forwarded)
  expect(trusted.head()).toContain('location: https://outside.example/a')
  const limited = await answerTo((listenerOf) => listenerOf({ maxHeaderFields: 2, ...more }), forwarded)
  expect(limited.head()[0]).toBe('HTTP/1.1 431 Request Header Fields Too Large')
})

it('A request is looked at as one that nobody has judged before', async () => {
  const { head, body } = await answerTo((listenerOf) => listenerOf({}), ['Host', 'a/b'])
  expect([head()[0], body()]).toEqual(['HTTP/1.1 400 Bad Request', 'The Host field is malformed'])
})

import type { LookupFunction } from 'node:net'
import supertest, { type Response, type Test } from 'supertest'
import type { SendOptions } from './describe-servings.js'

/** What `localhost` is, which asking the system for costs more than a request. */
export const toThisMachine: LookupFunction = (_host, { all }, resolved) =>
  all ? resolved(null, [{ address: '127.0.0.1', family: 4 }]) : resolved(null, '127.0.0.1', 4)

const sent = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const
type Sent = (typeof sent)[number]

/**
 * True for a request that supertest sends as it is given.
 *
 * It parses the target as a URL, sends a body in one piece, and unpacks an answer that is encoded: what is about one of these needs a socket.
 */
export function isForSupertest(
  target: string,
  { method = 'GET', headers = {}, chunked }: SendOptions,
): boolean {
  return (
    !chunked &&
    /^\/[\w/?=&.~-]*$/.test(target) &&
    !/\/\/|\/\.|\?$/.test(target) &&
    sent.includes(method.toLowerCase() as Sent) &&
    method === method.toUpperCase() &&
    Object.keys(headers).every((name) => !/^(?:accept-encoding|connection|content-length|host)$/i.test(name))
  )
}

/** The answer of a server of this machine, its body in bytes. */
export async function sendBySupertest(
  port: number,
  target: string,
  { method = 'GET', headers = {}, body }: SendOptions,
): Promise<{ answer: Response; statusText: string; body: Buffer }> {
  const asked: Test = supertest(`http://localhost:${port}`)
    [method.toLowerCase() as Sent](target)
    .lookup(toThisMachine)
    .unset('accept-encoding')
    .set(headers)
    .buffer(true)
    .parse((incoming, read) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: string) => void chunks.push(Buffer.from(chunk)))
      incoming.on('end', () => read(null, Buffer.concat(chunks)))
    })
  if (body !== undefined) {
    const bytes = Buffer.from(body)
    // A type of JSON alone would make supertest write the bytes as JSON once more.
    void asked
      .set('content-length', String(bytes.length))
      .serialize(() => bytes as never)
      .send(bytes)
  }
  const answer = (await asked) as Response & { res: { statusMessage: string } }
  // Without a body, supertest leaves an object there.
  return {
    answer,
    statusText: answer.res.statusMessage,
    body: Buffer.isBuffer(answer.body) ? answer.body : Buffer.alloc(0),
  }
}

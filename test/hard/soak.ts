// Every kind of request for ten minutes: what is in use after a collection does not grow.
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cert } from '../support/certificate.js'
import { ServerChild } from './child.js'
import { below, createRandom, pick, type Random } from './random.js'
import { connectRaw, opening, requestFrames } from './raw-http2.js'
import { grouped, inMebibytes, type Row } from './row.js'

const mostSlope = 0.1 * 1024 * 1024
const minute = 60_000
/** Sixteen clients hold less at any time; a leak of one for each client that goes away passes it in seconds. */
const mostDescriptors = 200

export const row: Row = {
  asked: '10 min mixed load by HTTP/1.1 and HTTP/2: heap after gc grows < 0.1 MiB/min from minute 3',
  async run({ seed, count, tell }) {
    // At another scale so much shorter, and measured from its third tenth all the same.
    const durationMs = count(10 * minute)
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const secure = await server.ask<number>('secure')
    const began = performance.now()
    const elapsed = (): number => performance.now() - began
    const findings: string[] = []
    let sent = 0

    const worker = async (number: number): Promise<void> => {
      const random = createRandom(seed * 1000 + number)
      // Every other one speaks HTTP/2, and now and then on a new connection.
      const client = number % 2 === 0 ? new Http1Client(server.port) : new Http2Client(secure)
      while (elapsed() < durationMs && server.isRunning && findings.length < 20) {
        // At less than full load: what is wanted is time, in which others may use the machine.
        await sleep(5)
        const wrong = await attempt(random, client)
        if (wrong !== undefined) findings.push(wrong)
        sent++
      }
      client.close()
    }
    const samples: { ms: number; heap: number; descriptors: number }[] = []
    const watch = async (): Promise<void> => {
      while (elapsed() < durationMs && server.isRunning) {
        await sleep(durationMs / 40)
        const { heap, descriptors } = await server.ask<{ heap: number; descriptors: number }>()
        samples.push({ ms: elapsed(), heap, descriptors })
        if (samples.length % 8 === 0) {
          tell(`${(elapsed() / minute).toFixed(1)} min, ${grouped(sent)} requests, heap ${inMebibytes(heap)}`)
        }
      }
    }
    await Promise.all([watch(), ...Array.from({ length: 16 }, (_, number) => worker(number))])
    const wrong = findings.length
    if (!server.isRunning) findings.push('the server has exited')
    await server.stop()

    const late = samples.filter(({ ms }) => ms >= 0.3 * durationMs)
    const slope = slopeOf(late.map(({ ms, heap }) => [ms / minute, heap]))
    const last = samples.at(-1)!
    if (last.descriptors > mostDescriptors) findings.push(`it holds ${last.descriptors} descriptors`)
    const measured = `${(durationMs / minute).toFixed(1)} min, ${grouped(sent)} requests: ${slope < 0 ? '−' : '+'}${(Math.abs(slope) / 1024 / 1024).toFixed(3)} MiB/min, heap ${inMebibytes(last.heap)}, ${last.descriptors} descriptors, ${wrong} wrong answers`
    return {
      measured,
      verdict: findings.length > 0 ? 'failed' : slope < mostSlope ? 'ok' : 'short',
      findings,
    }
  },
}

/** By least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } }

/** One request, mostly a good one; gives what is wrong with its answer. */
async function attempt(random: Random, client: Client): Promise<string | undefined> {
  const id = below(random, 1_000_000)
  const [path, status, init] = pick<readonly [string, number, RequestInit?]>(random, [
    ['/', 200],
    [`/users/${id}?a=${id}&b=2`, 200],
    [`/users/${id}`, 200, { headers: { [`x-${id % 1000}`]: 'own' } }],
    [`/nowhere/${id}`, 404],
    ['/throw', 500],
    ['/late', 200],
    [`/keyed/${id}`, id % 2 === 0 ? 401 : 200, id % 2 === 0 ? {} : { headers: { 'x-key': 'k' } }],
    ['/json', 201, { ...json, body: JSON.stringify({ id, list: [1, 2, 3], text: 'x'.repeat(id % 5000) }) }],
    ['/json', 400, { ...json, body: '{"broken":' }],
    // Seldom: it takes the time of a hundred others.
    random() < 0.1 ? ['/json', 413, { ...json, body: `"${'x'.repeat(1_100_000)}"` }] : ['/late', 200],
    ['/form', 200, { method: 'POST', body: new URLSearchParams({ a: String(id), b: 'é' }) }],
    ['/upload', 200, { method: 'POST', body: formOf(id) }],
    [`/down?bytes=${id % 300_000}`, 200],
    ['', 0],
  ])
  if (path === '') return client.abort(random)
  const began = performance.now()
  try {
    const answered = await client.send(path, init)
    return answered === status ? undefined : `${path} answers ${answered}, not ${status}`
  } catch (error) {
    const { cause = error } = error as { cause?: { socket?: object } }
    const ms = (performance.now() - began).toFixed(0)
    return `${path} fails after ${ms} ms: ${String(cause)} ${JSON.stringify((cause as { socket?: object }).socket)}`
  }
}

function formOf(id: number): FormData {
  const form = new FormData()
  form.set('a', String(id))
  form.set('file', new Blob(['x'.repeat(id % 20_000)]), 'name.txt')
  return form
}

/** One that asks, by one of the protocols. */
interface Client {
  /** Gives the status, once all of the answer has come. */
  send(path: string, init?: RequestInit): Promise<number>
  /** Goes away in the middle. */
  abort(random: Random): Promise<undefined>
  close(): void
}

class Http1Client implements Client {
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async send(path: string, init?: RequestInit): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, init)
    await response.arrayBuffer()
    return response.status
  }

  abort(random: Random): Promise<undefined> {
    const request = pick(random, [
      'GET /events HTTP/1.1\r\nHost: t\r\n\r\n',
      'GET /down?bytes=100000000 HTTP/1.1\r\nHost: t\r\n\r\n',
      'POST /json HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a"',
      'GET / HTTP/1.1\r\nHo',
      'not HTTP at all\r\n\r\n',
    ])
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1', () => {
        socket.write(request)
        setTimeout(() => socket.destroy(), 20 + below(random, 30))
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(undefined))
      socket.resume()
    })
  }

  close(): void {}
}

class Http2Client implements Client {
  readonly #port: number
  #session: ClientHttp2Session | undefined
  #sent = 0

  constructor(port: number) {
    this.#port = port
  }

  async send(path: string, init: RequestInit = {}): Promise<number> {
    if (this.#sent++ % 100 === 0) this.close()
    this.#session ??= connectHttp2(`https://localhost:${this.#port}`, { ca: cert, family: 4 } as object)
    // It knows what each kind of body looks like.
    const request = new Request('http://x', init)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const stream = this.#session.request(
      { ':method': request.method, ':path': path, ...Object.fromEntries(request.headers) },
      { endStream: body === undefined },
    )
    return new Promise((resolve, reject) => {
      let status = 0
      stream.on('response', (head) => (status = head[':status']!))
      stream.on('error', reject)
      stream.on('close', () => resolve(status))
      stream.resume()
      if (body !== undefined) stream.end(body)
    })
  }

  abort(random: Random): Promise<undefined> {
    const json = { 'content-type': 'application/json', 'content-length': '1000' }
    const request = pick(random, [
      requestFrames('/events'),
      requestFrames('/down?bytes=100000000'),
      requestFrames('/json', { fields: json, data: '{"a"' }),
      requestFrames('/').subarray(0, 20),
    ])
    return new Promise((resolve) => {
      const { socket, tcp } = connectRaw(this.#port, () => {
        socket.write(Buffer.concat([opening, request]))
        setTimeout(() => tcp.destroy(), 20 + below(random, 30))
      })
      tcp.on('close', () => resolve(undefined))
      socket.resume()
    })
  }

  close(): void {
    this.#session?.close()
    this.#session = undefined
  }
}

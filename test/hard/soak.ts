// Every kind of request for ten minutes: what is in use after a collection does not grow.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerChild } from './child.js'
import { below, createRandom, pick, type Random } from './random.js'
import { grouped, inMebibytes, type Row } from './row.js'

const mostSlope = 0.1 * 1024 * 1024
const minute = 60_000
/** Sixteen clients hold less at any time; a leak of one for each client that goes away passes it in seconds. */
const mostDescriptors = 200

export const row: Row = {
  asked: '10 min mixed load: heap after gc grows < 0.1 MiB/min from minute 3',
  async run({ seed, count, tell }) {
    // At another scale so much shorter, and measured from its third tenth all the same.
    const durationMs = count(10 * minute)
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const began = performance.now()
    const elapsed = (): number => performance.now() - began
    const findings: string[] = []
    let sent = 0

    const worker = async (number: number): Promise<void> => {
      const random = createRandom(seed * 1000 + number)
      while (elapsed() < durationMs && server.isRunning && findings.length < 20) {
        // At less than full load: what is wanted is time, in which others may use the machine.
        await sleep(5)
        const wrong = await attempt(random, server.port)
        if (wrong !== undefined) findings.push(wrong)
        sent++
      }
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
async function attempt(random: Random, port: number): Promise<string | undefined> {
  const origin = `http://127.0.0.1:${port}`
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
  if (path === '') return abort(random, port)
  const began = performance.now()
  try {
    const response = await fetch(origin + path, init)
    await response.arrayBuffer()
    return response.status === status ? undefined : `${path} answers ${response.status}, not ${status}`
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

/** A client that goes away in the middle. */
function abort(random: Random, port: number): Promise<undefined> {
  const request = pick(random, [
    'GET /events HTTP/1.1\r\nHost: t\r\n\r\n',
    'GET /down?bytes=100000000 HTTP/1.1\r\nHost: t\r\n\r\n',
    'POST /json HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a"',
    'GET / HTTP/1.1\r\nHo',
    'not HTTP at all\r\n\r\n',
  ])
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(request)
      setTimeout(() => socket.destroy(), 20 + below(random, 30))
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(undefined))
    socket.resume()
  })
}

// A gibibyte each way with a peer that is slower than we are: nothing is lost, and nothing piles up.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:http2'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { cert } from '../support/certificate.js'
import { ServerChild } from './child.js'
import { chunksOf, digest } from './noise.js'
import { inMebibytes, type Row } from './row.js'

const mostRss = 64 * 1024 * 1024

export const row: Row = {
  asked: '1 GiB up and down with a slow peer, by HTTP/1.1 and HTTP/2: SHA-256 equal, RSS + < 64 MiB',
  async run({ count, tell }) {
    // In chunks of the same size, so that the last one is whole.
    const bytes = count(16_384) * 64 * 1024
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const { sha256: wanted } = await digest(chunksOf(bytes))
    const findings: string[] = []
    const told: string[] = []
    let isLarge = false
    const secure = await server.ask<number>('secure')
    const transfers = {
      down: (bytes: number) => download(server.port, bytes),
      up: (bytes: number) => upload(server.port, bytes),
      'HTTP/2 down': (bytes: number) => downloadHttp2(secure, bytes),
      'HTTP/2 up': (bytes: number) => uploadHttp2(secure, bytes),
    }
    for (const [way, transfer] of Object.entries(transfers)) {
      // What is loaded at the first use is no growth.
      await transfer(32 * 1024 * 1024)
      const { rss } = await server.ask<{ rss: number }>()
      await server.ask('peak')
      const began = performance.now()
      const found = await transfer(bytes)
      const seconds = (performance.now() - began) / 1000
      const growth = (await server.ask<number>('peak')) - rss
      if (found !== wanted) findings.push(`${way}: the SHA-256 is ${found}, not ${wanted}`)
      if (growth >= mostRss) isLarge = true
      told.push(`${way} in ${seconds.toFixed(0)} s, RSS + ${inMebibytes(growth)}`)
      tell(told.at(-1)!)
    }
    await server.stop()
    const verdict = findings.length > 0 ? 'failed' : isLarge ? 'short' : 'ok'
    const hashes = findings.length > 0 ? 'a hash differs' : 'hashes equal'
    return { measured: `${inMebibytes(bytes)} ${told.join(', ')}: ${hashes}`, verdict, findings }
  },
}

/** Reads in fits and starts. */
async function download(port: number, bytes: number): Promise<string> {
  const outgoing = request({ host: '127.0.0.1', port, path: `/down?bytes=${bytes}`, agent: false }).end()
  const [incoming] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer>]
  return (await digest(incoming, { pauseMs: 100, everyBytes: 16 * 1024 * 1024 })).sha256
}

/** Writes in fits and starts. */
async function upload(port: number, bytes: number): Promise<string> {
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes }
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/up', agent: false, headers })
  const answered = once(outgoing, 'response') as Promise<[AsyncIterable<Buffer>]>
  await writeAll(outgoing, bytes)
  outgoing.end()
  return toHash((await answered)[0], bytes)
}

async function writeAll(outgoing: Writable, bytes: number): Promise<void> {
  let written = 0
  for await (const chunk of chunksOf(bytes)) {
    if (!outgoing.write(chunk)) await once(outgoing, 'drain')
    written += chunk.length
    if (written % (64 * 1024 * 1024) < chunk.length) await sleep(50)
  }
}

async function toHash(received: AsyncIterable<Buffer>, bytes: number): Promise<string> {
  let text = ''
  for await (const chunk of received) text += chunk.toString()
  const answer = JSON.parse(text) as { bytes: number; sha256: string }
  return answer.bytes === bytes ? answer.sha256 : `that of ${answer.bytes} bytes`
}

async function downloadHttp2(port: number, bytes: number): Promise<string> {
  const session = connect(`https://localhost:${port}`, { ca: cert, family: 4 } as object)
  const stream = session.request({ ':path': `/down?bytes=${bytes}` })
  const { sha256 } = await digest(stream, { pauseMs: 100, everyBytes: 16 * 1024 * 1024 })
  session.close()
  return sha256
}

async function uploadHttp2(port: number, bytes: number): Promise<string> {
  const session = connect(`https://localhost:${port}`, { ca: cert, family: 4 } as object)
  const headers = { 'content-type': 'application/octet-stream', 'content-length': bytes }
  const stream = session.request({ ':method': 'POST', ':path': '/up', ...headers })
  await writeAll(stream, bytes)
  stream.end()
  const hash = await toHash(stream, bytes)
  session.close()
  return hash
}

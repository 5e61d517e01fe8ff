// A gibibyte each way with a peer that is slower than we are: nothing is lost, and nothing piles up.
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerChild } from './child.js'
import { chunksOf, digest } from './noise.js'
import { inMebibytes, type Row } from './row.js'

const mostRss = 64 * 1024 * 1024

export const row: Row = {
  asked: '1 GiB up and down with a slow peer: SHA-256 equal, RSS + < 64 MiB',
  async run({ count, tell }) {
    // In chunks of the same size, so that the last one is whole.
    const bytes = count(16_384) * 64 * 1024
    const server = await ServerChild.start('hard/load-server.ts', 'ours')
    const { sha256: wanted } = await digest(chunksOf(bytes))
    const findings: string[] = []
    const told: string[] = []
    let isLarge = false
    for (const [way, transfer] of Object.entries({ down: download, up: upload })) {
      // What is loaded at the first use is no growth.
      await transfer(server.port, 32 * 1024 * 1024)
      const { rss } = await server.ask<{ rss: number }>()
      await server.ask('peak')
      const began = performance.now()
      const found = await transfer(server.port, bytes)
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
  let written = 0
  for await (const chunk of chunksOf(bytes)) {
    if (!outgoing.write(chunk)) await once(outgoing, 'drain')
    written += chunk.length
    if (written % (64 * 1024 * 1024) < chunk.length) await sleep(50)
  }
  outgoing.end()
  let text = ''
  for await (const chunk of (await answered)[0]) text += chunk.toString()
  const answer = JSON.parse(text) as { bytes: number; sha256: string }
  return answer.bytes === bytes ? answer.sha256 : `that of ${answer.bytes} bytes`
}

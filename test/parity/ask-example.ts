// What the server of one of Express's examples is asked, and what it answers, to the byte.
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOn } from '../support/describe-servings.js'
import { sendOverSocket, toBytes } from './exchange.js'
import { Random } from './random.js'
import { makeRequest, type SentRequest } from './requests.js'

export interface Exchange {
  asked: SentRequest
  answer: string
}

export interface AcceptanceRun {
  count: number
  /** By their titles. */
  passed: string[]
  exchanges: Exchange[]
}

/** Runs a file of tests against a server, with somebody between them who notes what is said. */
export async function runAcceptance(mocha: string, tests: string, port: number): Promise<AcceptanceRun> {
  const exchanges: Exchange[] = []
  const relay = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const pairs = Array.from({ length: req.rawHeaders.length / 2 }, (_, at) =>
      req.rawHeaders.slice(2 * at, 2 * at + 2),
    )
    const headers = pairs.filter(([name]) => name!.toLowerCase() !== 'connection') as [string, string][]
    const asked = { method: req.method!, target: req.url!, headers, body: await text(req) }
    const answer = await sendOverSocket(port, toBytes(asked))
    exchanges.push({ asked, answer })
    res.socket!.end(answer, 'latin1')
  }
  const between = await listenOn((req, res) => void relay(req, res))
  const running = spawn(process.execPath, [mocha, '--reporter', 'json', tests], {
    env: { ...process.env, EXAMPLE: `http://127.0.0.1:${between.port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const report = JSON.parse(await text(running.stdout)) as {
    tests: readonly unknown[]
    passes: readonly { fullTitle: string }[]
  }
  await between.close()
  return { count: report.tests.length, passed: report.passes.map(({ fullTitle }) => fullTitle), exchanges }
}

/** So many random requests that meet these paths, or miss them narrowly. */
export function makeRequests(paths: readonly string[], count: number, seed: number): SentRequest[] {
  const random = new Random(seed)
  const routes = paths.map((path) => ({ path }))
  return Array.from({ length: count }, () => makeRequest(random, { routes, hooks: [] }))
}

/** One request after the other, as a client sends them that keeps its cookies. */
export async function sendAll(port: number, requests: readonly SentRequest[]): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const cookies = new Map<string, string>()
  for (const asked of requests) {
    const kept = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers: SentRequest['headers'] = kept === '' ? asked.headers : [...asked.headers, ['Cookie', kept]]
    const answer = await sendOverSocket(port, toBytes({ ...asked, headers }))
    const set = answer.matchAll(/^Set-Cookie: ([^=]+)=([^;\r]*)/gim)
    for (const [, name, value] of set) cookies.set(name!, value!)
    exchanges.push({ asked, answer })
  }
  return exchanges
}

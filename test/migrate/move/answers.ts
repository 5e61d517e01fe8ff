// Servers in processes of their own, and whether they answer alike, byte by byte.
import { type ChildProcess, spawn } from 'node:child_process'
import { isWhole } from '../../support/counts.js'
import { openRaw } from '../../support/raw-socket.js'

const servers: ChildProcess[] = []

/** Starts a file that prints its port. */
export async function serve(folder: string, file: string): Promise<number> {
  const loader = /\.[cm]?ts$/.test(file) ? ['--import', 'tsx'] : []
  const server = spawn(process.execPath, [...loader, file], {
    cwd: folder,
    // The pages of errors show a stack otherwise.
    env: { ...process.env, NODE_ENV: 'production', MARK: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  servers.push(server)
  // Express prints each error that its default page answers, and those are asked for here.
  let errors = ''
  server.stderr!.on('data', (chunk) => (errors += String(chunk)))
  let text = ''
  for await (const chunk of server.stdout!) {
    text += String(chunk)
    if (text.includes('\n')) return Number(text)
  }
  throw new Error(`${file} has printed no port: ${errors}`)
}

export function stopServers(): void {
  for (const server of servers) server.kill('SIGKILL')
}

export interface Asked {
  readonly method: string
  readonly url: string
  /** Lines with their ends. */
  readonly headers?: string
  readonly body?: string
}

/** What a server answers, but for the date and the names of sessions. */
export async function ask(port: number, { method, url, headers = '', body }: Asked): Promise<string> {
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  const text = await askRaw(
    port,
    `${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}${length}\r\n${body ?? ''}`,
  )
  return text.replace(/=s%3A[^;]*/, '=session')
}

/** What comes back for these bytes until the server closes the connection, without the date. */
export async function askRaw(port: number, request: string): Promise<string> {
  const socket = await openRaw(port)
  socket.write(request)
  return (await socket.untilClosed()).replace(/^Date: .*\r\n/m, '')
}

/** Requests of all routes, with a body where their method has one, and in other forms of the path; `npm run test:all` makes more. */
export function requestsOf(
  routes: readonly { readonly method: string; readonly path: string }[],
  values: readonly string[],
  body: object,
): Asked[] {
  const asked = new Map<string, Asked>()
  const add = (method: string, url: string): void => {
    const json = JSON.stringify(body)
    const hasBody = /^P/.test(method)
    const headers = 'Content-Type: application/json\r\n'
    asked.set(`${method} ${url}`, hasBody ? { method, url, headers, body: json } : { method, url })
  }
  for (const url of ['/', '/nothing', '/%', '//a']) add('GET', url)
  for (const { method, path } of routes) {
    const [url, ...others] = values.map((value) =>
      path.replace(/:\w+|\{[^}]*\}/g, value).replace(/^\/\^.*/, '/any'),
    ) as [string, ...string[]]
    const own = method === '*' ? 'POST' : method
    for (const one of [url, `${url}/`]) add(own, one)
    add('OPTIONS', url)
    if (!isWhole) continue
    for (const one of others) add(own, one)
    add('GET', path.replace(/:\w+/g, '%'))
    for (const one of ['GET', 'HEAD', 'PUT']) add(one, url)
    for (const one of [`${url}/none`, `${url}//`, url.toUpperCase(), `${url}?no=1`]) add(own, one)
  }
  return [...asked.values()]
}

/** Asks all servers the same, one after another, and compares what they answer with the first one's. */
export async function expectAlike(
  ports: readonly number[],
  requests: readonly Asked[],
  headersOf: (port: number) => string,
  formOf: (answer: string) => string = (answer) => answer,
): Promise<void> {
  for (const asked of requests) {
    const answers = await Promise.all(
      ports.map((port) => ask(port, { ...asked, headers: (asked.headers ?? '') + headersOf(port) })),
    )
    const [first, ...others] = answers.map(formOf)
    for (const answer of others) expect({ asked, answer }).toEqual({ asked, answer: first })
  }
}

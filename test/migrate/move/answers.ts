// Servers in processes of their own, and what they answer, byte by byte.
import { type ChildProcess, spawn } from 'node:child_process'
import { openRaw } from '../../support/raw-socket.js'

const servers: ChildProcess[] = []

/** Starts a file that prints its port. */
export async function serve(folder: string, file: string): Promise<number> {
  const server = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: folder,
    // The pages of errors show a stack otherwise.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  servers.push(server)
  let text = ''
  for await (const chunk of server.stdout!) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return Number(text)
}

export function stopServers(): void {
  for (const server of servers) server.kill('SIGKILL')
}

/** What a server answers, but for the date. */
export async function ask(port: number, request: string): Promise<string> {
  const socket = await openRaw(port)
  socket.write(request)
  const text = await socket.untilClosed()
  return text.replace(/^Date: .*\r\n/m, '')
}

/** An answer with its headers in alphabetical order. */
export function sorted(answer: string): string {
  const [head, ...body] = answer.split('\r\n\r\n')
  const [status, ...headers] = head!.split('\r\n')
  return [[status, ...headers.sort()].join('\r\n'), ...body].join('\r\n\r\n')
}

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headersOf } from './check.js'
import { hasWrk, loadProcessor, pin } from './machine.js'

const connections = 64
const autocannon = join(import.meta.dirname, 'autocannon.js')

/** Sends a request again and again over all connections. Throws when an answer is an error, or none comes. */
export async function load(port, request, milliseconds) {
  const url = `http://127.0.0.1:${port}${request.path}`
  return hasWrk ? runWrk(url, request, milliseconds) : runAutocannon(url, request, milliseconds)
}

async function runWrk(url, request, milliseconds) {
  const { method, body } = request
  const folder = mkdtempSync(join(tmpdir(), 'routecontrollers-wrk-'))
  try {
    // A string of JSON is a string of Lua too, as long as it is ASCII.
    const lines = [`wrk.method = ${JSON.stringify(method)}`]
    if (body !== undefined) lines.push(`wrk.body = ${JSON.stringify(body)}`)
    for (const [name, value] of Object.entries({ Accept: '*/*', ...headersOf(request) })) {
      lines.push(`wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
    }
    const script = join(folder, 'request.lua')
    writeFileSync(script, lines.join('\n'))
    const args = ['-t', '1', '-c', String(connections), '-d', '60s', '-s', script, url]
    // wrk counts whole seconds; interrupted, it reports what it has.
    const output = await run('wrk', args, (child) => setTimeout(() => child.kill('SIGINT'), milliseconds))

    const failures = /^\s*(Non-2xx or 3xx responses|Socket errors).*$/m.exec(output)
    if (failures) throw new Error(`${method} ${url}: ${failures[0].trim()}`)
    const [, requests] = /(\d+) requests in /.exec(output) ?? []
    if (!(requests > 0)) throw new Error(`${method} ${url}: no answer\n${output}`)
    const [, rate] = /^Requests\/sec:\s+([\d.]+)/m.exec(output) ?? []
    return { requests: Number(requests), seconds: requests / rate }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runAutocannon(url, request, milliseconds) {
  const { method, body } = request
  const headers = { Accept: '*/*', ...headersOf(request) }
  const options = { url, method, headers, body, connections, duration: milliseconds / 1000 }
  const output = await run(process.execPath, [autocannon, JSON.stringify(options)])
  const { requests, seconds, failures } = JSON.parse(output)
  if (failures > 0 || requests === 0) throw new Error(`${method} ${url}: ${failures} failures of ${requests}`)
  return { requests, seconds }
}

/** Runs a program on the processor of the load; resolves with what it printed. */
export function run(command, args, whileRunning) {
  return new Promise((resolve, reject) => {
    const child = spawn(...pin(loadProcessor, command, args), { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (text) => (output += text))
    child.on('error', reject)
    const timer = whileRunning?.(child)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(output)
      else reject(new Error(`${command} has ended with ${signal ?? code}\n${output}`))
    })
  })
}

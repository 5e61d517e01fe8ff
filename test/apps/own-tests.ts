// Runs the tests of an app, and reads what their runner has told.
import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'

export interface Result {
  readonly passed: number
  readonly failed: number
  readonly output: string
}

/** How Jest, Vitest, Mocha and Node tell how many tests have passed, and how many have failed. */
const passed = [
  /^Tests:.*?(\d+) passed/gm,
  /^\s*Tests .*?(\d+) passed/gm,
  /^\s*(\d+) passing/gm,
  /^(?:#|ℹ) pass (\d+)/gm,
]
const failed = [
  /^Tests:\s+(\d+) failed/gm,
  /^\s*Tests\s+(\d+) failed/gm,
  /^\s*(\d+) failing/gm,
  /^(?:#|ℹ) fail (\d+)/gm,
]

/** Runs a command line; it is ended after ten minutes. */
export async function runShell(
  command: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 600_000)
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve))
  clearTimeout(timer)
  return { code, output: stripVTControlCharacters(Buffer.concat(chunks).toString()) }
}

export async function runTests(
  command: string,
  folder: string,
  env?: Readonly<Record<string, string>>,
): Promise<Result> {
  const { output } = await runShell(command, folder, env)
  return { passed: sum(output, passed), failed: sum(output, failed), output }
}

function sum(output: string, patterns: readonly RegExp[]): number {
  return patterns
    .flatMap((pattern) => [...output.matchAll(pattern)])
    .reduce((total, [, number]) => total + Number(number), 0)
}

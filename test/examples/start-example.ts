import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compile } from '../support/compile.js'
import { isWhole } from '../support/counts.js'

const root = join(__dirname, '../..')

export interface RunningExample {
  /** What it has printed so far; it begins with all up to the line that says it is ready. */
  readonly output: string
  /** Stops it as Ctrl+C would, and resolves to its exit code. */
  stop: () => Promise<number | null>
}

export interface Example {
  /** Runs it on free ports until it prints `ready`. */
  start: (ready: RegExp, environment?: Record<string, string>) => Promise<RunningExample>
  /** Runs it until it ends by itself. */
  run: (environment: Record<string, string>) => Promise<Ended>
}

/**
 * `examples/<main>`, run as `npm start` does. In the loop it is compiled once, which tsx does at each start; `npm start` itself is
 * tried by test/docs/code-blocks.test.ts. To be called where tests are defined.
 */
export function useExample(main: string): Example {
  const file = join(root, 'examples', main)
  const command = isWhole ? ['--import', 'tsx', file] : [compile(file)]
  return {
    start: (ready, environment = {}) => start(command, ready, environment),
    run: (environment) => run(command, environment).closed,
  }
}

async function start(
  command: readonly string[],
  ready: RegExp,
  environment: Record<string, string>,
): Promise<RunningExample> {
  const { child, closed } = run(command, environment)
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      output += text
      if (ready.test(output)) resolve()
    })
    void closed.then(({ code, errors }) =>
      reject(new Error(`${command.at(-1)} ended with ${code}: ${errors}`)),
    )
  })
  return {
    get output() {
      return output
    },
    stop: async () => {
      child.kill('SIGINT')
      return (await closed).code
    },
  }
}

interface Ended {
  code: number | null
  errors: string
}

function run(command: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...process.env, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  let errors = ''
  child.stderr.on('data', (text: string) => (errors += text))
  const closed = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, errors }))
  return { child, closed }
}

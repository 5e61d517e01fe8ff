import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(__dirname, '../..')

export interface RunningExample {
  /** What it has printed so far; it begins with all up to the line that says it is ready. */
  readonly output: string
  /** Stops it as Ctrl+C would, and resolves to its exit code. */
  stop: () => Promise<number | null>
}

/** Runs `examples/<main>` as `npm start` does, on free ports, until it prints `ready`. */
export async function startExample(
  main: string,
  ready: RegExp,
  environment: Record<string, string> = {},
): Promise<RunningExample> {
  const { child, closed } = run(main, environment)
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      output += text
      if (ready.test(output)) resolve()
    })
    void closed.then(({ code, errors }) => reject(new Error(`${main} ended with ${code}: ${errors}`)))
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

/** Runs `examples/<main>` until it ends by itself. */
export async function runExample(main: string, environment: Record<string, string>): Promise<Ended> {
  return run(main, environment).closed
}

interface Ended {
  code: number | null
  errors: string
}

function run(main: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', join('examples', main)], {
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

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks apps that files of a folder export: ask-apps.cjs. */
export class AskedApps {
  readonly #folder: string
  #common: ChildProcess | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** What an app answers now: of each request the path, the status, the type, the tag and the body. */
  async answers(entry: string, asked: readonly Asked[]): Promise<unknown> {
    // Node loads an ES module once in a process.
    if (/\.(?:ts|mjs)$/.test(entry)) {
      const own = this.#start(['--import', 'tsx'])
      try {
        return await ask(own, join(this.#folder, entry), asked)
      } finally {
        own.kill()
      }
    }
    this.#common ??= this.#start([])
    return ask(this.#common, join(this.#folder, entry), asked)
  }

  stop(): void {
    this.#common?.kill()
  }

  #start(execArgv: string[]): ChildProcess {
    return fork(join(__dirname, 'ask-apps.cjs'), {
      cwd: this.#folder,
      execArgv,
      env: { ...process.env, ASKED: '1' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
  }
}

async function ask(child: ChildProcess, file: string, asked: readonly Asked[]): Promise<unknown> {
  let errors = ''
  const collect = (chunk: Buffer): void => void (errors += String(chunk))
  child.stderr!.on('data', collect)
  const over = new AbortController()
  try {
    child.send({ file, asked })
    const ended = once(child, 'exit', over).then(() => {
      throw new Error(`${file} has ended its process: ${errors}`)
    })
    const [told] = (await Promise.race([once(child, 'message', over), ended])) as [unknown]
    return told
  } finally {
    over.abort()
    child.stderr!.off('data', collect)
  }
}

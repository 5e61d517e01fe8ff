import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'

/** True where a Chromium is installed. */
const chromiumIsHere = spawnSync('chromium', ['--version'], { timeout: 60_000 }).status === 0

/** Tests that need a Chromium: none where there is no Chromium. */
export function describeInChromium(name: string, tests: () => void): void {
  if (chromiumIsHere) describe(name, tests)
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly message: string }
}

/** A headless Chromium, driven by its DevTools protocol. */
export class Chromium {
  readonly #child: ChildProcess
  readonly #profile: string
  readonly #address: string

  private constructor(child: ChildProcess, profile: string, address: string) {
    this.#child = child
    this.#profile = profile
    this.#address = address
  }

  static async start(): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
    const options = [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'],
      // Nothing here is asked of any other machine.
      ...[
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      // One process draws all pages, and none is started before it is needed or kept after it was left.
      ...['--renderer-process-limit=1', '--disable-features=BackForwardCache,SpareRendererForSitePerProcess'],
    ]
    const child = spawn('chromium', [...options, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    const address = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (text) => {
        log += String(text)
        const [, found] = /DevTools listening on (ws:\S+)/.exec(log) ?? []
        if (found !== undefined) resolve(found)
      })
      child.on('exit', () => reject(new Error(`Chromium has ended: ${log}`)))
    })
    return new Chromium(child, profile, address)
  }

  /** An empty page in a browser window of its own. Each takes a process, so that tests had better share one. */
  async open(): Promise<Tab> {
    const browser = await connect(this.#address)
    const { targetId } = await browser.call('Target.createTarget', { url: 'about:blank' })
    browser.close()
    const tab = new Tab(await connect(this.#address.replace(/\/devtools\/.*/, `/devtools/page/${targetId}`)))
    await tab.start()
    return tab
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exited
    }
    // Its other processes write to the profile until they have noticed. What is left of it is no failure of a test.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {})
  }
}

class Connection {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: Message) => void>()
  readonly events: Message[] = []
  #lastId = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      // eslint-disable-next-line @typescript-eslint/no-base-to-string
      const message = JSON.parse(String(data)) as Message
      if (message.id === undefined) this.events.push(message)
      else this.#waiting.get(message.id)?.(message)
    })
  }

  async call(method: string, params: object = {}): Promise<any> {
    const id = ++this.#lastId
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method, params }))
    const { result, error } = await answered
    this.#waiting.delete(id)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  close(): void {
    this.#socket.close()
  }
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address)
  const connection = new Connection(socket)
  await once(socket, 'open')
  return connection
}

const keys: Readonly<Record<string, { readonly code: number; readonly text?: string }>> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: '\r' },
  Escape: { code: 27 },
  ' ': { code: 32, text: ' ' },
  ArrowDown: { code: 40 },
  ArrowUp: { code: 38 },
  ArrowLeft: { code: 37 },
  ArrowRight: { code: 39 },
  '/': { code: 191, text: '/' },
}

/** A page, with what a person does in it: pointer and keys go through the browser, as those of a person do. */
export class Tab {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async start(): Promise<void> {
    for (const domain of ['Page', 'Runtime', 'Log']) await this.#connection.call(`${domain}.enable`)
  }

  async size(width: number, height: number): Promise<void> {
    await this.#connection.call('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    })
  }

  async scheme(value: 'dark' | 'light'): Promise<void> {
    await this.#connection.call('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value }],
    })
  }

  async headers(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#connection.call('Network.enable')
    await this.#connection.call('Network.setExtraHTTPHeaders', { headers })
  }

  async go(url: string): Promise<void> {
    await this.#connection.call('Page.navigate', { url })
  }

  /** Leaves the page, which would ask its server for a stream again and again, and forgets what it has complained about. */
  async leave(): Promise<void> {
    await this.go('about:blank')
    await this.#connection.call('Emulation.setEmulatedMedia', { features: [] })
    this.#connection.events.length = 0
  }

  /** The value of an expression, which may be a promise. */
  async value<Type = any>(expression: string): Promise<Type> {
    const { result, exceptionDetails } = await this.#connection.call('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    })
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as Type
  }

  async until(expression: string): Promise<void> {
    const end = Date.now() + 30_000
    while (!(await this.value(`Boolean(${expression})`))) {
      if (Date.now() > end) throw new Error(`this did not become true: ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async click(selector: string): Promise<void> {
    const found = `document.querySelector(${JSON.stringify(selector)})`
    await this.until(`${found} && !${found}.disabled`)
    const { x, y } = await this.value<{ x: number; y: number }>(`(() => {
      const one = ${found}
      one.scrollIntoView({ block: 'center' })
      const { x, y, width, height } = one.getBoundingClientRect()
      return { x: x + width / 2, y: y + height / 2 }
    })()`)
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
      await this.#connection.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
  }

  async press(key: string, options: { shift?: boolean } = {}): Promise<void> {
    const { code, text } = keys[key]!
    const shared = {
      key,
      code: key === ' ' ? 'Space' : key,
      windowsVirtualKeyCode: code,
      modifiers: options.shift ? 8 : 0,
    }
    await this.#connection.call('Input.dispatchKeyEvent', {
      type: text === undefined ? 'rawKeyDown' : 'keyDown',
      ...shared,
      ...(text !== undefined && { text }),
    })
    await this.#connection.call('Input.dispatchKeyEvent', { type: 'keyUp', ...shared })
  }

  async type(text: string): Promise<void> {
    await this.#connection.call('Input.insertText', { text })
  }

  /** Presses Tab until what has the focus fits the selector. */
  async tabTo(selector: string): Promise<void> {
    for (let presses = 0; presses < 100; presses++) {
      if (await this.value(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
      await this.press('Tab')
    }
    throw new Error(`Tab does not lead to ${selector}`)
  }

  /** A PNG. */
  async shot(options: object = {}): Promise<Buffer> {
    const { data } = await this.#connection.call('Page.captureScreenshot', { format: 'png', ...options })
    return Buffer.from(data as string, 'base64')
  }

  /** What the page or the browser has complained about: exceptions, what a policy has refused, failed requests. */
  complaints(): string[] {
    return this.#connection.events.flatMap(({ method, params }) => {
      if (method === 'Runtime.exceptionThrown')
        return [params.exceptionDetails.exception?.description ?? 'exception']
      if (method === 'Log.entryAdded' && params.entry.level === 'error')
        return [`${params.entry.text} ${params.entry.url ?? ''}`]
      return []
    })
  }

  close(): void {
    this.#connection.close()
  }
}

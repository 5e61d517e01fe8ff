import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from '../../support/doc-blocks.js'
import { findFreeRow, type Ports } from './ports.js'

/** The ports on which `npm start` listens, unless PORT says otherwise. */
const defaultPorts = [3000, 3001, 3002]

export interface Example {
  ports: Ports
  /** All that it has printed so far. */
  printed: () => string
  stop: () => void
}

/** Starts what `npm start` starts, on free ports. */
export async function startExample(): Promise<Example> {
  const row = await findFreeRow(defaultPorts.length)
  const ports: Ports = new Map(defaultPorts.map((port, at) => [String(port), String(row[at])]))
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, PORT: String(row[0]) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what npm starts can be ended with it.
    detached: true,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)))
  const stop = () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
  }

  for (let waited = 0; waited < 120_000; waited += 100) {
    if (child.exitCode !== null) throw new Error(`npm start has ended:\n${printed}`)
    if (await allAnswer([...ports.values()])) return { ports, printed: () => printed, stop }
    await delay(100)
  }
  stop()
  throw new Error(`npm start does not listen on ${[...ports.values()].join(', ')}:\n${printed}`)
}

async function allAnswer(ports: string[]): Promise<boolean> {
  const asked = ports.map((port) => fetch(`http://localhost:${port}/`).then((res) => res.body?.cancel()))
  return Promise.all(asked).then(
    () => true,
    () => false,
  )
}

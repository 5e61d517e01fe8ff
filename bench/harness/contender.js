import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { measuredProcessor, pin } from './machine.js'

const program = join(import.meta.dirname, 'contender-process.js')

/**
 * Starts a contender in a process of its own, pinned, by the Node that is measured. Resolves when it is ready, with
 * its port and `ask`, which puts one question after the other.
 */
export async function startContender({ name, file, options }, way, row, { node, profiles }) {
  const profile = `${row} ${name}`.replaceAll(/[^\w.]+/g, '-')
  const args = [
    ...(profiles
      ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${profile}.cpuprofile`]
      : []),
    ...[program, file, way, JSON.stringify(options)],
  ]
  const child = spawn(...pin(measuredProcessor, node, args), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code, signal) => reject(new Error(`${name} has ended (${signal ?? code})`))
      child.once('exit', onExit)
      child.once('message', (message) => {
        child.off('exit', onExit)
        if (message.failed === undefined) resolve(message)
        else reject(new Error(`${name}: ${message.failed}`))
      })
    })

  const { port } = await answer().catch((error) => {
    if (child.connected) child.disconnect()
    throw error
  })
  return {
    name,
    port,
    ask(question, about) {
      child.send({ ask: question, about })
      return answer()
    },
    stop() {
      return new Promise((resolve) => {
        child.once('exit', resolve)
        child.disconnect()
      })
    },
  }
}

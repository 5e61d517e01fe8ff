import { spawn } from 'node:child_process'
import { root } from './build-package.js'
import { measuredProcessor, pin } from './machine.js'

/** Runs bench/route-index.ts, which measures in a way of its own; resolves with the tables that it prints. */
export function runRouteIndex({ node }) {
  const args = ['--expose-gc', '--import', 'tsx', 'bench/route-index.ts', '--quick']
  return new Promise((resolve, reject) => {
    const child = spawn(...pin(measuredProcessor, node, args), {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(output.trim())
      else reject(new Error(`bench/route-index.ts has ended with ${code}`))
    })
  })
}

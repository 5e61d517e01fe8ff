// Runs the bundle of worker.mjs in workerd, with Node's modules and without.
import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'

const script = readFileSync(process.argv[2], 'utf8')
for (const [path, compatibilityFlags] of [
  ['/hello/ada', []],
  ['/hello/ada', ['nodejs_compat']],
  ['/bound', []],
  ['/uses', []],
  ['/uses', ['nodejs_compat']],
]) {
  const workerd = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-01-01',
    compatibilityFlags,
    bindings: { GREETING: 'Hello' },
  })
  try {
    const answer = await workerd.dispatchFetch(`http://localhost${path}`, {
      headers: { 'CF-Connecting-IP': '203.0.113.7' },
    })
    console.log(path, compatibilityFlags.join(), answer.status, await answer.text())
  } finally {
    await workerd.dispose()
  }
}

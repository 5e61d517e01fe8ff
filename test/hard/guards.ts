// A handler under a guard's path was reached: then the guard has run. In this process, through Node's own request and
// response and the very functions that a server calls, because a million requests over sockets would prove no more; but for
// HTTP/2, where each is a stream of a real session.
import { type GuardContext, contexts, guards, patterns, requiredGuards } from '../hostile/guards.js'
import { hostileTarget } from '../hostile/hostile-paths.js'
import { createRandom, pick } from './random.js'
import { grouped, judge, type Row } from './row.js'

const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'get', 'PROPFIND'] as const

export const row: Row = {
  asked: 'handler reached ⇒ guard ran, 1 000 000 generated paths: 0 exceptions',
  async run({ seed, count, tell }) {
    const findings: string[] = []
    const shares = contexts.reduce((sum, { share = 1 }) => sum + share, 0)
    let asked = 0
    let reached = 0
    for (const context of contexts) {
      const each = count((1_000_000 * (context.share ?? 1)) / shares)
      asked += each
      const found = await visitMany(context, each, seed, findings)
      await context.close?.()
      tell(`${context.name}: ${grouped(found)} of ${grouped(each)} have reached a handler`)
      // Else the run proves nothing.
      if (found < each / 10) findings.push(`${context.name}: only ${found} of ${each} have reached a handler`)
      reached += found
    }
    return judge(
      `${grouped(asked)} paths in ${contexts.length} contexts, ${grouped(reached)} have reached a handler: ${findings.length} without their guard`,
      findings,
    )
  },
}

async function visitMany(
  context: GuardContext,
  count: number,
  seed: number,
  findings: string[],
): Promise<number> {
  const visit = context.create(guards, patterns)
  const random = createRandom(seed)
  let reached = 0
  for (let at = 0; at < count; at++) {
    const method = pick(random, methods)
    const target = hostileTarget(random, context.mount)
    const { reached: pattern, guarded } = await visit(method, target)
    if (pattern === undefined) continue
    reached++
    const missing = requiredGuards(context, pattern, target).filter((guard) => !guarded.includes(guard))
    if (missing.length > 0) {
      findings.push(
        `${context.name}, seed ${seed}: ${method} ${JSON.stringify(target)} reaches ${pattern} without ${missing.join(', ')}`,
      )
    }
  }
  return reached
}

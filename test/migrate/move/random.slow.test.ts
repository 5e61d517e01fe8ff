// Random programs, moved: each request is answered as before, byte for byte, and has passed the same functions.
import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import * as routecontrollers from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { createRandom } from '../../hard/random.js'
import { isWhole } from '../../support/counts.js'
import { nodePair } from '../../support/node-pair.js'
import { createRandomProgram, createRandomRequest } from './random-programs.js'
import { moveText } from './move-text.js'

const count = Number(process.env['COUNT'] ?? (isWhole ? 200 : 4))
const first = Number(process.env['SEED'] ?? 1)
jest.setTimeout(Math.max(300_000, count * 4000))

const modules: Record<string, unknown> = { routecontrollers, 'routecontrollers/express': express }
const file = '/random/program.cjs'
// Made in this realm, as Express asks for it.
const letters = /^\/(a|b)(\/.*)?$/i
// The pages of errors show a stack, which is another one when the code has moved.
const fail = (told: unknown): Error => Object.assign(new Error(JSON.stringify(told)), { stack: 'stack' })
/** What each request has passed: one may go on when it has been answered, and the next one begins. */
const seenBy = new WeakMap<object, string[]>()

const stops = [express4, express5].map((one) => recordRegistrations(one))
afterAll(() => stops.forEach((stop) => stop()))

function evaluate(text: string, version: 4 | 5): any {
  const program = compileFunction(text, ['express', 'see', 'require', 'letters', 'fail'], { filename: file })
  const see = (req: any, name: string): unknown => {
    seenBy.get(req)!.push(name)
    const { url, baseUrl, originalUrl, params, route, query } = req
    return [
      name,
      url,
      baseUrl,
      originalUrl,
      params,
      // To a native callback a list is its text.
      Array.isArray(route?.path) ? `[${route.path.join(', ')}]` : route?.path && String(route.path),
      query,
      req.app === req.res.app,
    ]
  }
  return program.call(
    {},
    version === 4 ? express4 : express5,
    see,
    (name: string) => modules[name],
    letters,
    fail,
  )
}

async function ask(
  app: any,
  request: { method: string; url: string },
): Promise<{ answer: string; seen: string[] }> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const { req, res, finish, pieces } = nodePair({ ...request, headers: ['Host', 'x'] })
  const seen: string[] = []
  seenBy.set(req, seen)
  finish()
  await new Promise<void>((resolve) => {
    res.once('finish', resolve)
    app(req, res)
    setTimeout(resolve, 200).unref()
  })
  // What goes on behind an answer may take turns more in an app with more layers: it is over when nothing more is seen.
  for (let known = -1; known < seen.length;) {
    known = seen.length
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  Error.stackTraceLimit = stackTraceLimit
  return { answer: pieces.join(''), seen }
}

const reasons = new Map<string, number>()

it.each(['in place', 'beside'] as const)(
  `${count} random programs answer as before, moved %s`,
  async (writes) => {
    reasons.clear()
    let total = 0
    let deleted = 0
    for (let seed = first; seed < first + count; seed++) {
      const random = createRandom(seed)
      const { version, text } = createRandomProgram(random)
      const app = evaluate(text, version)
      const moved = moveText(app, file, text, writes)
      total += moved.moved
      for (const reason of moved.left) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      let where = `seed ${seed}\n${text}\n\nmoved\n${moved.text}`
      const evaluated = (own: string): any => {
        try {
          return evaluate(own, version)
        } catch (error) {
          throw new Error(`${String(error)}\n${where}`)
        }
      }
      const other = evaluated(moved.text)
      const others = [other]
      if (writes === 'beside') {
        const told = moveText(evaluated(moved.text), file, moved.text, 'retired')
        deleted += told.moved
        where += `\n\nretired\n${told.text}`
        others.push(evaluated(told.text))
      }
      const again = seed % 10 === 0 ? moveText(other, file, moved.text, writes) : moved
      if (again.text !== moved.text)
        throw new Error(`it moves a second time\n${where}\n\nand then\n${again.text}`)
      for (let left = 24; left > 0; left--) {
        const request = createRandomRequest(random)
        const before = await ask(app, request)
        for (const one of others) {
          const after = await ask(one, request)
          // What differs of OPTIONS is told in docs/express.md.
          const isTold = [...before.seen, ...after.seen].some((name) => /^(?:error|param|rewrite)/.test(name))
          if (request.method === 'OPTIONS' && isTold) continue
          if (JSON.stringify(before) !== JSON.stringify(after))
            expect({ ...request, where, ...after }).toEqual({ ...request, where, ...before })
        }
      }
    }
    if (process.env['COUNT'] !== undefined) console.log(total, deleted, Object.fromEntries(reasons))
    expect(total).toBeGreaterThan(count)
    if (writes === 'beside') expect(deleted).toBeGreaterThan(total / 2)
  },
)

// Random programs, moved as groups: inside Express and in front of it each request is answered as before, and has passed the same functions.
import { compileFunction } from 'node:vm'
import express5 from 'express'
import express4 from 'express4'
import * as routecontrollers from 'routecontrollers'
import * as express from 'routecontrollers/express'
import { recordRegistrations } from '@routecontrollers/cli'
import { createRandom } from '../../hard/random.js'
import { isWhole } from '../../support/counts.js'
import { nodePair } from '../../support/node-pair.js'
import { moveText } from '../move/move-text.js'
import { createRandomProgram, createRandomRequest } from './random-programs.js'

const count = Number(process.env['COUNT'] ?? (isWhole ? 300 : 3))
const first = Number(process.env['SEED'] ?? 1)
jest.setTimeout(Math.max(60_000, count * 4000))

const { RouteControllers, toListener } = routecontrollers
const modules: Record<string, unknown> = { routecontrollers, 'routecontrollers/express': express }
const file = '/random/program.cjs'
const seenBy = new WeakMap<object, string[]>()

const stops = [express4, express5].map((one) => recordRegistrations(one))
afterAll(() => stops.forEach((stop) => stop()))

function evaluate(text: string, version: 4 | 5): { app: any; hooks: any[] } {
  const see = (req: any, name: string): unknown => {
    seenBy.get(req)!.push(name)
    return [name, req.originalUrl, req.query, name.startsWith('h') && req.params]
  }
  const fail = (name: string): Error => Object.assign(new Error(name), { stack: name })
  const program = compileFunction(text, ['express', 'see', 'require', 'fail'], { filename: file })
  return program.call({}, version === 4 ? express4 : express5, see, (name: string) => modules[name], fail)
}

/** The Controllers of all groups, in the order of the app. */
function controllersIn(router: any): any[] {
  return (router?.stack ?? []).flatMap(({ handle }: any) => [
    ...(handle.controllers ?? []),
    ...controllersIn(handle),
  ])
}

async function ask(
  app: any,
  request: { method: string; url: string },
): Promise<{ answer: string; seen: string[] }> {
  const { req, res, finish, pieces } = nodePair({ ...request, headers: ['Host', 'x'] })
  const seen: string[] = []
  seenBy.set(req, seen)
  finish()
  await new Promise<void>((resolve) => {
    res.once('finish', resolve)
    app(req, res)
    setTimeout(resolve, 20_000).unref()
  })
  return { answer: pieces.join(''), seen }
}

it(`${count} random programs answer as before, with the groups inside Express and in front of it`, async () => {
  const reasons = new Map<string, number>()
  let total = 0
  let inFront = 0
  for (let seed = first; seed < first + count; seed++) {
    const random = createRandom(seed)
    const { version, text } = createRandomProgram(random)
    const { app } = evaluate(text, version)
    const moved = moveText(app, file, text, 'group')
    total += moved.moved
    for (const reason of moved.left) {
      const kind = reason.replace(/\b(?:[A-Z*]+ \/\S*|g\d+|<anonymous>|line \d+|of \/\S*)/g, 'x')
      reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
    }
    const where = `seed ${seed}, Express ${version}\n${text}\n\nmoved\n${moved.text}`
    let inside: { app: any; hooks: any[] }
    try {
      inside = evaluate(moved.text, version)
    } catch (error) {
      throw new Error(`${String(error)}\n${where}`)
    }
    const controllers = controllersIn(version === 4 ? inside.app._router : inside.app.router)
    const routeControllers = new RouteControllers(controllers, { profile: express.fromApp(inside.app) })
    for (const hook of inside.hooks) routeControllers.addGlobal(hook)
    routeControllers.addGlobal((error: Error, _req: any, res: any, _next: any) =>
      res.status(500).send(error.message),
    )
    let behind = false
    const fallback = (req: any, res: any): void => {
      behind = true
      inside.app(req, res)
    }
    const front = toListener(routeControllers.getCallback(), { fallback })
    for (let left = 30; left > 0; left--) {
      const request = createRandomRequest(random, moved.paths)
      const before = await ask(app, request)
      expect({ ...request, where, ...(await ask(inside.app, request)) }).toEqual({
        ...request,
        where,
        ...before,
      })
      // In front, Controllers answer OPTIONS for their own routes.
      if (request.method === 'OPTIONS') continue
      behind = false
      expect({ ...request, where, ...(await ask(front, request)) }).toEqual({ ...request, where, ...before })
      if (!behind) inFront++
    }
  }
  if (process.env['COUNT'] !== undefined) console.log(total, inFront, Object.fromEntries(reasons))
  expect(total).toBeGreaterThan(count)
  expect(inFront).toBeGreaterThan(count)
})

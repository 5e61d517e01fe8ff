import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { createApp, createThing, routers, routes } from './routers.js'
import { addHooks } from './support/hooks.js'
import { listen } from './support/listen.js'

let switching
let hasCopied = false

/**
 * The app of routers.js with a `migration()` of `@routecontrollers/switch`, all of whose routes are in a `state`; without one it is the app
 * alone. `way` is `'beside'`, native callbacks in its routes, or `'in front'`, Controllers of their own before the app.
 */
export async function start({ entry, way, state, shadow = true }) {
  const before = []
  addHooks((one) => before.push(one), { session: false })
  before.push(express.json())
  if (state === undefined) return listen(createServer(createApp(express, before)))

  const { migration } = await import(new URL('../../packages/switch/dist/index.js', entry))
  const options = {
    // The same one for each request: all stay at legacy.
    stickyBy: () => 'client',
    // None is left out, whatever else the machine does.
    shadow: shadow && { queue: 100_000, maxUtilization: 1, maxDelayMs: 60_000 },
  }
  if (way === 'beside') {
    const { native } = await import(new URL('./express/index.js', entry))
    const handlersOf = (handler) => [native(answer), handler]
    const app = createApp(express, before, { handlersOf })
    switching = migration({ app, ...options })
    await enter(state)
    return listen(createServer(app))
  }
  const { Controller, RouteControllers, Server } = await import(entry)
  const controllers = Array.from({ length: routers * routes }, (_, at) => {
    const path = `/api-${Math.floor(at / routes)}/things-${at % routes}/:id`
    return new Controller('GET', path, answer)
  })
  const legacy = createApp(express, before)
  const routeControllers = new RouteControllers(controllers)
  addHooks((one) => routeControllers.addGlobal(one), { session: false })
  switching = migration({ legacy, routeControllers, ...options })
  await enter(state)
  const server = new Server()
  await server.start({ port: 0, host: '127.0.0.1', ...switching.serverOptions })
  return server.getPort()
}

async function enter(state) {
  await switching.ready
  await switching.set('*', state, { reason: 'to be measured', by: 'bench' })
}

/** Notes a copy, and answers. */
function answer(req, res) {
  if (req.isShadow) hasCopied = true
  return res.json(createThing(req.params.id))
}

/** Resolves when no copy of a request waits or runs, as no other one has come for a while: what they cost is a part of what their requests cost. */
export async function settled() {
  do {
    hasCopied = false
    await sleep(20)
  } while (hasCopied)
}

/** Throws unless all that was to be compared was compared, and was alike. */
export function verify() {
  if (switching === undefined) return
  const { routes: all, shadow } = switching.status()
  const [reason] = Object.entries(shadow?.dropped ?? {}).find(([, count]) => count > 0) ?? []
  if (reason !== undefined) throw new Error(`A request was not compared: ${reason}`)
  const [difference] = all.flatMap(({ differences }) => differences)
  if (difference !== undefined) throw new Error(`Answers differ: ${difference.place}`)
}

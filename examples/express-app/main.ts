import { join } from 'node:path'
import { guide } from './guide.js'
import { serveInFront, serveInside, serveStandalone, serveTakenOver, type Serving } from './serve.js'
import { openBrowser } from './open-browser.js'
import { createSetup, type Setup } from './setup.js'
import { serveTour } from './tour.js'

// The port of the first of five; the others are the next four. With 0 the system picks all of them.
const port = Number(process.env.PORT ?? 3000)
const adminToken = process.env.ADMIN_TOKEN ?? 'teapot'

// One setup, and so one shop and one session store, for all four ports: a cart that was filled on one of them can be
// ordered on another.
const setup = createSetup({
  publicFolder: join(import.meta.dirname, 'public'),
  adminToken,
  log: (line) => console.log(line),
})
const running: Serving[] = []

async function start(
  serve: (setup: Setup, port: number) => Promise<Serving>,
  offset: number,
): Promise<string> {
  const serving = await serve(setup, port === 0 ? 0 : port + offset)
  running.push(serving)
  return serving.url
}

async function stop(): Promise<void> {
  await Promise.all(running.map((serving) => serving.stop()))
}

process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())

try {
  const urls = {
    inside: await start(serveInside, 0),
    inFront: await start(serveInFront, 1),
    standalone: await start(serveStandalone, 2),
    takenOver: await start(serveTakenOver, 3),
  }
  const tour = await start((all, at) => serveTour(all, urls, at), 4)
  console.log(guide(setup, urls, adminToken, tour))
  openBrowser(tour)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.error('Other ports: PORT=4000 npm start')
  process.exitCode = 1
  await stop()
}

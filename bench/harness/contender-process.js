/**
 * A contender, alone in its process: `node contender-process.js <file of contenders> <start | createFetch> <options>`.
 *
 * It says `{ port }` when it is ready, and answers each question that comes over IPC, or says why it has `failed`.
 */
import { MemoryClient, serverAt } from './memory.js'

const [file, way, options] = process.argv.slice(2)
const contender = await import(`../contenders/${file}.js`)
let running

let client
const answers = {
  usage() {
    const { user, system } = process.cpuUsage()
    const { maxRSS } = process.resourceUsage()
    return {
      cpuMicroseconds: user + system,
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
      peakMiB: maxRSS / 2 ** 10,
    }
  },
  fetchOnce: async (request) => {
    const response = await running(toRequest(request))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  },
  fetchFor: ({ request, milliseconds }) => fetchFor(request, milliseconds),
  async connect(request) {
    contender.verify?.()
    const { server, answer } = await serverAt(running, request)
    client = new MemoryClient(server, request, contender.settled)
    return answer
  },
  runFor: (milliseconds) => client.run(milliseconds),
}

/** Calls the fetch handler for a while. Requests are made beforehand: they are the caller's, and cost more than all. */
async function fetchFor(request, milliseconds) {
  const spent = { requests: 0, seconds: 0, cpuMicroseconds: 0 }
  while (spent.seconds * 1000 < milliseconds) {
    const batch = Array.from({ length: 256 }, () => toRequest(request))
    const start = performance.now()
    const cpu = process.cpuUsage()
    for (const item of batch) {
      const response = await running(item)
      // A Response may be made only when somebody looks at it; here all are looked at.
      if (response.status !== 200 || response.body === null) throw new Error(`answers ${response.status}`)
    }
    const { user, system } = process.cpuUsage(cpu)
    spent.seconds += (performance.now() - start) / 1000
    spent.cpuMicroseconds += user + system
    spent.requests += batch.length
  }
  return spent
}

function toRequest({ method, path, body }) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return new Request(`http://localhost${path}`, { method, headers, body })
}

process.on('message', async ({ ask, about }) => {
  try {
    process.send(await answers[ask](about))
  } catch (error) {
    process.send({ failed: error.message })
  }
})
// A clean end, for --cpu-prof writes its file then.
process.on('disconnect', () => process.exit())
try {
  running = await contender[way](JSON.parse(options))
  process.send({ port: running })
} catch (error) {
  process.send({ failed: error.message })
}

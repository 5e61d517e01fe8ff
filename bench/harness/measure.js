import { checkAnswer, fetchOnce } from './check.js'
import { startContender } from './contender.js'
import { load } from './load.js'
import { transfer } from './transfer.js'

/**
 * How a contender of a row is started, checked, and measured once. A sample is CPU time of its process for one unit
 * (a request or a MiB), in microseconds, and units per second.
 */
const kinds = {
  served: {
    way: 'start',
    check: async ({ name, port }, { request, headers }) =>
      checkAnswer(name, request, await fetchOnce(port, request), headers),
    sample: ({ port }, { request }, milliseconds) => load(port, request, milliseconds),
  },
  fetch: {
    way: 'createFetch',
    check: async ({ name, ask }, { request }) => checkAnswer(name, request, await ask('fetchOnce', request)),
    sample: ({ ask }, { request }, milliseconds) =>
      ask('fetchFor', { request, milliseconds: milliseconds / 2 }),
  },
  memory: {
    way: 'start',
    check: async ({ name, ask }, { request, headers }) =>
      checkAnswer(name, request, await ask('connect', request), headers),
    sample: ({ ask }, _row, milliseconds) => ask('runFor', milliseconds / 2),
    // Shorter slices, of which the best are what counts.
    rounds: 2,
  },
  transfer: {
    way: 'start',
    check: ({ port }, row) => transfer(port, row.transfer, 1),
    sample: ({ port }, row, _milliseconds, part = 1) => transfer(port, row.transfer, row.amount * part),
  },
}

/**
 * Measures a row: all contenders at once, each in a fresh process, checked, warmed up, then measured in turn, round by
 * round, and checked again; and all that several times, because two processes of one program are not equally fast.
 *
 * @returns {Promise<{ name: string, samples: { cpu: number, rate: number }[], growthMiB: number[] }[]>}
 */
export async function measureRow(row, settings) {
  const kind = kinds[row.kind]
  const results = row.contenders.map(({ name }) => ({ name, samples: [], growthMiB: [] }))
  const rounds = (row.precise ? settings.preciseRounds : settings.rounds) * (kind.rounds ?? 1)

  for (let process = 0; process < settings.processes; process++) {
    const running = await Promise.all(
      row.contenders.map((item) => startContender(item, kind.way, row.name, settings)),
    )
    try {
      for (const contender of running) {
        await kind.check(contender, row)
        await warmUp(kind, contender, row, settings)
      }
      const before = await askAll(running)
      for (let round = 0; round < rounds; round++) {
        for (let turn = 0; turn < running.length; turn++) {
          // Who comes first in a round, and after whom, is not always the same.
          const at = (turn + round) % running.length
          results[at].samples.push(await takeSample(kind, running[at], row, settings.slice))
        }
      }
      const after = await askAll(running)
      for (const [at, result] of results.entries()) {
        result.growthMiB.push(Math.max(0, after[at].peakMiB - before[at].rssMiB))
      }
      for (const contender of running) await kind.check(contender, row)
    } finally {
      await Promise.all(running.map((contender) => contender.stop()))
    }
  }
  return results
}

/**
 * By requests and not by time alone: what has been compiled depends on how often it ran. A quarter of what is
 * transferred: the heap has its usual size then, and who buffers all of it would still be seen to grow.
 */
async function warmUp(kind, contender, row, { slice, warmUpRequests, longestWarmUp }) {
  if (row.kind === 'transfer') return kind.sample(contender, row, slice, 1 / 4)
  const latest = performance.now() + longestWarmUp
  let done = 0
  while (done < warmUpRequests && performance.now() < latest) {
    done += (await kind.sample(contender, row, slice)).requests
  }
}

async function takeSample(kind, contender, row, milliseconds) {
  const before = await contender.ask('usage')
  const { requests, seconds, cpuMicroseconds } = await kind.sample(contender, row, milliseconds)
  const after = await contender.ask('usage')
  const cpu = cpuMicroseconds ?? after.cpuMicroseconds - before.cpuMicroseconds
  return { cpu: cpu / requests, rate: requests / seconds }
}

async function askAll(running) {
  const usages = []
  for (const contender of running) usages.push(await contender.ask('usage'))
  return usages
}

// Random apps, written as files, and small changes of them: check finds each route whose request passes something else than before,
// and no other. What it passes is seen by sending the request.
import express5 from 'express'
import express4 from 'express4'
import { checkMigration, createLock, inspect, recordRegistrations } from '@routecontrollers/cli'
import { times } from '../support/counts.js'
import { createRandom, pick } from '../hard/random.js'
import { createItems, load, mutations, plain, removeFiles, seen } from './mutated-apps.js'
import { keepReading } from './keep-reading.js'

keepReading()

// 300 take half a minute: `MUTATIONS=300 SEED=2 npx jest test/migrate/lock-mutations`. A run of more is slower at each app, because
// the inspector of the process tells of all its files again.
const count = Number(process.env['MUTATIONS'] ?? times(5, 60))
const seed = Number(process.env['SEED'] ?? 1)

afterAll(removeFiles)

it(`check finds what has changed and nothing else, in ${count} changed apps`, async () => {
  const ends = [express4, express5].map((express) => recordRegistrations(express))
  const wrong: string[] = []
  let changed = 0
  let mounts = 0
  for (let at = 0; at < count && wrong.length < 3; at++) {
    const random = createRandom(seed * 1_000_003 + at)
    const express: any = random() < 0.5 ? express4 : express5
    const items = createItems(random, 0)
    const [name, [mutate, layout]] = pick(random, Object.entries(mutations))
    const before = load(items, express, plain)
    const after = load(mutate(random, items), express, { ...plain, ...layout })
    const lock = createLock(inspect(before.app, { root: before.root }))
    const report = checkMigration(lock, after.app, { root: after.root })
    for (const row of lock.routes) {
      const { method, path, witness } = row
      if (witness === null) continue
      if (row.kind === 'mount') mounts++
      const twins = lock.routes.filter((row) => row.method === method && row.path === path)
      const found = report.routes
        .filter((row) => row.method === method && row.path === path)
        .flatMap(({ changes }) => changes)
      const differences = await Promise.all(
        twins.map(async (row) => (await seen(before.app, row)) !== (await seen(after.app, row))),
      )
      const differs = differences.includes(true)
      if (differs) changed++
      // Of a route that another one shadows, the finding may be told of that one.
      const isToldOf = report.routes.some(
        ({ method, path, changes }) => `${method} ${path}` === row.answer && changes.length > 0,
      )
      if (differs !== found.length > 0 && !(differs && isToldOf)) {
        wrong.push(
          `${at} ${name}: ${witness}\nbefore ${await seen(before.app, row)}\nafter ${await seen(after.app, row)}\nfound ${JSON.stringify(found)}`,
        )
      }
    }
  }
  for (const end of ends) end()
  expect(wrong.join('\n\n')).toBe('')
  // Else nothing was shown.
  expect(changed).toBeGreaterThan(count / 8)
  expect(mounts).toBeGreaterThan(count / 8)
}, 7_200_000)

// What `check` says of apps that were changed in many ways, word for word, and what of it is accepted: recorded-checks.txt. A change
// of the command that alters one of these texts shows there. `UPDATE_RECORDED=1 npx jest test/migrate/recorded-checks` writes the file.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import {
  checkMigration,
  type CheckReport,
  createLock,
  formatLock,
  inspect,
  parseLock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { accept } from '../../packages/cli/src/check/lock.js'
import { checkText } from '../../packages/cli/src/report/text.js'
import { createRandom, pick, type Random } from '../hard/random.js'
import { keepReading } from './keep-reading.js'
import {
  createItems,
  type Item,
  load,
  type Mutate,
  mutations,
  plain,
  removeFiles,
  restartNames,
  somewhere,
} from './mutated-apps.js'

keepReading()

const file = join(__dirname, 'recorded-checks.txt')
const seeds = Array.from({ length: 24 }, (_, at) => at)
const reason = { because: 'a test', date: '2026-11-29' }

const routesOf = (items: readonly Item[]): number[] =>
  items.flatMap(({ is }, at) => (is === 'route' ? [at] : []))
const ofRoute = (change: (random: Random, route: Extract<Item, { is: 'route' }>) => Item[]): Mutate =>
  somewhere((random, items) => {
    const at = routesOf(items)
    if (at.length === 0) return
    const chosen = pick(random, at)
    items.splice(chosen, 1, ...change(random, items[chosen] as Extract<Item, { is: 'route' }>))
  })

/** What else happens to an app on its way. */
const more: Record<string, Mutate> = {
  'put a native callback before a handler': ofRoute((_random, route) => [
    { ...route, native: `new_${route.name}` },
  ]),
  'delete a route': ofRoute(() => []),
  'end a path with a slash': ofRoute((_random, route) => [{ ...route, path: `${route.path}/` }]),
  'answer another method': ofRoute((_random, route) => [{ ...route, method: 'put' }]),
  'answer each method': ofRoute((_random, route) => [{ ...route, method: 'all' }]),
  'register a route twice': ofRoute((_random, route) => [route, { ...route, name: `${route.name}_again` }]),
  'add an error handler': somewhere(
    (_random, items) => void items.push({ is: 'errors', path: '/', name: 'onError' }),
  ),
  'forget an error handler': somewhere((_random, items) => {
    const at = items.findIndex(({ is }) => is === 'errors')
    if (at >= 0) items.splice(at, 1)
  }),
  'mount a guard at another path': somewhere((_random, items) => {
    const at = items.findIndex(({ is }) => is === 'use')
    const item = items[at] as Extract<Item, { is: 'use' }> | undefined
    if (item !== undefined) items[at] = { ...item, path: item.path === '/' ? '/a' : '/' }
  }),
}

function record(seed: number): string {
  restartNames()
  const random = createRandom(seed * 1_000_003)
  const express: any = seed % 2 === 0 ? express4 : express5
  const written: string[] = []
  const write = (name: string, text: string): void => void written.push(`--- ${name}\n${text}`)
  let items: readonly Item[] = createItems(random, 0)
  if (random() < 0.3) items = [...items, { is: 'errors', path: '/', name: 'onError' }]
  const { app, root } = load(items, express, plain)
  let lock = createLock(inspect(app, { root }))
  for (let step = 0; step < 3; step++) {
    const ways = random() < 0.5 ? mutations : more
    const name = pick(random, Object.keys(ways))
    const way = ways[name]!
    const [mutate, layout = {}] = typeof way === 'function' ? [way] : way
    items = mutate(random, items)
    const now = load(items, express, { ...plain, ...layout })
    const check = (): CheckReport => checkMigration(lock, now.app, { root: now.root })
    const report = check()
    write(name, checkText(report, { colours: false }))
    const [first] = report.routes.filter(({ changes }) => changes.length > 0)
    if (first === undefined) continue
    const accepted = accept(lock, inspect(now.app, { root: now.root }), [first], reason)
    const before = new Set(formatLock(lock).split('\n'))
    const lines = formatLock(accepted).split('\n')
    write(`accepted of ${first.key}`, lines.filter((line) => !before.has(line)).join('\n'))
    lock = parseLock(formatLock(accepted))
    write('then', checkText(check(), { colours: false }))
  }
  return written.join('\n')
}

const sections = (text: string): string[] => text.split(/^(?==== )/m)
const ends: (() => void)[] = []
const seen: string[] = []
beforeAll(() => void ends.push(...[express4, express5].map((express) => recordRegistrations(express))))
afterAll(() => {
  for (const end of ends) end()
  removeFiles()
  if (process.env['UPDATE_RECORDED'] === '1') writeFileSync(file, seen.join(''))
})

it.each(seeds)('check says of a changed app what is recorded: %i', (seed) => {
  const text = `=== ${seed}\n${record(seed)}\n`
  seen[seed] = text
  if (process.env['UPDATE_RECORDED'] !== '1') expect(text).toBe(sections(readFileSync(file, 'utf8'))[seed])
})

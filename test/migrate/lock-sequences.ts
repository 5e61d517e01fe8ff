// Random apps that are changed again and again, with findings of `check` that are accepted between, and locks that somebody has
// edited or merged: what was accepted of one route hides nothing else.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5 from 'express'
import express4 from 'express4'
import {
  checkMigration,
  type CheckReport,
  createLock,
  formatLock,
  inspect,
  type Lock,
  type LockedRoute,
  parseLock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { accept, keysOfRows, placeOf } from '../../packages/cli/src/check/lock.js'
import { below, createRandom, pick, type Random } from '../hard/random.js'
import { createItems, load, mutations, plain, removeFiles, seen } from './mutated-apps.js'

export interface SequenceCounts {
  checks: number
  accepted: number
  /** Locks that were edited or merged. */
  edited: number
  /** Rows whose request passed something else than before, which was not accepted. */
  changed: number
}

type Change = CheckReport['routes'][number]['changes'][number]

interface LoadedApp {
  readonly app: any
  readonly root: string
}

/** What a row may differ by, from what it was when it came into the lock. */
interface Known {
  readonly base: string
  readonly accepted: readonly AcceptedDifference[]
}

interface AcceptedDifference {
  readonly difference: string
  /** Of a loss: what had come to the request then. Without that, nobody has accepted what is left. */
  readonly gained: readonly string[]
}

const reason = { because: 'a test', date: '2026-11-22' }

/** Runs sequences of changes; what they find names the seed that makes it again. */
export async function runSequences(
  seeds: readonly number[],
): Promise<{ counts: SequenceCounts; findings: string[] }> {
  const counts: SequenceCounts = { checks: 0, accepted: 0, edited: 0, changed: 0 }
  const findings: string[] = []
  const ends = [express4, express5].map((express) => recordRegistrations(express))
  for (const seed of seeds) findings.push(...(await new Sequence(seed, counts).run()))
  for (const end of ends) end()
  removeFiles()
  return { counts, findings }
}

class Sequence {
  readonly #seed: number
  readonly #counts: SequenceCounts
  readonly #random: Random
  readonly #known = new Map<string, Known>()
  readonly #story: string[] = []
  readonly #findings: string[] = []

  constructor(seed: number, counts: SequenceCounts) {
    this.#seed = seed
    this.#counts = counts
    this.#random = createRandom(seed * 1_000_003)
  }

  async run(): Promise<string[]> {
    const random = this.#random
    const express: any = random() < 0.5 ? express4 : express5
    let items = Array.from({ length: random() < 0.7 ? 1 : 2 }, () => createItems(random, 0))
    const create = (layouts = items.map(() => plain)): LoadedApp[] =>
      items.map((one, at) => load(one, express, layouts[at]!))
    let apps = create()
    let lock = createLock(inspect(apps.map(({ app }) => app)))
    const [first] = apps
    if (apps.length === 1) lock = createLock(inspect(first!.app, { root: first!.root }))
    await this.#learn(lock, apps)
    for (let step = 0; step < 4 && this.#findings.length === 0; step++) {
      const layouts = items.map(() => plain)
      items = items.map((one, at) => {
        if (random() < 0.3) return one
        const [name, [mutate, layout]] = pick(random, Object.entries(mutations))
        this.#story.push(`app ${at}: ${name}`)
        layouts[at] = { ...plain, ...layout }
        return [...mutate(random, one)]
      })
      apps = create(layouts)
      const report = this.#check(lock, apps)
      await this.#compare(lock, report, apps)
      lock = await this.#acceptSome(lock, report, apps)
      if (random() < 0.4) {
        const edited = this.#edit(lock)
        this.#keepKnown(lock, edited)
        lock = edited
        this.#counts.edited++
        await this.#compare(lock, this.#check(lock, apps), apps)
      }
    }
    return this.#findings
  }

  #check(lock: Lock, apps: readonly LoadedApp[]): CheckReport {
    this.#counts.checks++
    const served = apps.length === 1 ? apps[0]!.app : apps.map(({ app }) => app)
    return checkMigration(lock, served, apps.length === 1 ? { root: apps[0]!.root } : {})
  }

  /** Notes what rows that have come into the lock are now. */
  async #learn(lock: Lock, apps: readonly LoadedApp[]): Promise<void> {
    for (const [key, row] of rowsOf(lock)) {
      if (this.#known.has(key) || row.witness === null) continue
      this.#known.set(key, { base: await seenOf(row, apps), accepted: [] })
    }
  }

  /** What a row differs by that nobody has accepted of it. */
  async #unaccepted(key: string, row: LockedRoute, apps: readonly LoadedApp[]): Promise<string[]> {
    const differences = await this.#differences(key, row, apps)
    const { accepted = [] } = this.#known.get(key) ?? {}
    const isAccepted = (difference: string): boolean =>
      accepted.some(
        (one) => one.difference === difference && one.gained.every((other) => differences.includes(other)),
      )
    return differences.filter((one) => !isAccepted(one))
  }

  async #differences(key: string, row: LockedRoute, apps: readonly LoadedApp[]): Promise<string[]> {
    const known = this.#known.get(key)
    return known === undefined || row.witness === null
      ? []
      : differencesBetween(known.base, await seenOf(row, apps))
  }

  /** Notes that somebody has accepted what is found of a row, as far as `isMeant` says. */
  async #noteAccepted(
    key: string,
    row: LockedRoute,
    apps: readonly LoadedApp[],
    isMeant: (difference: string) => boolean,
  ): Promise<void> {
    const known = this.#known.get(key)
    if (known === undefined) return
    const gained = (await this.#differences(key, row, apps)).filter((one) => one.startsWith('gained '))
    const differences = (await this.#unaccepted(key, row, apps)).filter(isMeant)
    const entries = differences.map((difference) => ({
      difference,
      gained: difference.startsWith('lost ') ? gained : [],
    }))
    this.#known.set(key, { ...known, accepted: [...known.accepted, ...entries] })
  }

  /**
   * Keeps what is known of the rows of an edited lock, and nothing else. A merge may take a row out: who accepts its route as a new one
   * later, accepts it as it is then. And the second row of a route is the first one where that has gone, so the rows are told by what
   * stands in them.
   */
  #keepKnown(before: Lock, after: Lock): void {
    const known = new Map(this.#known)
    const left = rowsOf(before).map(([key, row]) => ({ key, text: JSON.stringify(withoutEntries(row)) }))
    this.#known.clear()
    for (const [key, row] of rowsOf(after)) {
      const at = left.findIndex(({ text }) => text === JSON.stringify(withoutEntries(row)))
      const [same] = at < 0 ? [] : left.splice(at, 1)
      const one = known.get(same?.key ?? key)
      if (one !== undefined) this.#known.set(key, one)
    }
  }

  async #compare(lock: Lock, report: CheckReport, apps: readonly LoadedApp[]): Promise<void> {
    for (const [key, row] of rowsOf(lock)) {
      const differences = await this.#unaccepted(key, row, apps)
      if (differences.length === 0) continue
      this.#counts.changed++
      const isToldOf = report.routes.some(
        ({ method, path, changes }) =>
          changes.length > 0 &&
          ((method === row.method && path === row.path) || `${method} ${path}` === row.answer),
      )
      if (isToldOf && !report.ok) continue
      this.#findings.push(
        `seed ${this.#seed}, ${this.#story.join('; ')}: ${row.witness} of ${key} differs by ${differences.join(', ')}, and check says ${JSON.stringify(report.routes.filter(({ method, path }) => method === row.method && path === row.path))}`,
      )
    }
  }

  /** Accepts what was found of one route, and nothing else. */
  async #acceptSome(lock: Lock, report: CheckReport, apps: readonly LoadedApp[]): Promise<Lock> {
    const changed = report.routes.filter(({ changes }) => changes.length > 0)
    if (changed.length === 0) return lock
    const one = pick(this.#random, changed)
    this.#story.push(`accept ${one.key}`)
    this.#counts.accepted++
    const served =
      apps.length === 1 ? inspect(apps[0]!.app, { root: apps[0]!.root }) : inspect(apps.map(({ app }) => app))
    const accepted = parseLock(formatLock(accept(lock, served, [one], reason)))
    const rows = rowsOf(lock)
    const [, chosen] = rows.find(([key]) => key === one.key) ?? []
    if (chosen !== undefined) await this.#noteAccepted(one.key, chosen, apps, () => true)
    // Another order of two handlers is told of the route that answered. Those behind it have the same request, so that another handler
    // answers is accepted of them too. What guards it is not: that is told of each of them.
    if (one.changes.some(({ finding }) => finding === 'reordered handlers')) {
      for (const [key, row] of rows) {
        const isTwin = row.app === chosen!.app && placeOf(row) === placeOf(chosen!)
        if (!isTwin || !row.shadowed) continue
        await this.#noteAccepted(key, row, apps, (difference) => /^(?:lost|gained) route/.test(difference))
      }
    }
    await this.#learn(accepted, apps)
    const after = this.#check(accepted, apps)
    const hidden = notToldOf(
      changed.filter(({ key }) => key !== one.key),
      after.routes,
    )
    if (hidden.length > 0) {
      this.#findings.push(
        `seed ${this.#seed}, ${this.#story.join('; ')}: to accept ${one.key} has hidden ${hidden.join(', ')}`,
      )
    }
    if (after.routes.some(({ key, changes }) => key === one.key && changes.length > 0)) {
      this.#findings.push(
        `seed ${this.#seed}, ${this.#story.join('; ')}: ${one.key} is accepted, and told again`,
      )
    }
    await this.#compare(accepted, after, apps)
    return accepted
  }

  /** What people and tools do to a file: entries land at other rows, and rows are there twice. */
  #edit(lock: Lock): Lock {
    const random = this.#random
    const rows = [...lock.routes]
    const withEntries = rows.filter(({ accepted }) => accepted !== undefined)
    if (withEntries.length === 0 || rows.length < 2) return lock
    const [from, at] = [pick(random, withEntries), below(random, rows.length)]
    const chance = random()
    if (chance < 0.4) {
      this.#story.push(
        `copy what is accepted of ${from.method} ${from.path} to ${rows[at]!.method} ${rows[at]!.path}`,
      )
      rows[at] = { ...rows[at]!, accepted: [...(rows[at]!.accepted ?? []), ...from.accepted!] }
      return { ...lock, routes: rows }
    }
    if (chance < 0.6) {
      this.#story.push(`accept everything under the texts of others`)
      const entries = withEntries.flatMap(({ accepted }) => accepted!)
      return { ...lock, routes: rows.map((row) => ({ ...row, accepted: entries })) }
    }
    const mine = withEntries.includes(rows[at]!)
      ? lock
      : { ...lock, routes: rows.filter((_row, one) => one !== at) }
    const other = { ...lock, routes: rows.map((row) => (row === from ? withoutEntries(row) : row)) }
    const base = { ...lock, routes: other.routes.map(withoutEntries) }
    this.#story.push('merge two locks, line by line')
    try {
      return parseLock(merged(base, mine, other))
    } catch {
      // Nobody takes it for a lock: `check` ends with its own exit code.
      return lock
    }
  }
}

function withoutEntries({ accepted: _accepted, ...row }: LockedRoute): LockedRoute {
  return row
}

/**
 * The findings that are told no more, or less often. One may be told with another key: where a row comes into the lock with functions
 * that have moved to another file, other routes pass the same functions of two files, so what stood behind them stands elsewhere.
 */
function notToldOf(before: CheckReport['routes'], after: CheckReport['routes']): string[] {
  const left = after.map(({ key, changes }) => ({ key, changes: [...changes] }))
  const told = before.flatMap(({ key, changes }) => changes.map((change) => ({ row: key, ...change })))
  const take = (row: string, isIt: (change: Change) => boolean): boolean => {
    const route = left.find(({ key, changes }) => key === row && changes.some(isIt))
    route?.changes.splice(route.changes.findIndex(isIt), 1)
    return route !== undefined
  }
  return told
    .filter(({ row, key }) => !take(row, (change) => change.key === key))
    .filter(({ row, kind, finding }) => !take(row, (one) => one.kind === kind && one.finding === finding))
    .map(({ row, finding }) => `${row} ${finding}`)
}

/** As git merges, with the lines of both sides where they meet. */
function merged(base: Lock, mine: Lock, other: Lock): string {
  const folder = mkdtempSync(join(tmpdir(), 'merged-'))
  try {
    const [ours, common, theirs] = [mine, base, other].map((lock, at) => {
      const file = join(folder, `${at}.json`)
      writeFileSync(file, formatLock(lock))
      return file
    })
    return execFileSync('git', ['merge-file', '-p', '--union', ours!, common!, theirs!], { encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function rowsOf(lock: Lock): [key: string, row: LockedRoute][] {
  const keys = keysOfRows(lock.routes)
  return lock.routes.map((row, at) => [keys[at]!, row])
}

async function seenOf(row: LockedRoute, apps: readonly LoadedApp[]): Promise<string> {
  return seen(apps[row.app ?? 0]!.app, row)
}

/** What its request passes less or more, in another order, and which other paths reach it now. */
function differencesBetween(before: string, now: string): string[] {
  const [was = '', params = '', ...reached] = before.split('\n')
  const [is = '', seenParams = '', ...reaching] = now.split('\n')
  const [old, current] = [was.split(','), is.split(',')]
  // Nobody reaches it.
  if (current.at(-1) === 'nobody') return []
  const counted = (names: readonly string[]): string[] =>
    names.map((name, at) => `${name} ${names.slice(0, at).filter((one) => one === name).length}`)
  const [had, has] = [counted(old), counted(current)]
  const kept = had.filter((name) => has.includes(name))
  return [
    ...had.filter((name) => !has.includes(name)).map((name) => `lost ${name}`),
    ...has.filter((name) => !had.includes(name)).map((name) => `gained ${name}`),
    ...kept.flatMap((name, at) =>
      kept
        .slice(at + 1)
        .filter((other) => has.indexOf(other) < has.indexOf(name))
        .map((other) => `${other} before ${name}`),
    ),
    ...(params === seenParams ? [] : [`params ${seenParams}`]),
    ...reaching.flatMap((reaches, at) =>
      reaches === 'true' && reached[at] !== 'true' ? [`form ${at}`] : [],
    ),
  ]
}

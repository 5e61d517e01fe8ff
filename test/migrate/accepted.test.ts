// Locks and reports that an earlier version of this package has written: what was accepted in them stays accepted, and what was told stays told.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import {
  checkMigration,
  type CheckReport,
  type Lock,
  type LockedRoute,
  parseLock,
  recordRegistrations,
} from '@routecontrollers/cli'
import { Controller, RouteControllers } from 'routecontrollers'
import { fromExpress } from 'routecontrollers/express'
import { checkText } from '../../packages/cli/src/report/text.js'
import { keepReading } from './keep-reading.js'

keepReading()

const folder = join(__dirname, 'apps/accepted')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const { after } = jest.requireActual<Record<string, any>>('./apps/accepted/apps.cjs')
// One of its Controllers looks as a guard, and is none: that has a warning.
const silent = { info() {}, warn() {}, error() {} }

let end: () => void
beforeAll(() => {
  end = recordRegistrations(express)
})
afterAll(() => end())

// What is new has a row of its own once it is accepted, so it is not found again.
const kinds =
  'changed gained gone lost not-a-guard params reordered settings shadowed twice unreachable unverifiable'

/** What check says of the app as it was changed. */
function checked(lock: Lock): CheckReport {
  return checkMigration(lock, after(express, { Controller, RouteControllers, fromExpress }, silent))
}

describe.each([2, 3])('A lock of version %d in which a finding of each kind is accepted', (version) => {
  const lock = parseLock(read(`lock-${version}.json`))
  const entries = lock.routes.flatMap(({ accepted = [] }) => accepted).filter(({ kind }) => kind !== 'new')

  it('still accepts them', () => {
    const { routes } = checked(lock)
    expect(routes.flatMap(({ changes }) => changes)).toEqual([])
    const accepted = routes.flatMap((route) => route.accepted)
    expect(accepted).toHaveLength(entries.length)
    expect([...new Set(accepted.map(({ kind }) => kind))].sort().join(' ')).toBe(kinds)
    expect([...new Set(accepted.map(({ because }) => because))]).toEqual(['it is meant to be so'])
  })

  it('accepts nothing by its texts', () => {
    const other = JSON.stringify(lock).replace(/"key":"/g, '$&x')
    const changes = checked(parseLock(other)).routes.flatMap(({ changes }) => changes)
    expect(changes).toHaveLength(entries.length)
  })

  it('accepts by facts, whatever its texts are', () => {
    const other = JSON.stringify(lock).replace(/"finding":"[^"]*"/g, '"finding":"something"')
    expect(checked(parseLock(other)).ok).toBe(true)
  })
})

/** Leaves out the key that was made of a text: it is another one now, and locks with the former one stay valid. */
function withoutKey(_name: string, value: unknown): unknown {
  const { kind, key: _key, ...rest } = Object(value) as { kind?: unknown; key?: unknown }
  return kind === 'not-a-guard' ? { kind, ...rest } : value
}

describe('The report of check', () => {
  const { routes, ...lock } = parseLock(read('lock-3.json'))
  const isNew = ({ accepted }: LockedRoute): boolean => accepted?.some(({ kind }) => kind === 'new') ?? false
  const bare = routes.filter((row) => !isNew(row)).map(({ accepted: _accepted, ...row }) => row)
  const report = (): CheckReport => checked({ ...lock, routes: bare })

  it('has all that it had', () => {
    const known = JSON.parse(read('report-3.json'), withoutKey) as object
    expect(JSON.parse(JSON.stringify(report()))).toMatchObject(known)
  })

  it('is told with the same text', () => {
    expect(checkText(report(), { colours: false })).toBe(read('report-3.txt'))
  })
})

// Tables of the pages have a row for each member of a table of the source. `npm run touch` runs this file with one member more.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as entry from 'routecontrollers/express'
import { type ExpressVersion, expressVersions } from 'routecontrollers/express-model'
import { exitCodes } from '../../packages/cli/src/entry/exit-codes.js'
import { changeKinds } from '../../packages/cli/src/report/check-findings.js'
import { stateKinds } from '../../packages/switch/src/states/kinds.js'
import { bodyTypes } from '../../src/body/body-types.js'
import type { ServingName } from '../support/describe-servings.js'

const read = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8')

/** The rows of a table, by how its head begins: `command | 0`. */
function rowsOf(page: string, head: string): string[][] {
  const lines = read(page)
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '))
  const start = lines.findIndex((line) => line.startsWith(`| ${head} `))
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const firstCells = (page: string, head: string): string[] => rowsOf(page, head).map(([first]) => first!)

/** What stands in code in those cells, without the share of a state. */
function namesIn(page: string, head: string): string[] {
  return firstCells(page, head).flatMap((cell) =>
    [...cell.matchAll(/`([^` ]+)[^`]*`/g)].map(([, name]) => name!),
  )
}

it('docs/behaviour.md has the media types of each kind of body', () => {
  const mediaTypes = Object.values(bodyTypes).flatMap((type) => type.mediaTypes)
  expect(namesIn('docs/behaviour.md', 'Content-Type')).toEqual(mediaTypes)
})

it('docs/migrate/switch.md has each state of the switch', () => {
  expect(namesIn('docs/migrate/switch.md', 'state')).toEqual(Object.keys(stateKinds))
})

it('docs/migrate/check.md has each kind of what check finds', () => {
  const named = namesIn('docs/migrate/check.md', 'it says')
  // Jest shows the first of a long list alone.
  expect(Object.keys(changeKinds).filter((kind) => !named.includes(kind))).toEqual([])
})

it('docs/ci.md has the exit codes of each command', () => {
  const rows = Object.entries(exitCodes).map(([name, codes]) => [
    `\`${name}\``,
    ...([0, 1, 3] as const).map((code) => codes[code] ?? ''),
  ])
  expect(rowsOf('docs/ci.md', 'command | 0')).toEqual(rows)
})

it('SECURITY.md names a test for each promise', () => {
  const promises = read('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:promise|version|---|the latest|any older)/.test(line))
  expect(promises.length).toBeGreaterThan(20)
  expect(promises.filter((line) => !/\| \[[^|]*\]\(test\/[\w/-]+\.test\.ts\)[^|]*\|$/.test(line))).toEqual([])
})

/** The row of the README for each way of serving. */
const rowsOfWays: Readonly<Record<ServingName, string>> = {
  web: 'as a web-standard handler',
  standalone: 'standalone',
  'in front of Express 5': 'in front of Express',
  'inside Express 5': 'inside Express or Connect',
  'inside Express 4': 'inside Express or Connect',
}

it('README.md has each way of serving, and no other', () => {
  expect(firstCells('README.md', 'way').sort()).toEqual([...new Set(Object.values(rowsOfWays))].sort())
})

const figuresOf = (page: string, node: number): string[] => {
  const [, table] = new RegExp(`(?:apps on node|^## Node) ${node}\\b[^|]*(\\|[^]*?)\\n\\n`, 'm').exec(
    read(page),
  )!
  return table!.split('\n').map((line) => line.replace(/ +|-+/g, ' '))
}

it.each([24, 26, 20])('docs/costs.md has the figures of bench/README.md on Node %i', (node) => {
  expect(figuresOf('docs/costs.md', node)).toEqual(figuresOf('bench/README.md', node))
})

it('README.md has the figures of bench/README.md on Node 24', () => {
  const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim())
  const shares = figuresOf('bench/README.md', 24).map((line) => cells(line).map((cell) => cell.split(' ')[0]))
  const [, , floor, express, ofServer, inFront] = shares
  const told = read('README.md')
    .split('\n')
    .filter((line) => /^\| (?:without|with) /.test(line))
    .map(cells)
  // Without middleware, with the four, and with a session too.
  const columns = [2, 3, 5]
  expect(told.map((row) => row.slice(2, 6))).toEqual(
    columns.map((at) => [express![at], ofServer![at], inFront![at], floor![at]]),
  )
})

const profiles: Readonly<Record<`express${ExpressVersion}`, unknown>> = entry

describe('Each version of Express', () => {
  const versions = Object.keys(expressVersions) as `${ExpressVersion}`[]

  it('has a profile', () => {
    for (const version of versions) expect(profiles[`express${version}`]).toBeInstanceOf(Function)
  })

  it('is one that npm lets this package stand beside', () => {
    const { peerDependencies } = JSON.parse(read('package.json')) as {
      peerDependencies: Record<string, string>
    }
    const ranges = Object.values(expressVersions).map(({ since }) => `^${since}`)
    expect(peerDependencies['express']!.split(' || ')).toEqual(ranges)
  })

  it('is named in docs/environments.md', () => {
    const named = firstCells('docs/environments.md', 'environment').join('; ')
    const tested = /; (Express 4[^]*?)(?:; [A-Z]|$)/.exec(named)?.[1] ?? ''
    const majors = new Set([...tested.matchAll(/(\d+)(?:\.\d+)+/g)].map(([, major]) => `Express ${major}`))
    expect([...majors]).toEqual(expect.arrayContaining(versions.map((version) => `Express ${version}`)))
  })
})

// Express's own examples, each served by the installed Express and through toControllers, and asked the same:
//
//   git clone https://github.com/expressjs/express && (cd express && npm install)
//   npx tsx test/parity/examples.ts express [seed]
//
// Its acceptance tests are run against both; then random requests to its routes and files are sent to both. What comes back
// is compared byte for byte, but for dates and the names of sessions.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { ServerChild } from '../hard/child.js'
import { type AcceptanceRun, type Exchange, makeRequests, runAcceptance, sendAll } from './ask-example.js'
import { comparable } from './exchange.js'
import type { Version } from './tables.js'

const sides = ['Express', 'toControllers'] as const
export type Side = (typeof sides)[number]

const leftOut: Readonly<Record<string, string>> = {
  online: 'needs Redis',
  search: 'needs Redis',
  'view-constructor': 'asks GitHub',
}
const requestsPerPath = 20
const untested: AcceptanceRun = { count: 0, passed: [], exchanges: [] }

const [path = '', seedText = '1'] = process.argv.slice(2)
const seed = Number(seedText)
const checkout = resolve(path)
const mocha = join(checkout, 'node_modules/mocha/bin/mocha.js')
if (!existsSync(join(checkout, 'test/acceptance')) || !existsSync(mocha)) {
  stop(`There is no checkout of Express with its dependencies in ${checkout}: see the top of examples.ts`)
}
if (!Number.isInteger(seed)) stop(`The seed is a whole number, not ${seedText}`)

Object.assign(process.env, {
  // As in Express's own tests: nothing is logged.
  NODE_ENV: 'test',
  NO_DEPRECATION: '*',
  // What the examples need is found there, by the installed Express too, which loads view engines by name.
  NODE_PATH: join(checkout, 'node_modules'),
})

let differs = false
for (const version of [4, 5] as const) {
  const directory = prepare(version)
  try {
    differs = (await compareExamples(version, join(directory, 'examples'))) || differs
  } finally {
    rmSync(directory, { recursive: true })
  }
}
process.exit(differs ? 1 : 0)

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

/** A copy of the examples whose Express is an installed one, and of their tests, whose examples are at a URL. */
function prepare(version: Version): string {
  const directory = mkdtempSync(join(tmpdir(), 'express-examples-'))
  const installed = createRequire(import.meta.url).resolve(version === 4 ? 'express4' : 'express')
  cpSync(join(checkout, 'examples'), join(directory, 'examples'), { recursive: true })
  cpSync(join(checkout, 'test'), join(directory, 'tests/test'), { recursive: true })
  // Some examples listen whoever has loaded them, and export nothing.
  writeFileSync(
    join(directory, 'index.js'),
    `const express = require(${JSON.stringify(installed)})
const made = []
const create = () => made[made.push(Object.assign(express(), { listen() {} })) - 1]
module.exports = Object.assign(create, express, { made })
`,
  )
  mkdirSync(join(directory, 'lib'))
  writeFileSync(join(directory, 'lib/express.js'), "module.exports = require('..')\n")
  mkdirSync(join(directory, 'tests/examples'))
  for (const name of readdirSync(join(directory, 'examples'))) {
    writeFileSync(join(directory, 'tests/examples', `${name}.js`), 'module.exports = process.env.EXAMPLE\n')
  }
  return directory
}

/** Prints what has come of all examples under one version; true if anything differs. */
async function compareExamples(version: Version, directory: string): Promise<boolean> {
  const names = readdirSync(directory).filter((name) => existsSync(join(directory, name, 'index.js')))
  const sum = { examples: 0, tests: 0, passed: 0, requests: 0, alike: 0 }
  const statuses: Record<string, number> = {}
  const differences: string[] = []
  console.log(`\nExpress ${version}, seed ${seed}\n`)
  console.log('| example | acceptance tests passed | requests | answered alike |\n| --- | --- | --- | --- |')
  for (const name of names) {
    if (name in leftOut) {
      console.log(`| ${name} | ${leftOut[name]} | | |`)
      continue
    }
    const { Express: theirs, toControllers: ours } = await askBoth(join(directory, name))
    const found = differencesOf(theirs.exchanges, ours.exchanges)
    const [requests, alike] = [theirs.exchanges.length, theirs.exchanges.length - found.length]
    if (theirs.passed.join() !== ours.passed.join()) {
      found.push(show('the acceptance tests that pass', theirs.passed.join('\n'), ours.passed.join('\n')))
    }
    if (ours.exchanges.length > requests)
      found.push(`toControllers was asked more: ${ours.exchanges.length} times`)
    console.log(`| ${name} | ${ours.passed.length} of ${ours.count} | ${requests} | ${alike} |`)
    for (const difference of found) differences.push(`${name}: ${difference}`)
    for (const { answer } of theirs.exchanges) {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none'
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    sum.examples++
    sum.tests += ours.count
    sum.passed += ours.passed.length
    sum.requests += requests
    sum.alike += alike
  }
  console.log(
    `\n${sum.examples} of ${names.length} examples: ${sum.passed} of ${sum.tests} acceptance tests pass, ${sum.alike} of ${sum.requests} requests are answered alike`,
  )
  console.log('Statuses:', statuses)
  for (const difference of differences) console.log(`\n${difference}`)
  return differences.length > 0
}

/** Serves an example both ways, and asks both the same. */
async function askBoth(example: string): Promise<Record<Side, AcceptanceRun>> {
  const servers = await Promise.all(
    sides.map((side) => ServerChild.start('parity/example-server.ts', example, side)),
  )
  const { paths, left } = await servers[0]!.ask<{ paths: string[]; left: readonly unknown[] }>()
  if (left.length > 0) throw new Error(`toControllers has left ${JSON.stringify(left)} of ${example}`)
  const known = ['/', ...paths.filter((one) => one !== '*'), ...filesOf(example)]
  const requests = makeRequests(known, requestsPerPath * known.length, seed)
  const tests = resolve(example, '../../tests/test/acceptance', `${basename(example)}.js`)
  const [theirs, ours] = await Promise.all(
    servers.map(async (server): Promise<AcceptanceRun> => {
      const run = existsSync(tests) ? await runAcceptance(mocha, tests, server.port) : untested
      const exchanges = [...run.exchanges, ...(await sendAll(server.port, requests))]
      if (!server.isRunning) throw new Error(`A server of ${example} has ended`)
      await server.stop()
      return { ...run, exchanges }
    }),
  )
  return { Express: theirs!, toControllers: ours! }
}

/** The paths of an example's static files. */
function filesOf(example: string): string[] {
  const folder = join(example, 'public')
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map((file) => `/${String(file)}`) : []
}

function differencesOf(theirs: readonly Exchange[], ours: readonly Exchange[]): string[] {
  return theirs.flatMap(({ asked: { method, target, headers, body }, answer }, at) => {
    const [one, other] = [answer, ours[at]?.answer ?? '(it was not asked)'].map(withoutSession)
    if (one === other) return []
    return show(`${method} ${target} ${JSON.stringify(headers)} ${body}`, one!, other!)
  })
}

function withoutSession(answer: string): string {
  return comparable(answer).replace(/(connect\.sid=)[^;\r]*/g, '$1…')
}

function show(what: string, theirs: string, ours: string): string {
  const indent = (text: string): string => text.replaceAll('\r', '').replace(/^/gm, '    ')
  return `${what}\n  Express:\n${indent(theirs)}\n  toControllers:\n${indent(ours)}`
}

// Changes the sources in small ways, one at a time, and sees whether tests notice.
//
//   npm run test:mutation -- src/run packages/compare     these folders or files (without any: all that scripts/mutation/folders.json names)
//   npm run test:mutation -- --since main                 the lines that were changed since a commit
//   npm run test:mutation -- --every 8 --first 3          lines 3, 11, 19, … of each file: an eighth of the changes
//   npm run test:mutation -- --write src/run              notes the scores, of which docs/mutation.md is made
//   npm run test:mutation -- --by test/chain.test.ts src/run/chain.ts
//                                                         with these tests, instead of those that folders.json has for the folder
//   npm run test:mutation -- --jest src/answer            with Jest, by tests that are chosen of all: seconds for each change
//   npm run test:mutation -- --jest --reach               asks again which tests run which sources
//   npm run test:mutation -- --jest --few src/run         with the few tests alone that run most of a file in the least time
//
// Without --jest the tests run in this process: scripts/mutation/in-process.js. With it each file has a run of its own, because Jest loads
// all test files that it knows for each change, and most of the time goes there: first with the few tests that run most of the file in
// the least time, then, for what survived, with more that run the same statements.
// What survived and stands in scripts/mutation/explained.json is a change that nothing can notice, with the reason.
import { Stryker } from '@stryker-mutator/core'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutantsInProcess } from './mutation/in-process.js'
import { readReach } from './mutation/reach.js'

/** `{ 'src/run': ['test/chain.test.ts', 'test/api'] }`: the files, or folders, of tests that are asked of the changes of a folder. */
const testsOf = JSON.parse(readFileSync('scripts/mutation/folders.json', 'utf8'))
const folders = Object.keys(testsOf)
const scoresFile = 'scripts/mutation/scores.json'
const kept = 'node_modules/.cache/mutation'
/** The times of a file of tests, in milliseconds, from which on it is not run for each change, and not for each survivor. */
const [longAtFirst, longest] = [5000, 12_000]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    every: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    reach: { type: 'boolean', default: false },
    by: { type: 'string', multiple: true },
    jest: { type: 'boolean', default: false },
    few: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

for (const name of ['every', 'first']) {
  if (/^[1-9]\d*$/.test(values[name])) continue
  console.error(`--${name} takes a whole number from 1 on, not ${values[name]}`)
  process.exit(2)
}
if (values.write && values.since !== undefined) {
  console.error('--write notes the score of whole files or samples, not of changed lines: leave --since out')
  process.exit(2)
}
const missing = positionals.find((path) => !existsSync(path))
if (missing !== undefined) {
  console.error(`There is no ${missing}: name folders or files of the sources, such as src/run`)
  process.exit(2)
}

const filesIn = (path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true })
        .map((file) => `${path.replace(/\/$/, '')}/${file.replaceAll('\\', '/')}`)
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
        .sort()
const testsIn = (path) => filesIn(path).filter((file) => file.endsWith('.test.ts'))

/** `{ 'src/run/chain.ts': ['src/run/chain.ts:12-14'] }`: what Stryker may change. */
function asked() {
  const files = (positionals.length > 0 ? positionals : folders).flatMap(filesIn)
  if (values.since !== undefined) return changedSince(values.since, files)
  return new Map(files.map((file) => [file, linesOf(file)]))
}

function linesOf(file) {
  const every = Number(values.every)
  if (every === 1) return [file]
  const count = readFileSync(file, 'utf8').split('\n').length
  const first = Array.from({ length: count }, (_, at) => at + 1).filter(
    (line) => (line - Number(values.first)) % every === 0,
  )
  return first.map((line) => `${file}:${line}-${line}`)
}

function changedSince(commit, files) {
  const git = (...args) =>
    execFileSync('git', [...args, '--', ...files], { encoding: 'utf8', maxBuffer: 1 << 28 })
  const changes = git('diff', '--merge-base', '--unified=0', '--no-ext-diff', '--no-color', commit)
  // What is not added yet is in no diff.
  const added = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean)
  const ranges = new Map(added.map((file) => [file, [file]]))
  let file
  for (const line of changes.split('\n')) {
    const named = /^\+\+\+ b\/(.*)$/.exec(line)
    if (named) file = named[1]
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (first === undefined || count === '0') continue
    if (!ranges.has(file)) ranges.set(file, [])
    ranges.get(file).push(`${file}:${first}-${Number(first) + Number(count) - 1}`)
  }
  return ranges
}

/** A few tests, which run most of the file in the least time. Where all take long, the fastest one. */
function fewTests(file) {
  const all = Object.entries(reach.tests)
    .filter(([, { reached }]) => reached[file])
    .map(([test, { ms, reached }]) => ({ test, ms: ms + 200, statements: reached[file] }))
    .sort((a, b) => a.ms - b.ms)
  const open = all.filter(({ ms }, at) => at === 0 || ms < longAtFirst)
  const count = new Set(open.flatMap(({ statements }) => statements)).size
  const seen = new Set()
  const added = ({ statements }) => statements.filter((id) => !seen.has(id)).length
  const few = []
  while (few.length < 4 && open.some((one) => added(one) > count / 50)) {
    open.sort((a, b) => added(b) / b.ms - added(a) / a.ms)
    const next = open.shift()
    few.push(next.test)
    for (const id of next.statements) seen.add(id)
  }
  return few
}

/** More of them, for what survived: those that run the very statement, the fastest and those that run most of the file beside it. */
function moreTests(file, few, survivors) {
  const all = Object.entries(reach.tests)
    .filter(([test, { ms, reached }]) => reached[file] && ms < longest && !few.includes(test))
    .map(([test, { ms, reached }]) => ({ test, ms, statements: reached[file] }))
    .sort((a, b) => a.ms - b.ms)
  const more = survivors.flatMap((mutant) => {
    const statement = statementOf(mutant, reach.starts[file])
    const running = all.filter(({ statements }) => statements.includes(statement))
    const fast = running.splice(0, 4)
    const thorough = running.sort((a, b) => b.statements.length - a.statements.length).slice(0, 1)
    return [...fast, ...thorough]
  })
  return [...new Set(more.map(({ test }) => test))]
}

/** The number of the first statement within what is changed, or else of the last one that begins before it. */
function statementOf({ location: { start, end } }, starts) {
  const isBefore = ([line, column], place) =>
    line < place.line || (line === place.line && column < place.column - 1)
  const inOrder = starts.map((at, id) => ({ at, id })).sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1])
  const after = inOrder.find(({ at }) => !isBefore(at, start))
  const first = after !== undefined && isBefore(after.at, end) ? after : undefined
  return (first ?? inOrder.findLast(({ at }) => isBefore(at, start)) ?? after)?.id
}

const placesOf = (mutants) =>
  mutants.map(({ fileName, location: { start, end } }) => {
    // Stryker counts columns from 1 here, and from 0 in what it is asked.
    const place = ({ line, column }) => `${line}:${column - 1}`
    return `${fileName}:${place(start)}-${place(end)}`
  })

async function mutantsOf(mutate, tests, name) {
  const tempDirName = mkdtempSync(join(tmpdir(), 'mutation-'))
  try {
    return await new Stryker({
      mutate,
      tempDirName,
      incremental: true,
      incrementalFile: `${kept}/${name.replaceAll('/', '-')}.json`,
      jest: { config: { testMatch: tests.map((test) => `<rootDir>/${test}`) } },
    }).runMutationTest()
  } finally {
    rmSync(tempDirName, { recursive: true, force: true })
  }
}

const explained = JSON.parse(readFileSync('scripts/mutation/explained.json', 'utf8'))
const sources = new Map()
function sourceOf(file) {
  if (!sources.has(file)) sources.set(file, readFileSync(file, 'utf8').split('\n'))
  return sources.get(file)
}
const lineOf = ({ fileName, location }) => sourceOf(fileName)[location.start.line - 1].trim()
/** What of the line is changed; of several lines what is changed of the first one. */
function partOf({ fileName, location: { start, end } }) {
  const line = sourceOf(fileName)[start.line - 1]
  return line.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined).trim()
}
const changeOf = ({ replacement }) => replacement.replace(/\s+/g, ' ')
const reasonFor = (mutant) =>
  explained.find(
    ({ file, line, part = partOf(mutant), change }) =>
      file === mutant.fileName &&
      line === lineOf(mutant) &&
      part === partOf(mutant) &&
      change === changeOf(mutant),
  )
const idOf = ({ fileName, location, replacement }) => JSON.stringify([fileName, location, replacement])

/** Written after each file, because a run takes hours. */
function noteScore(file, counts, survivors) {
  const scores = JSON.parse(readFileSync(scoresFile, 'utf8'))
  scores[file] = {
    on: new Date().toISOString().slice(0, 10),
    every: Number(values.every),
    first: Number(values.first),
    ...(values.jest && { jest: true }),
    ...(values.few && { few: true }),
    ...(values.by && { by: values.by }),
    ...counts,
    survivors: survivors.map((mutant) => ({
      line: lineOf(mutant),
      part: partOf(mutant),
      change: changeOf(mutant),
    })),
  }
  const inOrder = Object.entries(scores).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`)
}

const isNoticed = ({ status }) => status === 'Killed' || status === 'Timeout'
const isSurvivor = ({ status }) => status === 'Survived' || status === 'NoCoverage'

/** By the few tests first, and what survives by more of them. Undefined where no test runs the file. */
async function mutantsByStages(file, ranges) {
  const few = fewTests(file)
  if (few.length === 0) return undefined
  const first = await mutantsOf(ranges, few, `${file}.first`)
  const open = first.filter(isSurvivor)
  const more = values.few ? [] : moreTests(file, few, open)
  const second = more.length > 0 ? await mutantsOf(placesOf(open), more, `${file}.second`) : []
  const later = new Map(second.map((mutant) => [idOf(mutant), mutant]))
  return first.map((mutant) => later.get(idOf(mutant)) ?? mutant)
}

/** `[file, its changes]`, one after the other; without changes where no test runs the file. */
async function* mutantsByFile() {
  if (values.jest) {
    for (const [file, ranges] of asked()) yield [file, await mutantsByStages(file, ranges)]
    return
  }
  const open = asked()
  for (const folder of [...folders, '']) {
    const ranges = [...open].filter(([file]) => folder === '' || file.startsWith(`${folder}/`))
    for (const [file] of ranges) open.delete(file)
    const tests = (values.by ?? testsOf[folder] ?? []).flatMap(testsIn)
    if (tests.length === 0) yield* ranges.map(([file]) => [file, undefined])
    else if (ranges.length > 0)
      yield* mutantsInProcess(
        ranges.flatMap(([, some]) => some),
        [...new Set(tests)],
      )
  }
}

mkdirSync(kept, { recursive: true })
const reach = values.jest ? readReach({ again: values.reach, folders }) : undefined
const rows = []
const untested = []
try {
  for await (const [file, found] of mutantsByFile()) {
    if (found === undefined) {
      untested.push(file)
      continue
    }
    const survivors = found.filter(isSurvivor)
    const unexplained = survivors.filter((mutant) => !reasonFor(mutant))
    const noticed = found.filter(isNoticed).length
    const timeouts = found.filter(({ status }) => status === 'Timeout').length
    if (values.write && found.length > 0) noteScore(file, { noticed, timeouts }, survivors)
    rows.push({
      file,
      noticed,
      explained: survivors.length - unexplained.length,
      survived: unexplained.length,
    })
    console.log(`${file}: ${noticed} of ${noticed + survivors.length} changes are noticed`)
    for (const mutant of unexplained) {
      console.log(
        `  ${file}:${mutant.location.start.line}  ${lineOf(mutant)}\n    ${partOf(mutant)}  →  ${changeOf(mutant)}`,
      )
    }
  }
} catch (error) {
  // What a change leaves unhandled does not end this process, so it ends here.
  console.error(error)
  process.exit(1)
}

const score = ({ noticed, explained: reasons, survived }) =>
  Number(((100 * noticed) / (noticed + reasons + survived)).toFixed(1))
const sum = (some) =>
  some.reduce(
    (total, row) => ({
      noticed: total.noticed + row.noticed,
      explained: total.explained + row.explained,
      survived: total.survived + row.survived,
    }),
    { noticed: 0, explained: 0, survived: 0 },
  )
const byFolder = folders
  .map((folder) => [folder, rows.filter(({ file }) => file.startsWith(`${folder}/`))])
  .filter(([, some]) => some.length > 0)
  .map(([folder, some]) => ({ folder, ...sum(some), score: score(sum(some)) }))
console.table(rows.map((row) => ({ ...row, score: score(row) })))
console.table(byFolder)
if (untested.length > 0) console.log(`No test was asked of: ${untested.join(', ')}`)
// A change may have left a server or a timer open.
process.exit(byFolder.some((folder) => folder.score < 85) ? 1 : 0)

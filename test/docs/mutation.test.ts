// docs/mutation.md has each score that `npm run test:mutation -- --write` has noted, and each change that tests have not noticed.
// `UPDATE_TABLES=1 npx jest test/docs/mutation` writes its tables.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMarked, toTable } from '../support/doc-table.js'

interface Change {
  readonly line: string
  /** What of the line is changed. */
  readonly part: string
  readonly change: string
}
interface Score {
  readonly on: string
  readonly every: number
  readonly first: number
  /** True where Jest has run tests that were chosen of all. */
  readonly jest?: true
  /** True where what survives was not tested with more tests. */
  readonly few?: true
  /** The files of tests that were run, where these are not those of the folder. */
  readonly by?: readonly string[]
  readonly noticed: number
  /** How many of these were noticed by a timeout alone. */
  readonly timeouts: number
  readonly survivors: readonly Change[]
}
interface Explained extends Omit<Change, 'part'> {
  readonly file: string
  /** Missing where the reason holds for each part of the line that is changed so. */
  readonly part?: string
  readonly why: string
}

const root = join(__dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const notes = <T>(name: string): T => JSON.parse(read(`scripts/mutation/${name}.json`)) as T

const folders = Object.keys(notes<object>('folders'))
const scores = Object.entries(notes<Readonly<Record<string, Score>>>('scores'))
const explained = notes<readonly Explained[]>('explained')

const reasonFor = (file: string, { line, part, change }: Change): string | undefined =>
  explained.find(
    (one) => one.file === file && one.line === line && one.change === change && (one.part ?? part) === part,
  )?.why

const sampleOf = ({ every, first, jest, few, by }: Score): string => {
  const lines = every === 1 ? 'all lines' : `each ${every}th line from line ${first} on`
  if (by !== undefined) return `${lines}, by ${by.map((test) => `\`${test}\``).join(' and ')}`
  if (jest) return few ? `${lines}, few tests, with Jest` : `${lines}, with Jest`
  return lines
}

function cellsOf(files: readonly (readonly [string, Score])[]): string[] {
  const sum = (count: (score: Score, file: string) => number): number =>
    files.reduce((total, [file, score]) => total + count(score, file), 0)
  const noticed = sum((score) => score.noticed)
  const survived = sum(({ survivors }) => survivors.length)
  const left = sum(({ survivors }, file) => survivors.filter((one) => !reasonFor(file, one)).length)
  const changes = noticed + survived
  const share = changes === 0 ? 'none' : `${((100 * noticed) / changes).toFixed(1)} %`
  const timeouts = sum((score) => score.timeouts)
  return [...[changes, noticed, timeouts, survived - left, left].map(String), share]
}

const figures = ['changes', 'noticed', 'by a timeout', 'explained', 'left', 'score']
const samplesOf = (files: readonly (readonly [string, Score])[]): string =>
  [...new Set(files.map(([, score]) => sampleOf(score)))].join('; ')
const inFolder = (folder: string): typeof scores => scores.filter(([file]) => file.startsWith(`${folder}/`))

const folderTable = (): string =>
  toTable([
    ['folder', 'files', 'sample', ...figures],
    ...folders.map((folder) => {
      const files = inFolder(folder)
      return [`\`${folder}\``, String(files.length), samplesOf(files), ...cellsOf(files)]
    }),
  ])

const fileTable = (): string =>
  toTable([
    ['file', 'on', 'sample', ...figures],
    ...scores.map((one) => [`\`${one[0]}\``, one[1].on, sampleOf(one[1]), ...cellsOf([one])]),
  ])

/** A piece of source as code of Markdown. */
function code(text: string): string {
  if (text === '') return 'nothing'
  if (text === '``') return 'an empty text'
  const fence = text.includes('``') ? '```' : text.includes('`') ? '``' : '`'
  const space = /^`|`$/.test(text) ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

const survivorList = (): string =>
  scores
    .filter(([, { survivors }]) => survivors.length > 0)
    .map(([file, { survivors }]) => {
      const lines = survivors.map((one) => {
        const why = reasonFor(file, one) ?? 'Left: no test notices it yet.'
        return `- ${code(one.line)}: ${code(one.part)} becomes ${code(one.change)}. ${why}`
      })
      return `### ${file}\n\n${lines.join('\n')}`
    })
    .join('\n\n')

it.each([
  ['folders', folderTable],
  ['files', fileTable],
  ['survivors', survivorList],
])('docs/mutation.md has the %s of scripts/mutation', (name, measured) => {
  expect(readMarked(join(root, 'docs/mutation.md'), name, measured())).toBe(measured())
})

it('each file with a score is still there', () => {
  expect(scores.map(([file]) => file).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

/** Those whose line is not in the file any more: run `npm run test:mutation -- --write` for the file. */
const gone = (all: readonly { readonly file: string; readonly line: string }[]): unknown =>
  all.filter(
    ({ file, line }) =>
      !read(file)
        .split('\n')
        .some((one) => one.trim() === line),
  )

it('each change that was not noticed is one of a line that is still there', () => {
  expect(gone(scores.flatMap(([file, { survivors }]) => survivors.map((one) => ({ file, ...one }))))).toEqual(
    [],
  )
})

it('each reason is one of a line that is still there', () => {
  expect(gone(explained)).toEqual([])
})

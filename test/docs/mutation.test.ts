// docs/mutation.md has each score that `npm run test:mutation -- --write` has noted, and each change that tests have not noticed.
// `UPDATE_TABLES=1 npx jest test/docs/mutation` writes its tables.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMarked, toTable } from '../support/doc-table.js'

interface Change {
  readonly line: string
  readonly change: string
}
interface Score {
  readonly on: string
  readonly every: number
  readonly first: number
  readonly noticed: number
  readonly survivors: readonly Change[]
}
interface Explained extends Change {
  readonly file: string
  readonly why: string
}

const root = join(__dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const notes = <T>(name: string): T => JSON.parse(read(`scripts/mutation/${name}.json`)) as T

const folders = notes<readonly string[]>('folders')
const scores = Object.entries(notes<Readonly<Record<string, Score>>>('scores'))
const explained = notes<readonly Explained[]>('explained')

const reasonFor = (file: string, { line, change }: Change): string | undefined =>
  explained.find((one) => one.file === file && one.line === line && one.change === change)?.why

const sampleOf = ({ every, first }: Score): string =>
  every === 1 ? 'all lines' : `each ${every}th line from line ${first} on`

function cellsOf(files: readonly (readonly [string, Score])[]): string[] {
  const sum = (count: (score: Score, file: string) => number): number =>
    files.reduce((total, [file, score]) => total + count(score, file), 0)
  const noticed = sum((score) => score.noticed)
  const survived = sum(({ survivors }) => survivors.length)
  const left = sum(({ survivors }, file) => survivors.filter((one) => !reasonFor(file, one)).length)
  const changes = noticed + survived
  const share = changes === 0 ? '' : `${((100 * noticed) / changes).toFixed(1)} %`
  return [...[changes, noticed, survived - left, left].map(String), share]
}

const figures = ['changes', 'noticed', 'explained', 'left', 'score']
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
        return `- ${code(one.line)} becomes ${code(one.change)}. ${why}`
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

it('each folder has a score', () => {
  expect(folders.filter((folder) => inFolder(folder).length === 0)).toEqual([])
})

it('each file with a score is still there', () => {
  expect(scores.map(([file]) => file).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

/** Those whose line is not in the file any more: run `npm run test:mutation -- --write` for the file. */
const gone = (all: readonly (Change & { readonly file: string })[]): unknown =>
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

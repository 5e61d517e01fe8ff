// What a compiler finds in the projects of written files: a compiler that is made here finds each line with the word wrong.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { newTypeErrors } from '../../../packages/cli/src/edit/type-errors.js'

let folder: string
const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'type-errors-'))
  write('node_modules/typescript/package.json', '{}')
  write(
    'node_modules/typescript/bin/tsc',
    `require('node:fs').readFileSync('app.ts', 'utf8').split('\\n').forEach((line, at) => {
  if (line.includes('wrong')) console.log('app.ts(' + (at + 1) + ',1): error TS1: ' + line)
  if (line.startsWith('needs ')) console.log(line.slice(6) + '(1,1): error TS2: none')
})
`,
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Gives what is found in some projects, by their text before and after. */
async function found(...projects: [before: string, after: string][]): Promise<unknown> {
  const files = projects.map(([text, written], at) => {
    write(`${at}/tsconfig.json`, '{}')
    return { file: join(folder, `${at}/app.ts`), text, written, isCompiled: false }
  })
  const put = (key: 'text' | 'written') => (): void =>
    files.forEach((one) => writeFileSync(one.file, one[key]))
  put('written')()
  const context = { stdout: new PassThrough(), stderr: new PassThrough(), preload: '' }
  const errors = await newTypeErrors(
    files,
    folder,
    { ...context, today: '', version: () => '' },
    { putBack: put('text'), putIn: put('written') },
  )
  return errors.map(({ file, reason }) => [file.slice(folder.length + 1), reason])
}

it('is told of each project, whatever the one before it has', async () => {
  expect(await found(['a', 'b'], ['a', 'wrong b'])).toEqual([
    ['1/app.ts', 'its types do not fit: TS1: wrong b'],
  ])
  expect(await found(['a', 'wrong b'], ['a', 'wrong c'])).toEqual([
    ['0/app.ts', 'its types do not fit: TS1: wrong b'],
    ['1/app.ts', 'its types do not fit: TS1: wrong c'],
  ])
})

it('is nothing that was wrong before, on another line too', async () => {
  expect(await found(['wrong a', 'import\nwrong a'])).toEqual([])
})

it.each(['d.ts', 'd.mts', 'd.cts'])(
  'says what helps where declarations of a package do not compile: %s',
  async (ending) => {
    const [[, reason]] = (await found(['a', `needs node_modules/form/index.${ending}`])) as [[string, string]]
    expect(reason).toBe(
      `0/node_modules/form/index.${ending}: TS2: none Declarations of packages need skipLibCheck in tsconfig.json, or npm install --save-dev typescript@5 @types/node@20`,
    )
    expect(await found(['a', `needs own/index.${ending}`])).toEqual([
      [`0/own/index.${ending}`, `0/own/index.${ending}: TS2: none`],
    ])
  },
)

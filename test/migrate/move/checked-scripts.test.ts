// How the compiler of a project checks a file in JavaScript, by what it says of its own options.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkedScript } from '../../../packages/cli/src/edit/checked-scripts.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'scripts-'))
  const bin = join(folder, 'node_modules/typescript/bin')
  mkdirSync(bin, { recursive: true })
  // It stands for the compiler, which takes a second to say the same of a file that extends none.
  writeFileSync(
    join(bin, 'tsc'),
    "process.stdout.write(require('node:fs').readFileSync(process.argv[3], 'utf8'))",
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

function checked(compilerOptions: object, text = '', file = 'teas.js'): object | undefined {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['./teas.js'] }))
  return checkedScript(join(folder, file), text)
}

it.each<[options: object, isStrict: boolean]>([
  [{}, false],
  [{ strict: true }, true],
  [{ strict: false }, false],
  [{ strictNullChecks: true }, true],
  [{ strict: true, strictNullChecks: false }, false],
])('undefined is a type of its own where the options say so: %j', (options, isStrict) => {
  expect(checked({ checkJs: true, ...options })).toEqual({ isStrict })
})

it.each<[what: string, options: object, text: string, isChecked: boolean]>([
  ['that checkJs includes', { checkJs: true }, '', true],
  ['that allowJs alone includes', { allowJs: true }, '', false],
  ['that asks for it itself', { allowJs: true }, '#!/usr/bin/env node\n// @ts-check\n', true],
  ['that asks for it below its code', { allowJs: true }, 'teas()\n// @ts-check\n', false],
  ['that forbids it itself', { checkJs: true }, '// @ts-nocheck\n', false],
  ['of a project without JavaScript', {}, '// @ts-check\n', false],
])('a file %s is checked: %j', (_what, options, text, isChecked) => {
  expect(checked(options, text) !== undefined).toBe(isChecked)
})

it('no file is checked that the project does not include, and none in TypeScript', () => {
  const options = { checkJs: true }
  expect(checked(options, '', 'cups.js')).toBeUndefined()
  expect(checked(options, '', 'teas.ts')).toBeUndefined()
})

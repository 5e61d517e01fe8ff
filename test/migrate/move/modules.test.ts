// Which file of a project an import names, as far as its path and the aliases of TypeScript say.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { SourceFile } from '../../../packages/cli/src/edit/source-file.js'
import { Modules } from '../../../packages/cli/src/edit/modules.js'

let folder: string
const write = (name: string, text = 'export const a = 1\n'): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'modules-'))
  for (const name of ['src/teas.ts', 'src/cups.js', 'src/cups.ts', 'src/pots/index.ts', 'lib/own.ts'])
    write(name)
  write('src/broken.ts', 'export const = 1\n')
  write('src/data.json', '{}')
  write(
    'tsconfig.json',
    `{
  // What the compiler is told: "paths" too.
  "compilerOptions": {
    "paths": {
      "@/*": ["./none/*", "./src/*"], /* the source */
      "own": ["lib/own.ts"],
    },
  },
}
`,
  )
  write('based/tsconfig.json', '{ "compilerOptions": { "baseUrl": "../src", "paths": { "~/*": ["*"] } } }')
  write('wrong/tsconfig.json', '{ "compilerOptions": ')
})
afterAll(() => rmSync(folder, { recursive: true }))

const found = (from: string, specifier: string, isOwn = true): string | undefined => {
  const source = { file: join(folder, from) } as SourceFile
  const file = new Modules(() => isOwn).imported(source, specifier)?.file
  return file && relative(folder, file)
}

it.each([
  ['src/app.ts', './teas', 'src/teas.ts'],
  ['src/app.ts', './teas.js', 'src/teas.ts'],
  ['src/app.ts', './cups', 'src/cups.ts'],
  ['src/app.js', './cups', 'src/cups.js'],
  ['src/app.ts', './pots', 'src/pots/index.ts'],
  ['src/pots/index.ts', '..', undefined],
  ['src/app.ts', '@/teas', 'src/teas.ts'],
  ['src/app.ts', '@/pots', 'src/pots/index.ts'],
  ['src/app.ts', 'own', 'lib/own.ts'],
  ['src/app.ts', 'own/more', undefined],
  ['based/app.ts', '~/teas', 'src/teas.ts'],
  ['based/app.ts', '@/teas', undefined],
  ['wrong/app.ts', '@/teas', undefined],
  ['src/app.ts', 'express', undefined],
  ['src/app.ts', './none', undefined],
  ['src/app.ts', './data.json', undefined],
  ['src/app.ts', './broken', undefined],
])('%s finds %s at %s', (from, specifier, expected) => {
  expect(found(from, specifier)).toBe(expected)
})

it('is none that may not be edited', () => {
  expect(found('src/app.ts', './teas', false)).toBeUndefined()
})

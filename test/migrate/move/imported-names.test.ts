// What is called by which name in a file that has such names already.
import MagicString from 'magic-string'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeImports } from '../../../packages/cli/src/edit/imports.js'
import { readText } from '../../../packages/cli/src/edit/source-file.js'

function imported(text: string, ...names: string[]): readonly [names: unknown, text: string] {
  return importedIn('/routes.mjs', text, names)
}
function importedIn(
  file: string,
  text: string,
  names: readonly string[],
  before = text.length,
): readonly [names: unknown, text: string] {
  const source = readText(file, text)
  if (typeof source === 'string') throw new Error(source)
  const code = new MagicString(text)
  const found = writeImports(code, source, { 'routecontrollers/express': names }, before)
  return [found, code.toString()]
}

it.each([
  ['let native', 'native as rcNative'],
  ['let native, rcNative', 'native as rcNative2'],
  ['let native, rcNative, rcNative2', 'native as rcNative3'],
  ['let tea = { native: 1 }', 'native'],
])('a name that is taken gets another one that is free: %s', (text, part) => {
  const [names, written] = imported(text, 'native')
  expect(written).toBe(`import { ${part} } from 'routecontrollers/express'\n\n${text}`)
  expect(names).toEqual({ native: part.split(' as ').at(-1) })
})

it('a name of a type or a class keeps its first letter large, and no two are the same', () => {
  const [names] = imported('let Handler, RcHandler, native', 'Handler', 'native')
  expect(names).toEqual({ Handler: 'RcHandler2', native: 'rcNative' })
})

it('a name that is imported already is the one that it has there', () => {
  const [names, written] = imported("import { native as own } from 'routecontrollers/express'\n", 'native')
  expect([names, written]).toEqual([
    { native: 'own' },
    "import { native as own } from 'routecontrollers/express'\n",
  ])
})

const package_ = "'routecontrollers/express'"
const line = {
  import: `import { native } from ${package_}`,
  require: `const { native } = require(${package_})`,
}

describe('a file gets what it needs', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'imported-'))
    mkdirSync(join(folder, 'inner'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'inner/package.json'), '{}')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each<[file: string, text: string, by: keyof typeof line]>([
    ['a.mjs', 'module.exports = 1', 'import'],
    ['a.mts', 'let a', 'import'],
    ['a.cjs', 'let a', 'require'],
    ['a.cjs', 'export const a = 1', 'require'],
    ['a.ts', 'let a', 'import'],
    ['a.tsx', 'let a', 'import'],
    ['a.ts', 'module.exports = 1', 'require'],
    ['a.ts', "exports.a = require('a')", 'require'],
    ['a.js', 'let a', 'import'],
    ['a.js', 'exports.a = 1', 'require'],
    ['inner/a.js', 'let a', 'require'],
    ['inner/a.js', 'export const a = 1', 'import'],
    ['inner/a.js', 'export default 1', 'import'],
    ['inner/a.js', "import 'a'\nrequire('a')", 'import'],
  ])('as it gets all else: %s %j', (file, text, by) => {
    const [, written] = importedIn(join(folder, file), text, ['native'])
    expect(written).toContain(`${line[by]}\n`)
    expect(written).not.toContain(line[by === 'import' ? 'require' : 'import'])
  })
})

it.each<[what: string, before: string, after: string]>([
  [
    'behind the last import',
    "import 'a'\nlet a\nimport 'b'\nlet b\n",
    `import 'a'\nlet a\nimport 'b'\n${line.import}\nlet b\n`,
  ],
  ['below the comments at the top', '// The file.\n\nlet a\n', `// The file.\n\n${line.import}\n\nlet a\n`],
  ['behind a directive', "'use strict'\nlet a\n", `'use strict'\n${line.import}\nlet a\n`],
  [
    'behind the line of an interpreter',
    '#!/usr/bin/env node\nlet a\n',
    `#!/usr/bin/env node\n${line.import}\nlet a\n`,
  ],
  [
    'with its quotes and semicolons',
    'import "a";\nlet a;\n',
    `import "a";\n${line.import.replaceAll("'", '"')};\nlet a;\n`,
  ],
  ['with its ends of lines', "import 'a'\r\nlet a\r\n", `import 'a'\r\n${line.import}\r\nlet a\r\n`],
  [
    'among what it has of the module',
    `import { download } from ${package_}\n`,
    `import { download, native } from ${package_}\n`,
  ],
])('an import stands %s', (_what, before, after) => {
  expect(imported(before, 'native')).toEqual([{ native: 'native' }, after])
})

it.each<[what: string, before: string, after: string]>([
  [
    'behind the first of them',
    "const a = require('a')\nconst b = a()\n",
    `const a = require('a')\n${line.require}\nconst b = a()\n`,
  ],
  [
    'behind all that the file begins with',
    "const a = require('a')\nrequire('b').c()\na()\n",
    `const a = require('a')\nrequire('b').c()\n${line.require}\na()\n`,
  ],
  [
    'before what may need it',
    "if (a) b()\nconst c = require('c')\n",
    `${line.require}\n\nif (a) b()\nconst c = require('c')\n`,
  ],
  [
    'among what it has of the module',
    `const { download } = require(${package_})\n`,
    `const { download, native } = require(${package_})\n`,
  ],
])('a require stands %s', (_what, before, after) => {
  expect(importedIn('/routes.cjs', before, ['native'])).toEqual([{ native: 'native' }, after])
})

it('what stands behind the place where it is needed is not there yet', () => {
  const text = `require('express')().get('/', show)\nconst { download } = require(${package_})\n`
  const [, written] = importedIn('/routes.cjs', text, ['native'], 0)
  expect(written).toBe(`${line.require}\n\n${text}`)
})

it('a type is no value that has its name, and a value is none that was imported as a type', () => {
  const own = `import { type Handler, download as load } from ${package_}\n`
  const [names, written] = importedIn('/a.mts', own, ['Handler', 'type Options', 'download'])
  expect(names).toEqual({ Handler: 'RcHandler', 'type Options': 'Options', download: 'load' })
  expect(written).toBe(
    `import { type Handler, download as load, Handler as RcHandler, type Options } from ${package_}\n`,
  )
  const types = `import type { Handler } from ${package_}\n`
  expect(importedIn('/a.mts', types, ['native'])[1]).toBe(`${types}${line.import}\n`)
})

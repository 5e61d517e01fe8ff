// What is called by which name in a file that has such names already.
import MagicString from 'magic-string'
import { writeImports } from '../../../packages/cli/src/edit/imports.js'
import { readText } from '../../../packages/cli/src/edit/source-file.js'

function imported(text: string, ...names: string[]): readonly [names: unknown, text: string] {
  const source = readText('/routes.mjs', text)
  if (typeof source === 'string') throw new Error(source)
  const code = new MagicString(text)
  const found = writeImports(code, source, { 'routecontrollers/express': names }, text.length)
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

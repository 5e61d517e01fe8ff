// What a name stands for, and what a file exports by it, where it is written more than once.
import { readText } from '../../packages/cli/src/edit/source-file.js'
import { type Binding, findBinding, type ScopedBinding } from '../../packages/cli/src/syntax/bindings.js'
import { findExports } from '../../packages/cli/src/syntax/exports.js'
import type { Node } from '../../packages/cli/src/syntax/parser.js'

const scope = (type: string, start: number, end: number): Node => ({ type, start, end })

it('a name stands for what the innermost scope has, and of one scope for the later one', () => {
  const nodes = ['first', 'second', 'inner', 'late', 'other'].map((type) => scope(type, 0, 0))
  const [first, second, inner, late, other] = nodes.map((node): Binding => ({ kind: 'value', node }))
  const all: ScopedBinding[] = [
    { binding: inner!, scope: scope('BlockStatement', 10, 20) },
    { binding: first!, scope: scope('Program', 0, 0) },
    { binding: second!, scope: scope('Program', 0, 0) },
    { binding: late!, scope: scope('BlockStatement', 10, 20) },
    { binding: other!, scope: scope('BlockStatement', 5, 30) },
  ]
  const at = (offset: number): unknown => findBinding(new Map([['a', all]]), 'a', offset)
  expect([4, 5, 9, 10, 20, 21, 31].map(at)).toEqual([second, other, other, late, late, other, second])
  expect(findBinding(new Map(), 'a', 1)).toBeUndefined()
})

it.each([
  ['exports.a = one; module.exports.a = two; exports.b = three', ['two', 'one']],
  ['module.exports = { a: one }; exports.a = two', ['two', 'one']],
  ['export const a = one, b = two', ['one']],
  ['export { one as a, two as b }', ['one']],
  ["export { one as a } from './b.js'", ['./b.js one']],
  ["export * from './b.js'; export * from './c.js'", ['./c.js a', './b.js a']],
  ['module.exports = one; exports.b = two', []],
])('a file exports by one name, the last one first: %s', (text, expected) => {
  const source = readText('/a.js', text)
  if (typeof source === 'string') throw new Error(source)
  const found = findExports(source.program, 'a')
  expect(
    found.map(({ from, name, node }) => (from === undefined ? String(node!['name']) : `${from} ${name}`)),
  ).toEqual(expected)
})

// Where one more member may be written behind a member of a class.
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { writeBehind } from '../../../packages/cli/src/move/elsewhere.js'
import { walk } from '../../../packages/cli/src/syntax/walk.js'

function behind(member: string, more = ''): string | undefined {
  const source = readText('/teas.ts', `class Teas {\n  ${member}\n${more}}\n`)
  if (typeof source === 'string') throw new Error(source)
  const found = [...walk(source.program)].find(({ node }) => /^Class(?:Property|Method)$/.test(node.type))!
  const site = { kind: 'member', member: found.node } as const
  return writeBehind({ source, name: 'show', site, value: found.node }, { value: 'native()' })?.[0]?.text
}

it.each([
  ['show = (req, res) => res.send(1)', '\n\n  showNative = native()'],
  ['private readonly show = (req, res) => res.send(1)', '\n\n  private readonly showNative = native()'],
  ['static async show(req, res) { res.send(1) }', '\n\n  static showNative = native()'],
  // What a decorator makes of it is not known.
  ['@log show = (req, res) => res.send(1)', undefined],
  ['@log() show(req, res) { res.send(1) }', undefined],
])('behind %j', (member, text) => {
  expect(behind(member)).toBe(text)
})

it('nothing is written where its name is taken', () => {
  expect(behind('show = (req, res) => res.send(1)', '  showNative = 1\n')).toBeUndefined()
})

// Which member of an exported object is surely the function that its file shows: an assignment puts another one there.
import { exportedWhole, memberOf } from '../../../packages/cli/src/edit/exported.js'
import { readText, type SourceFile } from '../../../packages/cli/src/edit/source-file.js'

function isShown(body: string, more: string): boolean {
  const text = `class Teas {\n  ${body}\n}\n${more}\nmodule.exports = new Teas()\n`
  const whole = exportedWhole(readText('/app/teas.cjs', text) as SourceFile)
  return memberOf(whole!, 'show') !== undefined
}

it.each<[body: string, more: string, expected: boolean]>([
  ['show(req, res) { res.send() }', '', true],
  ['show(req, res) { res.send() }', 'Teas.prototype.show = guarded(Teas.prototype.show)', false],
  ['show(req, res) { res.send() }', 'Teas.prototype.list = guarded(Teas.prototype.list)', true],
  ['constructor() { this.show = this.show.bind(this) }\n  show(req, res) { res.send() }', '', true],
  ['constructor() { this.show = guarded(this.show) }\n  show(req, res) { res.send() }', '', false],
])('of %j with %j behind it: %j', (body, more, expected) => {
  expect(isShown(body, more)).toBe(expected)
})

// Which of the written files something has failed with, and what stays because of that.
import { brokenFiles } from '../../../packages/cli/src/edit/broken-files.js'
import { Broken } from '../../../packages/cli/src/edit/changed-file.js'
import { brokenBy, readText, type SourceFile } from '../../../packages/cli/src/edit/source-file.js'

const files = ['/app/teas.js', '/app/server.js'].map((file) => ({ file }))

it('is the nearest file of a stack trace alone', () => {
  const said = `TypeError: no tea
    at load (/app/node_modules/tea/index.js:1:1)
    at show (/app/teas.js:3:1)
    at Object.<anonymous> (/app/server.js:7:1)
`
  expect([...brokenFiles(said, files, '/app', 'the app')]).toEqual([
    ['/app/teas.js', 'the app fails with it: TypeError: no tea'],
  ])
})

it('is each file of several stack traces', () => {
  const said = `Error: one
    at /app/teas.js:3:1
Error: two
    at /app/server.js:7:1
`
  expect([...brokenFiles(said, files, '/app', 'the app').values()]).toEqual([
    'the app fails with it: Error: one',
    'the app fails with it: Error: two',
  ])
})

it('is told by the first of its errors, and by a line of a compiler as by a stack trace', () => {
  const said = `Error: one
    at /app/teas.js:3:1
Error: two
    at /app/teas.js:7:1
server.js(3,1): error TS1005: ';' expected.
server.js(4,1): error TS1005: ',' expected.
/app/other-teas.js:1
`
  expect([...brokenFiles(said, files, '/app', 'the app').values()]).toEqual([
    'the app fails with it: Error: one',
    "the app fails with it: error TS1005: ';' expected.",
  ])
  // Of a mistake of syntax the file comes first, and then the error.
  expect([...brokenFiles('/app/teas.js:1\nlet\n\nSyntaxError: no', files, '/app', 'the app')]).toEqual([
    ['/app/teas.js', 'the app fails with it: SyntaxError: no'],
  ])
  expect([...brokenFiles('teas.js:1', files, '/app', 'the app').values()]).toEqual(['the app fails with it'])
})

it('keeps the reason of a call from the rest of its file', () => {
  const broken = new Broken()
  broken.add('/app/teas.js', 'its types do not fit', 7)
  expect(broken.reasonsOf('/app/teas.js', 7)).toEqual(['its types do not fit'])
  expect(broken.reasonsOf('/app/teas.js')).toEqual([])
})

it.each([
  ['is wrong anew', 'let tea', 'let tea\nlet tea', "Identifier 'tea' has already been declared. (2:4)"],
  ['was wrong before, on whatever line', 'let tea\nlet tea', '\nlet tea\nlet tea', undefined],
  [
    'is another mistake than before',
    'let tea\nlet tea',
    'let tea\nlet tea\nlet cup\nlet cup',
    /'cup'.*\(4:4\)/,
  ],
  ['cannot be read at all', 'let tea', 'let tea = (', /^Unexpected token/],
  ['is well', 'let tea', 'let cup', undefined],
])('tells what of a text %s', (_what, before, written, wrong) => {
  const found = brokenBy(readText('/app/teas.js', before) as SourceFile, written)
  if (wrong instanceof RegExp) expect(found).toMatch(wrong)
  else expect(found).toBe(wrong)
})

import { atIndent } from '../../../packages/cli/src/edit/source-file.js'

const body = (indent: string): string => `(req, res) => {\n${indent}  return res.json({})\n${indent}}`

it.each([
  ['deeper', body('  '), '      ', body('      ')],
  ['less deep', body('    '), '', body('')],
  ['by tabs', body(''), '\t', '(req, res) => {\n\t  return res.json({})\n\t}'],
  ['not where it has it already', body('  '), '  ', body('  ')],
  ['of one line', '(req, res) => 1', '    ', '(req, res) => 1'],
  [
    'with a line that stands less deep than the function',
    'f(() => {\n# a\n    b()\n  })',
    '',
    'f(() => {\n# a\n  b()\n})',
  ],
  [
    'not with a template of several lines, whose text would change',
    '() => {\n    a(`\n    b`)\n  }',
    '',
    '() => {\n    a(`\n    b`)\n  }',
  ],
])('The text of a function is set %s', (_how, text, indent, expected) => {
  expect(atIndent(text, indent)).toBe(expected)
})

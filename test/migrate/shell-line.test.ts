// What the commands of a line say plainly, and what only a shell knows.
import { shellLine } from '../../packages/cli/src/entry/shell-line.js'

const words = (text: string): unknown =>
  shellLine(text).commands.map((command) => command.words.map(({ text: word }) => word))

describe('A word', () => {
  it.each([
    ["'a b' c", ['a b', 'c']],
    ['"a b"c\'d\'', ['a bcd']],
    ['a\\ b', ['a b']],
    // Before other letters a backslash stays.
    ['"\\$a \\" \\\\ \\` \\n \\q"', ['$a " \\ ` \\n \\q']],
    ["'\\$a'", ['\\$a']],
    ['a \\\n b', ['a', 'b']],
    ['a # b', ['a']],
    ['a#b', ['a#b']],
  ])('is read without its quotes: %s', (text, expected) => {
    expect(words(text)).toEqual([expected])
  })

  it.each([
    ['node', true],
    ['$FILE', false],
    ['"$FILE"', false],
    ['"\\$FILE"', true],
    ["'$FILE'", true],
    ['`ls`', false],
    ['$(ls (a) b)', false],
    ['${A:-b c}', false],
    ['*.js', false],
    ["'*.js'", true],
    ['a?', false],
    ['{a,b}', false],
    ['{1..3}', false],
    ['{a}', true],
    ['~/a', false],
    ['a~', true],
    // In an assignment a shell looks for no files, and for a home it does.
    ['DEBUG=*', true],
    ['A={a,b}', true],
    ['A=~/b', false],
    ['A=b:~/c', false],
    ['A=b~', true],
    ['A=$B', false],
    ['1A=*', false],
  ])('%s is plain: %s', (text, isPlain) => {
    const { commands } = shellLine(text)
    expect(commands.map((command) => command.words.map((word) => word.isPlain))).toEqual([[isPlain]])
  })
})

describe('Commands', () => {
  it.each([
    ['a && b || c', ['', '&&', '||']],
    ['a; b\nc', ['', ';', ';']],
    ['a | b |& c', ['', '|', '|']],
    ['a & b', ['', '&']],
  ])('are told with what stands between them: %s', (text, joints) => {
    const { commands, isPlain } = shellLine(text)
    expect([commands.map(({ joint }) => joint), isPlain]).toEqual([joints, true])
  })

  it('know the parentheses around them, and where they stand', () => {
    const text = 'a (b; (c)) && d'.replace('a ', 'a; ')
    const { commands } = shellLine(text)
    expect(commands.map(({ groups }) => groups)).toEqual([[], [3], [3, 7], []])
    expect(commands.map(({ begin, end }) => text.slice(begin, end).trim())).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each([
    ['a < b > c 2>&1 d', [['a', 'd']], true],
    ['a > b', [['a']], false],
    ['a 2>> b', [['a']], false],
  ])('have neither the files that they read nor those that they write: %s', (text, expected, readsInput) => {
    expect(words(text)).toEqual(expected)
    expect(shellLine(text).commands[0]!.readsInput).toBe(readsInput)
    expect(shellLine(text).isPlain).toBe(true)
  })

  it.each([
    'if a; then b; fi',
    'a <<E',
    'a >',
    'a)',
    '(a',
    'f() { a; }',
    'f() (a)',
    "a 'b",
    'a "b',
    'a;; b',
    '! a',
  ])('that are more than one after the other are not plain: %s', (text) => {
    expect(shellLine(text).isPlain).toBe(false)
  })
})

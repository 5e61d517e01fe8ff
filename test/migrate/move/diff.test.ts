import { diffText } from '../../../packages/cli/src/edit/diff.js'

describe('The diff that move shows', () => {
  const plain = { colours: false }

  it('has the lines that change with two around them, in hunks', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n'
    const after = before.replace('b', 'B').replace('i', 'I\nI')
    expect(diffText('app.js', before, after, plain)).toBe(
      '--- app.js\n+++ app.js\n' +
        '@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n d\n' +
        '@@ -7,4 +7,5 @@\n g\n h\n-i\n+I\n+I\n j\n',
    )
  })

  it('has no returns, which would move the cursor of a terminal', () => {
    expect(diffText('app.js', 'a\r\n\r\nb\r\n', 'a\r\n\r\nB\r\n', plain)).toBe(
      '--- app.js\n+++ app.js\n@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n',
    )
  })

  it('does not tell that the last line does not end', () => {
    expect(diffText('app.js', 'a\nb', 'A\nb', plain)).toBe(
      '--- app.js\n+++ app.js\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
    )
  })

  it('has colours for what is taken away and what is added', () => {
    expect(diffText('app.js', 'a\n', 'A\n', { colours: true })).toContain(
      '\u001b[31m-a\u001b[39m\n\u001b[32m+A\u001b[39m\n',
    )
  })
})

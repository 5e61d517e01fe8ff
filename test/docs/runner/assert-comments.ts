import ts from 'typescript'

/** Turns the comments `// → text`, `// throws text` and what follows a `console.log(…)` into calls of ./assertions.ts. */
export function assertComments(source: string, file: string): string {
  const edits: { at: number; remove?: number; insert: string }[] = []
  const parsed = ts.createSourceFile('block.ts', source, ts.ScriptTarget.Latest, true)

  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isExpressionStatement(node) && !ts.isVariableStatement(node)) return
    const comment = commentAfter(node)
    if (comment === undefined) return

    const start = node.getStart()
    const line = parsed.getLineAndCharacterOfPosition(node.end).line + 1
    const [, verb, text] = /^(→|throws\b)?\s*(.*)$/.exec(comment)!
    const claim = `${JSON.stringify(`${file}:${line}`)}, ${JSON.stringify(text)}`

    if (ts.isVariableStatement(node)) {
      const [first] = node.declarationList.declarations
      if (verb === '→') edits.push({ at: node.end, insert: `; $docs.is(${claim}, ${first!.name.getText()})` })
      return
    }
    const end = node.expression.end
    if (verb === 'throws') {
      edits.push(
        { at: start, insert: `await $docs.throws(${claim}, async () => (` },
        { at: end, insert: '))' },
      )
    } else if (isConsoleLog(node.expression)) {
      const callee = node.expression.expression
      edits.push({ at: start, remove: callee.end - start, insert: `$docs.prints(${claim})` })
    } else if (verb === '→') {
      edits.push({ at: start, insert: `$docs.is(${claim}, (` }, { at: end, insert: '))' })
    }
  }
  visit(parsed)

  return edits
    .sort((a, b) => b.at - a.at)
    .reduce(
      (text, { at, remove = 0, insert }) => text.slice(0, at) + insert + text.slice(at + remove),
      source,
    )
}

function isConsoleLog(node: ts.Expression): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.getText() === 'console.log'
}

/** The text of the `//` comment that ends the line of a statement. */
function commentAfter(node: ts.Node): string | undefined {
  const text = node.getSourceFile().text
  const comment = ts.getTrailingCommentRanges(text, node.end)?.at(-1)
  return comment && text.slice(comment.pos + 2, comment.end).trim()
}

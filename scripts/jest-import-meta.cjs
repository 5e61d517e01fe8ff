// Jest runs the files of this project as CommonJS, which has no `import.meta`: ts-jest puts `__filename` in place of
// `import.meta.url`, as the build does, and nothing in place of its other members.
const ts = require('typescript')

const isImportMeta = (node) =>
  ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword && node.name.text === 'meta'

module.exports = {
  name: 'import-meta',
  // ts-jest keeps what it has made by this number.
  version: 1,
  factory: () => (context) => {
    const { factory } = context
    const visit = (node) => {
      if (ts.isPropertyAccessExpression(node) && isImportMeta(node.expression))
        return node.name.text === 'url' ? factory.createIdentifier('__filename') : factory.createVoidZero()
      return ts.visitEachChild(node, visit, context)
    }
    return (file) => (file.text.includes('import.meta') ? ts.visitNode(file, visit) : file)
  },
}

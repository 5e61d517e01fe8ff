// ts-jest, but the source map of a file is given to Jest beside the code, and not at its end: a process of Jest keeps the code of all
// files, and the inspector tells each reader of functions all of it. And a process that finds all its files compiled loads no TypeScript.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const atTheEnd = /\/\/# sourceMappingURL=data:application\/json;[^,]*,(\S+)\s*$/

/** What a file becomes depends on these, on its text, and on Jest's configuration. */
const compilers = [
  require.resolve('ts-jest/package.json'),
  require.resolve('typescript/package.json'),
  ...['../tsconfig.json', './jest-import-meta.cjs', './jest-typescript.js'].map(
    (file) => new URL(file, import.meta.url),
  ),
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\0')

export default {
  createTransformer(options) {
    let made
    const tsJest = () => (made ??= require('ts-jest').default.createTransformer(options))
    return {
      getCacheKey: (source, file, { configString, instrument }) =>
        createHash('sha1')
          .update([compilers, configString, String(instrument), file, source].join('\0'))
          .digest('hex'),
      process(source, file, given) {
        const { code } = tsJest().process(source, file, given)
        const [comment, map] = atTheEnd.exec(code) ?? []
        // Tests of the command read the source of functions as others find it: by the map at the end of a script.
        if (comment === undefined || /[\\/]test[\\/]migrate[\\/]/.test(file)) return { code }
        return {
          code: code.slice(0, -comment.length),
          map: JSON.parse(Buffer.from(map, 'base64').toString()),
        }
      },
    }
  },
}

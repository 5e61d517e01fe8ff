// ts-jest, but the source map of a file is given to Jest beside the code, and not at its end: a process of Jest keeps the code of all
// files, and the inspector tells each reader of functions all of it.
import tsJest from 'ts-jest'

const atTheEnd = /\/\/# sourceMappingURL=data:application\/json;[^,]*,(\S+)\s*$/

export default {
  createTransformer(options) {
    const inner = tsJest.default.createTransformer(options)
    return {
      getCacheKey: (...given) => inner.getCacheKey(...given),
      process(source, file, given) {
        const { code } = inner.process(source, file, given)
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

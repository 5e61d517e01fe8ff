// Makes a TypeScript file what Jest can run. esbuild needs a millisecond for a file, so that a cold cache costs next to
// nothing; types are checked once, by `npm run types`.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const ownOfEsbuild = /^(?:var __\w+ = |var \w+_exports = |__export\(|module\.exports = __toCommonJS)/gm
const ownText = readFileSync(import.meta.filename)

export default {
  // Jest's own key knows nothing of this file, so that what an older one has made would be used on.
  getCacheKey(source, file, { configString, instrument }) {
    const parts = [ownText, source, file, configString, String(instrument)]
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part).update('\0')
    return hash.digest('hex').slice(0, 32)
  },

  process(source, file, { instrument }) {
    const { code, map } = transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      // For `node` a list of the exports, which never runs, would be added.
      platform: 'neutral',
      target: 'node20',
      // Jest gives a test its own modules through `require` alone.
      // CommonJS has no import.meta; the build does the same.
      define: { 'import.meta.url': '__filename' },
      supported: { 'dynamic-import': false },
      // An ES module is strict; esbuild does not say so in a CommonJS file, where `this` would be another.
      banner: '"use strict";',
      // A function that shadows another is renamed, and errors and log lines tell functions by their names.
      keepNames: true,
      sourcefile: file,
      sourcemap: 'external',
    })
    // What esbuild puts at the head of a file, functions with branches among it, is nobody's to cover. A file of types has nothing else.
    const whole = instrument ? code.replaceAll(ownOfEsbuild, '/* istanbul ignore next */ $&') : code
    // Their tests read the source of functions, as others find it: by the map at the end of a script.
    const isRead = /[\\/]test[\\/]migrate[\\/]/.test(file)
    const text = isRead ? `${whole}//# sourceMappingURL=${dataAddress(map)}\n` : whole
    // What counts coverage takes the map as an object: with one in a string it counts lines of what esbuild has made.
    return { code: text, map: instrument ? JSON.parse(map) : map }
  },
}

function dataAddress(map) {
  return `data:application/json;base64,${Buffer.from(map).toString('base64')}`
}

// Makes a TypeScript file what Jest can run. esbuild needs a millisecond for a file, so that a cold cache costs next to
// nothing; types are checked once, by `npm run types`.
import { transformSync } from 'esbuild'

export default {
  process(source, file, { instrument }) {
    const { code, map } = transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      // For `node` a list of the exports, which never runs, would be added.
      platform: 'neutral',
      target: 'node20',
      // Jest gives a test its own modules through `require` alone.
      supported: { 'dynamic-import': false },
      // An ES module is strict; esbuild does not say so in a CommonJS file, where `this` would be another.
      banner: '"use strict";',
      // A function that shadows another is renamed, and errors and log lines tell functions by their names.
      keepNames: true,
      sourcefile: file,
      sourcemap: 'external',
    })
    // The functions that esbuild puts at the head of a file have branches of their own, which are nobody's to cover.
    const whole = instrument ? code.replaceAll(/^var __\w+ = \(/gm, '/* istanbul ignore next */ $&') : code
    // Their tests read the source of functions, as others find it: by the map at the end of a script.
    const isRead = /[\\/]test[\\/]migrate[\\/]/.test(file)
    return { code: isRead ? `${whole}//# sourceMappingURL=${dataAddress(map)}\n` : whole, map }
  },
}

function dataAddress(map) {
  return `data:application/json;base64,${Buffer.from(map).toString('base64')}`
}

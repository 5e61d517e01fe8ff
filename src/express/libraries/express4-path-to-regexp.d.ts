/** path-to-regexp 0.1, which Express 4 matches with. */
declare module 'express4-path-to-regexp' {
  interface Key {
    name: string | number
  }
  function pathToRegexp(
    path: string | RegExp | readonly unknown[],
    keys: Key[],
    options: { sensitive: boolean; strict: boolean; end: boolean },
  ): RegExp
  export = pathToRegexp
}

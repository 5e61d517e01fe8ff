// Which files in JavaScript the project's own TypeScript compiler checks.
import { dirname, resolve } from 'node:path'
import { configOf, projectOf } from '../code/compiler.js'

/** How the compiler checks a file in JavaScript. */
export interface CheckedScript {
  /** True where `undefined` is a type of its own. */
  readonly isStrict: boolean
}

/** How the nearest tsconfig.json has a file in JavaScript checked; undefined where it does not, and for other files. */
export function checkedScript(file: string, text: string): CheckedScript | undefined {
  if (!/\.[cm]?jsx?$/.test(file)) return undefined
  const project = projectOf(file)
  const config = project && configOf(project)
  if (!config || !project) return undefined
  const { files = [], compilerOptions: own = {} } = config
  if (!(own.checkJs ?? false) && !(own.allowJs ?? false)) return undefined
  if (!(pragmaOf(text) ?? own.checkJs ?? false)) return undefined
  if (!files.some((one) => resolve(dirname(project), one) === file)) return undefined
  return { isStrict: own.strictNullChecks ?? own.strict ?? false }
}

/** What `// @ts-check` and `// @ts-nocheck` above the code say. */
function pragmaOf(text: string): boolean | undefined {
  const [above] = /^(?:\s|#!.*|\/\/.*|\/\*[^]*?\*\/)*/.exec(text)!
  const [, no] = /^\s*\/\/+\s*@ts-(no)?check\b/m.exec(above) ?? []
  if (no !== undefined) return false
  return /^\s*\/\/+\s*@ts-check\b/m.test(above) ? true : undefined
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import ts from 'typescript'

const page = readFileSync(join(__dirname, '../../docs/recipes/testing.md'), 'utf8')
const [, code] = /^```text\n(\/\/ With Vitest[^]*?)^```$/m.exec(page)!
const { outputText } = ts.transpileModule(code!, { compilerOptions: { module: ts.ModuleKind.CommonJS } })

// The runner of code blocks cannot run it: it needs the `it` and the `expect` of a test runner.
describe('The test that docs/recipes/testing.md shows', () => {
  const define = compileFunction(outputText, ['require', 'exports', 'it', 'expect']) as (
    ...names: unknown[]
  ) => void
  define(require, {}, it, expect)
})

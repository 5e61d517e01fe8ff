// What `lift` reads of the file of a router: by which names it exports the router.
import { readText, type SourceFile } from '../../../packages/cli/src/edit/source-file.js'
import { readRouterFile } from '../../../packages/cli/src/lift/router-file.js'
import { isWhy } from '../../../packages/cli/src/lift/why.js'

const file = '/app/routes/teas.ts'
const head = `import { Router } from 'express'
import { native } from 'routecontrollers/express'
const router = Router()
`

function exportedBy(text: string): readonly string[] | string {
  const source = readText(file, `${head}router.get('/', native(() => 'tea'))\n${text}\n`) as SourceFile
  const at = { file, line: 3, column: 7, isCompiled: false }
  const call = { at, verb: 'get', isOnRoute: false, errorHandlers: 0 }
  const found = readRouterFile(
    source,
    { calls: [{ call, guards: 0 }], useCalls: [] },
    () => false,
    () => 'no other file is read',
  )
  return isWhy(found) ? found.reason : [...found.exported]
}

it.each<[text: string, names: readonly string[]]>([
  ['export default router', ['default']],
  ['export { router as teas }', ['teas']],
  ['exports.teas = router', ['teas']],
  ['module.exports = { teas: router }', ['teas']],
  // Others import all of it by any name: import teas from './teas'
  ['module.exports = router', ['*', 'default']],
  ['export = router', ['*', 'default']],
])('%s exports a router as %j', (text, names) => {
  expect(exportedBy(text)).toEqual(names)
})

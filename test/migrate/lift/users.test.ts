// Which files use what a router's file exports, by the name that they load it by.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readText } from '../../../packages/cli/src/edit/source-file.js'
import { usesOf } from '../../../packages/cli/src/lift/users.js'
import { isWhy } from '../../../packages/cli/src/lift/why.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'users-'))
  write('package.json', '{ "imports": { "#built/*": "./dist/*", "#shop/*": "./routes/*" } }')
  write('routes/teas.js', 'module.exports = router')
  write('dist/teas.js', 'module.exports = router')
  write('node_modules/teas/index.js', 'module.exports = 1')
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

function usesIn(text: string): number | string {
  const user = write('server.js', text)
  const read = (file: string) => readText(file, readFileSync(file, 'utf8'))
  const found = usesOf(join(folder, 'routes/teas.js'), new Set(['*']), { files: [user], root: folder, read })
  return isWhy(found) ? found.reason : found.length
}

it.each([
  './routes/teas',
  './routes/teas.js',
  '#shop/teas.js',
  // The build of the same file, or of another one: which of them, nobody knows.
  '#built/teas.js',
  // Of an alias that Node does not know.
  '@app/routes/teas',
])('a file uses a router by %s', (name) => {
  expect(usesIn(`app.use(require('${name}'))`)).toBe(1)
})

it.each(['teas', './teas', '#shop/cups.js', 'node:teas'])('a file does not use a router by %s', (name) => {
  expect(usesIn(`app.use(require('${name}')) // of teas`)).toBe(0)
})

it('a text with the name of a router is no use of it, and a mock of a router is told', () => {
  expect(usesIn("app.locals.title = 'teas'")).toBe(0)
  expect(usesIn("jest.mock('#built/teas.js')")).toBe(
    'server.js names #built/teas.js in another way than by an import',
  )
})

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

function usesIn(text: string, exported = ['*'], name = 'server.js'): number | string {
  const user = write(name, text)
  const own = join(folder, 'routes/teas.js')
  const read = (file: string) => readText(file, readFileSync(file, 'utf8'))
  const found = usesOf(own, new Set(exported), { files: [own, user], root: folder, read })
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

const all = 'server.js uses all that it exports'
const apart = 'server.js takes it apart'
const other = 'server.js names ./routes/teas in another way than by an import'
it.each<[exported: string, text: string, found: number | string]>([
  ['*', "const teas = require('./routes/teas')\napp.use(teas)\nkeep(teas.stack)", 2],
  ['*', "const { stack } = require('./routes/teas')", 0],
  ['*', "require('./routes/teas')", 1],
  ['teas', "import { teas } from './routes/teas'\napp.use(teas)", 1],
  ['teas', "import { teas as all } from './routes/teas'\napp.use(all)\napp.use(teas)", 1],
  ['teas', "import { cups } from './routes/teas'\napp.use(cups)", 0],
  ['teas', "import './routes/teas'", 0],
  ['teas', "import * as shop from './routes/teas'\napp.use(shop.teas)\napp.use(shop.cups)", 1],
  ['teas', "import * as shop from './routes/teas'\nkeep(shop)", all],
  ['teas', "import shop from './routes/teas'\napp.use(shop.teas)\napp.use(shop.cups)", 1],
  ['teas', "import shop from './routes/teas'\nkeep(shop)", all],
  ['default', "import teas from './routes/teas'\napp.use(teas)", 1],
  ['default', "import { default as teas } from './routes/teas'\napp.use(teas)", 1],
  ['default', "import * as shop from './routes/teas'\napp.use(shop.default)", 1],
  ['default', "import { teas } from './routes/teas'\napp.use(teas)", 0],
  ['teas', "const shop = require('./routes/teas')\napp.use(shop.teas)\napp.use(shop.cups)", 1],
  ['teas', "const shop = require('./routes/teas')\nkeep(shop)", all],
  ['teas', "const { teas } = require('./routes/teas')\napp.use(teas)", 1],
  ['teas', "const { teas: all, cups } = require('./routes/teas')\napp.use(all)\napp.use(cups)", 1],
  ['teas', "const { cups } = require('./routes/teas')\napp.use(cups)", 0],
  ['teas', "const { ...shop } = require('./routes/teas')", apart],
  ['teas', "const { teas: { stack } } = require('./routes/teas')", apart],
  ['teas', "const [teas] = require('./routes/teas')", apart],
  ['teas', "app.use(require('./routes/teas').teas)", 1],
  ['teas', "app.use(require('./routes/teas').cups)", 0],
  ['teas', "keep(require('./routes/teas'))", all],
  ['teas', "export { teas } from './routes/teas'", 'server.js exports it too'],
  ['teas', "export * from './routes/teas'", 'server.js exports it too'],
  ['teas', "import('./routes/teas')", other],
  ['teas', "require.resolve('./routes/teas')", other],
  ['teas', "jest.mock('./routes/teas')", other],
  ['teas', 'import(`./routes/teas`)', other],
])('of what a file exports as %s there are in %j: %j', (exported, text, found) => {
  expect(usesIn(text, [exported])).toBe(found)
})

it('a file in TypeScript uses a router by import … = require(…), and the file of the router does not use itself', () => {
  const shop = "import shop = require('./routes/teas')\napp.use(shop.teas)\n"
  expect(usesIn(shop, ['teas'], 'server.ts')).toBe(1)
  expect(usesIn(`${shop}keep(shop)`, ['teas'], 'server.ts')).toBe('server.ts uses all that it exports')
  write('routes/teas.js', "module.exports = { teas: router }\nkeep(require('./teas'))")
  expect(usesIn('', ['teas'])).toBe(0)
})

it('a text with the name of a router is no use of it, and a mock of a router is told', () => {
  expect(usesIn("app.locals.title = 'teas'")).toBe(0)
  expect(usesIn("jest.mock('#built/teas.js')")).toBe(
    'server.js names #built/teas.js in another way than by an import',
  )
})

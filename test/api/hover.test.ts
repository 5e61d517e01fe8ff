// What an editor shows where it points at a name, as TypeScript's language service tells it.
import { join } from 'node:path'
import ts from 'typescript'

const root = join(__dirname, '../..')

const program = `
import { around, Controller, group, guard, RouteControllers, serve, Server, type RequestMembers, type ResponseBuilder } from 'routecontrollers'
import { z } from 'zod'

interface User { name: string }
const requireUser = guard((req, res) => {
  if (req.get('authorization') === undefined) return res.status(401).end()
  const user: User = { name: 'Ada' }
  return { user }
})
const findShop = guard('/shops/:shop', ({ params }) => ({ city: params.shop }))
const stamp = around((_req, _res, next) => next())
const shop = group('/shops/:shop', stamp, requireUser)
const cart = shop.with((req) => ({ cart: [req.user.name] }))
const checked = cart.with({ input: { query: z.object({ page: z.string() }) } }).group('/teas/:tea')
const order = shop.get('/orders/:id', (req) => req.params.id)
const added = shop.post('/orders', (req) => ({ tea: req.body.tea }), { input: { body: z.object({ tea: z.number() }) } })
const others = [
  shop.put('/a', () => ''), shop.patch('/a', () => ''), shop.delete('/a', () => null), shop.all('/b', () => ''),
  shop.route('PROPFIND', '/a', () => ''), shop.group('/c').use(stamp).get('/', () => ''),
]
const one = new Controller('GET', '/', () => 'hello')
one.use(stamp)
void [one.method, one.pattern, one.options, one.callback, one.middleware, one.getMethods(), one.getPath()]
const routeControllers = new RouteControllers([order, added, ...others, checked.get('/', () => '')])
RouteControllers.getInstance()
void serve(routeControllers, { port: 0 })
const server = new Server()
void server
declare const answer: ResponseBuilder
declare const asked: RequestMembers<{}>
void [answer, asked, findShop]
`
const file = join(root, 'test/program-of-hover.ts')

const read = (name: string): string | undefined => (name === file ? program : ts.sys.readFile(name))
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), read).config,
  ts.sys,
  root,
)
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = read(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: read,
  directoryExists: (name) => ts.sys.directoryExists(name),
  getDirectories: (name) => ts.sys.getDirectories(name),
})

/** What the editor shows at the end of the first `text` of the program: the type in one line, and the documentation. */
function hover(text: string): { type: string; documentation: string } {
  const at = program.indexOf(text)
  expect(at).toBeGreaterThan(0)
  const info = service.getQuickInfoAtPosition(file, at + text.length - 1)
  return {
    type: ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' ').replaceAll('; }', ' }'),
    documentation: ts.displayPartsToString(info?.documentation),
  }
}

it('The program of these tests compiles', () => {
  const messages = service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)
  expect(messages).toEqual([])
})

it.each([
  ['const shop', 'const shop: Group<"/shops/:shop", { user: User }>'],
  ['const cart', 'const cart: Group<"/shops/:shop", { user: User; cart: string[] }>'],
  [
    'const requireUser',
    'const requireUser: (req: RouteRequest<string>, res: ResponseBuilder) => Response | { user: User }',
  ],
  ['const order', 'const order: Controller<"/shops/:shop/orders/:id", { user: User }, {}, {}, string>'],
  ['req.params', '(property) params: { shop: string; id: string }'],
])('An editor shows a readable type at "%s"', (text, type) => {
  expect(hover(text).type).toBe(type)
})

it.each([
  'const checked',
  'const added',
  'shop.get',
  'shop.with',
  'shop.post',
  '= group',
  'const routeControllers',
])('An editor shows no type that others are made by at "%s"', (text) => {
  expect(hover(text).type).not.toMatch(/\b(Flat|Omit|Overridden|Merged)</)
})

it.each([
  ['shop.get', 'Makes a Controller for GET'],
  ['shop.post', 'Makes a Controller for POST'],
  ['shop.put', 'Makes a Controller for PUT'],
  ['shop.patch', 'Makes a Controller for PATCH'],
  ['shop.delete', 'Makes a Controller for DELETE'],
  ['shop.all', 'Makes a Controller for all methods'],
  ['shop.route', 'Makes a Controller for any method'],
  ['shop.group', 'A group within this one'],
  ['shop.with', 'Another group, with more middleware'],
  ["'/c').use", 'Adds middleware to this group'],
  ['= group', 'Makes routes that have a prefix and middleware in common'],
  ['= guard', 'Gives a guard its types'],
  ['findShop = guard', 'Gives a guard its types, with the params of a path'],
  ['= around', 'Marks a middleware as one that runs around'],
  ['new Controller', 'A route: a method, a path and the callback'],
  ['one.use', 'Adds middleware'],
  ['new RouteControllers', 'Routes requests to Controllers'],
  ['void serve', 'Serves Controllers on a port'],
])('An editor shows documentation at "%s"', (text, begins) => {
  expect(hover(text).documentation.slice(0, begins.length)).toBe(begins)
})

it.each(["new Controller('", "shop.route('"])('An editor suggests the usual methods at "%s"', (text) => {
  const at = program.indexOf(text) + text.length
  const { entries } = service.getCompletionsAtPosition(file, at, {})!
  const usual = ['*', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  expect(entries.map(({ name }) => name).sort()).toEqual(usual.sort())
})

it.each(['one', 'shop', 'routeControllers', 'server', 'RouteControllers', 'Server', 'answer', 'asked'])(
  'An editor shows documentation of each member of %s',
  (name) => {
    const checker = service.getProgram()!.getTypeChecker()
    const found = checker.resolveName(name, sourceFile(), ts.SymbolFlags.Value, false)!
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    const members = checker.getPropertiesOfType(checker.getTypeOfSymbol(symbol))
    const bare = members
      .filter(({ name: member }) => !member.includes('#') && member !== 'prototype')
      .filter((member) => member.getDocumentationComment(checker).length === 0)
    expect(members.length).toBeGreaterThan(0)
    expect(bare.map((member) => member.name)).toEqual([])
  },
)

function sourceFile(): ts.SourceFile {
  return service.getProgram()!.getSourceFile(file)!
}

// What `check --accept` takes: the finding that it was told of, and no other, whatever that is called.
import fs, { truncateSync } from 'node:fs'
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(300_000)

let command: Command
let folder: ProjectFolder
beforeAll(() => {
  command = createCommand()
})
afterAll(() => command.remove())
beforeEach(() => {
  folder = new ProjectFolder(command)
})
afterEach(() => folder.remove())

const writeApp = (...lines: string[]): void =>
  folder.write(
    'app.cjs',
    `const express = require('express'); const app = express()
const role = (name) => (req, res, next) => (req.get('role') === name ? next() : res.sendStatus(403))
function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }
function trace(req, res, next) { next() }
function owner(req, res, next) { if (req.get('owner')) next(); else res.status(403).end() }
const answer = (req, res) => res.end()
${lines.join('\n')}
app.listen(0)`,
  )
/** A route with these guards. */
const route = (...guards: string[]): void => writeApp(`app.get('/a', ${[...guards, 'answer'].join(', ')})`)

describe('check --accept', () => {
  it('leaves the lock as it was on a full disk, and says so without a stack', async () => {
    route('auth')
    await folder.writeLock('app.cjs')
    const before = folder.read('routes.lock.json')
    route()
    const { writeFileSync } = fs
    let isFull = true
    const writing = jest.spyOn(fs, 'writeFileSync').mockImplementation((file, ...more) => {
      if (!isFull || !String(file).endsWith('routes.lock.json')) return writeFileSync(file, ...more)
      isFull = false
      truncateSync(String(file), 9)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' })
    })
    try {
      const given = ['app.cjs', '--accept', 'GET /a', '--because', 'it is meant to be so']
      const { code, stdout, stderr } = await folder.run('check', ...given)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/ENOSPC: no space left on device, write\n$/)
    } finally {
      writing.mockRestore()
    }
    expect([isFull, folder.read('routes.lock.json')]).toEqual([false, before])
  })

  const beta = '(req, res, next) => { if (req.headers.beta) return next(); res.status(404).end() }'
  const token = '(req, res, next) => { if (req.headers.token) return next(); res.status(401).end() }'

  it.each([
    ['inline functions of one file', beta, token],
    ['functions of one factory', "role('beta')", "role('user')"],
    ['equal functions', "role('user')", "role('user')"],
    ['functions that bind hides', 'auth.bind(null)', 'owner.bind(null)'],
  ])('of one lost guard does not cover another one: %s', async (_what, first, second) => {
    route(first, second)
    await folder.writeLock('app.cjs')
    route(second)
    expect(await folder.findings('app.cjs')).toHaveLength(1)
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    expect(await folder.findings('app.cjs')).toEqual([])
    route()
    expect(await folder.findings('app.cjs')).toEqual([expect.stringContaining('GET /a lost')])
    // To accept that, too, takes the first acceptance not away.
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
  })

  it('of a lost guard does not cover one of the same name in another file', async () => {
    for (const name of ['beta', 'auth']) {
      folder.write(
        `${name}.cjs`,
        `module.exports = function middleware(req, res, next) { req.headers.${name} ? next() : res.end() }`,
      )
    }
    const both = (...guards: string[]): void => route(...guards.map((name) => `require('./${name}.cjs')`))
    both('beta', 'auth')
    await folder.writeLock('app.cjs')
    both('auth')
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    both()
    expect(await folder.findings('app.cjs')).toEqual([expect.stringMatching('lost middleware')])
  })

  it('of a route without a finding names five that have some, and counts the others', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6', '/7']
    const guarded = (...guards: string[]): void =>
      writeApp(...paths.map((path) => `app.get('${path}', ${[...guards, 'answer'].join(', ')})`))
    guarded('auth')
    await folder.writeLock('app.cjs')
    guarded()
    const accept = ['--accept', 'POST /none/at/all', '--because', 'it is meant to be so']
    expect((await folder.run('check', 'app.cjs', ...accept)).stderr).toContain(
      'there are findings of GET /1, GET /2, GET /3, GET /4, GET /5 and 2 more\n',
    )
  })

  it('of one route ends with 1 where another one has a finding yet, and with 0 where none has', async () => {
    const both = (...guards: string[]): void =>
      writeApp(...['/a', '/b'].map((path) => `app.get('${path}', ${[...guards, 'answer'].join(', ')})`))
    both('auth')
    await folder.writeLock('app.cjs')
    both()
    const codeOf = async (path: string): Promise<number> => {
      const accept = ['--accept', `GET ${path}`, '--because', 'it is meant to be so']
      return (await folder.run('check', 'app.cjs', ...accept)).code
    }
    expect([await codeOf('/a'), await codeOf('/b')]).toEqual([1, 0])
  })

  it('of one route covers no other route that the entry is copied to, as an edit or a merge of the lock does', async () => {
    const both = (...guards: string[]): void =>
      writeApp(...['/a', '/b'].map((path) => `app.get('${path}', ${[...guards, 'answer'].join(', ')})`))
    both('auth')
    await folder.writeLock('app.cjs')
    both()
    await folder.accept('app.cjs', 'GET /a')
    const { lock } = folder
    const { accepted } = lock.routes.find(({ path }) => path === '/a')!
    const routes = lock.routes.map((row) => ({ ...row, accepted }))
    folder.write('routes.lock.json', JSON.stringify({ ...lock, routes }))
    expect(await folder.findings('app.cjs')).toEqual(['GET /b lost auth'])
  })

  it('a lock whose requests were taken out hides no lost guard', async () => {
    const mounted = (guard: string): void =>
      writeApp(`app.use('/a', ${guard}, answer)`, `app.get('/b', ${guard}, answer)`)
    mounted('auth')
    await folder.writeLock('app.cjs')
    const { lock } = folder
    const routes = lock.routes.map((row) => ({ ...row, witness: null }))
    folder.write('routes.lock.json', JSON.stringify({ ...lock, routes }))
    expect(await folder.findings('app.cjs')).toEqual([])
    mounted('trace')
    expect(await folder.findings('app.cjs')).toEqual(
      expect.arrayContaining([expect.stringContaining('/a'), expect.stringContaining('GET /b lost auth')]),
    )
  })

  it('of a changed argument does not cover the next one, nor the loss', async () => {
    route("role('admin')")
    await folder.writeLock('app.cjs')
    route("role('user')")
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    route("role('anyone')")
    expect(await folder.findings('app.cjs')).toEqual(["GET /a changed role('admin') to role('anyone')"])
    route()
    expect(await folder.findings('app.cjs')).toEqual(["GET /a lost role('admin')"])
    route("role('user')")
    expect(await folder.findings('app.cjs')).toEqual([])
  })

  it.each([
    ['another guard', ['auth'], ['owner'], [], 'lost auth'],
    [
      'another argument of a guard',
      ['auth', "role('user')"],
      ["role('admin')"],
      ["role('user')"],
      'lost auth',
    ],
    ['another order', ['auth', 'owner', 'trace'], ['trace', 'owner'], ['owner', 'trace'], 'lost auth'],
    [
      'another guard, of a weaker argument',
      ["role('admin')"],
      ['owner', "role('user')"],
      ["role('user')"],
      "changed role('admin') to role('user')",
    ],
  ])('of a guard in whose place came %s ends when that goes', async (_what, before, accepted, now, found) => {
    route(...before)
    await folder.writeLock('app.cjs')
    route(...accepted)
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    route(...accepted, "role('late')")
    expect(await folder.findings('app.cjs')).toEqual(["GET /a gained role('late')"])
    route(...now)
    expect(await folder.findings('app.cjs')).toEqual([`GET /a ${found}`])
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    expect(await folder.findings('app.cjs')).toEqual([])
  })

  it('of what was gained covers neither a second one nor the same before a guard', async () => {
    route('auth')
    await folder.writeLock('app.cjs')
    route('auth', 'trace')
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    route('auth', 'trace', 'trace')
    expect(await folder.findings('app.cjs')).toEqual(['GET /a gained trace'])
    route('trace', 'auth')
    expect(await folder.findings('app.cjs')).toEqual(['GET /a gained trace'])
    route('auth', 'owner')
    expect(await folder.findings('app.cjs')).toEqual(['GET /a gained owner'])
  })

  it('of an order does not cover another order', async () => {
    route('auth', 'owner', 'trace')
    await folder.writeLock('app.cjs')
    route('auth', 'trace', 'owner')
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    route('trace', 'auth', 'owner')
    expect(await folder.findings('app.cjs')).toEqual([expect.stringContaining('GET /a reordered')])
  })

  it('of an answer by one middleware does not cover another one without a name', async () => {
    writeApp('app.get("/a", answer)')
    await folder.writeLock('app.cjs')
    writeApp('app.use((req, res) => res.end("one"))', 'app.get("/a", answer)')
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    writeApp('app.use((req, res) => res.end("other"))', 'app.get("/a", answer)')
    expect(await folder.findings('app.cjs')).toEqual(['GET /a unreachable by <anonymous>'])
  })

  it('of a callback of param does not cover that of another param', async () => {
    const params = (...names: string[]): void =>
      writeApp(...names.map((name) => `app.param('${name}', auth)`), "app.get('/:id/:name', answer)")
    params('id', 'name')
    await folder.writeLock('app.cjs')
    params('name')
    expect(await folder.accept('app.cjs', '/**')).toEqual([])
    params('id')
    expect(await folder.findings('app.cjs')).toEqual(['GET /:id/:name lost param name: auth'])
  })

  it('of a guard of one method covers no other method, nor another path of a pattern', async () => {
    const routes = (get: string, post: string, other: string): void =>
      writeApp(
        `app.get('/a', ${get} answer)`,
        `app.post('/a', ${post} answer)`,
        `app.get('/b', ${other} answer)`,
      )
    routes('auth,', 'auth,', 'auth,')
    await folder.writeLock('app.cjs')
    routes('', 'auth,', 'auth,')
    expect(await folder.accept('app.cjs', 'GET /**')).toEqual([])
    routes('', '', '')
    expect(await folder.findings('app.cjs')).toEqual(['POST /a lost auth', 'GET /b lost auth'])
  })

  it('of the guard of a mount covers neither another guard nor another mount', async () => {
    const mounts = (one: string, other: string): void =>
      writeApp(
        `app.use('/files', ${one} express.static('one'))`,
        `app.use('/others', ${other} express.static('two'))`,
      )
    mounts('auth, owner,', 'auth,')
    await folder.writeLock('app.cjs')
    mounts('owner,', 'auth,')
    expect(await folder.accept('app.cjs', '* /files')).toEqual([])
    mounts('', '')
    expect(await folder.findings('app.cjs')).toEqual(['* /files lost owner', '* /others lost auth'])
  })

  it('of one app covers none of another app, and leaves the rows in their order', async () => {
    const apps = (one: string, two: string, order = 'a.listen(0); b.listen(0)'): void =>
      folder.write(
        'app.cjs',
        `const express = require('express')
function auth(req, res, next) { if (req.headers.authorization) next(); else res.status(401).end() }
const [a, b, c] = [express(), express(), express()]
a.get('/users', ${one} (req, res) => res.send('public'))
a.get('/z', auth, (req, res) => res.send('z'))
b.get('/users', ${two} (req, res) => res.send('internal'))
b.get('/a', auth, (req, res) => res.send('a'))
c.get('/health', (req, res) => res.send('up'))
${order}; c.listen(0)`,
      )
    const order = (): string[] => folder.lock.routes.map(({ app = 0, path }) => `${app} ${path}`)
    apps('auth,', 'auth,')
    await folder.writeLock('app.cjs')
    const before = order()
    apps('auth,', '')
    expect(await folder.findings('app.cjs')).toEqual(['1 GET /users lost auth'])
    const { stdout } = await folder.run('check', 'app.cjs')
    expect(stdout).toContain('GET /users of app 2')
    expect(await folder.accept('app.cjs', 'GET /users')).toEqual([])
    expect(order()).toEqual(before)
    apps('', '')
    expect(await folder.findings('app.cjs')).toEqual(['GET /users lost auth'])
    // Servers that listen in another order are the same ones.
    apps('auth,', '', 'b.listen(0); a.listen(0)')
    expect(await folder.findings('app.cjs')).toEqual([])
    apps('', 'auth,', 'b.listen(0); a.listen(0)')
    expect(await folder.findings('app.cjs')).toEqual(['1 GET /users lost auth'])
    apps('auth,', 'auth,')
    folder.write('app.cjs', folder.read('app.cjs').replace("a.get('/z'", "b.get('/z', answer); a.get('/z'"))
    folder.write(
      'app.cjs',
      folder.read('app.cjs').replace('const [a', 'const answer = (req, res) => res.end(); const [a'),
    )
    expect(await folder.findings('app.cjs')).toEqual(['1 GET /z new is not in the lock'])
  })

  it('of a new route writes all that inspect --lock writes', async () => {
    const twins = [
      'app.get("/b", (req, res) => res.end("safe"))',
      'app.get("/b", (req, res) => res.end("open"))',
    ]
    writeApp('app.get("/a", answer)')
    await folder.writeLock('app.cjs')
    writeApp('app.get("/a", answer)', ...twins)
    expect(await folder.accept('app.cjs', 'GET /b')).toEqual([])
    const accepted = folder.lock.routes.map(({ accepted: _, ...row }) => row)
    await folder.writeLock('app.cjs')
    expect(folder.lock.routes).toEqual(accepted)
    writeApp('app.get("/a", answer)', ...twins.reverse())
    expect(await folder.findings('app.cjs')).toEqual([expect.stringContaining('GET /b reordered')])
  })

  it('ends with the lock that it was written into: what is lost a second time is found', async () => {
    route('auth')
    await folder.writeLock('app.cjs')
    route()
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    await folder.writeLock('app.cjs')
    route('auth')
    await folder.writeLock('app.cjs')
    route()
    expect(await folder.findings('app.cjs')).toEqual(['GET /a lost auth'])
  })
})

describe('check', () => {
  it('tells two guards of the same text in two files', async () => {
    const guard = (secret: string): string =>
      `const secret = '${secret}'; module.exports = function guard(req, res, next) { if (req.get('key') === secret) next(); else res.end() }`
    folder.write('admin.cjs', guard('A'))
    folder.write('user.cjs', guard('A'))
    const routes = (name: string, other = ''): void =>
      writeApp(
        `const [admin, user] = [require('./admin.cjs'), require('./user.cjs')]`,
        `app.get('/admin', ${name}, answer)`,
        other,
      )
    routes('admin', "app.get('/user', user, answer)")
    await folder.writeLock('app.cjs')
    // The last use of one is replaced by the other one.
    routes('user', "app.get('/user', user, answer)")
    expect(await folder.findings('app.cjs')).toEqual([
      'GET /admin lost guard (admin)',
      'GET /admin gained guard (user)',
    ])
    routes('admin')
    await folder.writeLock('app.cjs')
    folder.write('user.cjs', guard('U'))
    routes('user')
    expect(await folder.findings('app.cjs')).not.toEqual([])
  })

  it.each([
    ['a constant', "const name = 'admin'", "const name = 'anyone'", 'role(name)'],
    ['an object', "const names = { a: 'admin' }", "const names = { a: 'anyone' }", 'role(names.a)'],
    ['a loop', 'const all = ["admin"]', 'const all = ["anyone"]', 'role(all[0])'],
    ['two of a list', "const list = [role('a'), role('b')]", "const list = [role('a'), role('c')]", 'list'],
    ['an instance', "const acl = { of: role('a') }", "const acl = { of: role('b') }", 'acl.of'],
    [
      'a constant of its own',
      "const allowed = ['a']",
      "const allowed = ['a', 'b']",
      'function own(req, res, next) { allowed.includes(req.get("role")) ? next() : res.end() }',
    ],
    [
      'the factory',
      'const made = () => { const all = ["a"]; return (req, res, next) => all[0] ? next() : res.end() }',
      'const made = () => { const all = []; return (req, res, next) => all[0] ? next() : res.end() }',
      'made()',
    ],
  ])('finds a guard that reads another value: %s', async (_what, before, after, guard) => {
    const app = (constant: string): void => writeApp(constant, `app.get('/a', ${guard}, answer)`)
    app(before)
    await folder.writeLock('app.cjs')
    app(after)
    expect(await folder.findings('app.cjs')).toContainEqual(
      expect.stringMatching(/GET \/a (?:changed|gained)/),
    )
  })

  it('finds a guard of which the lock did not know what it was made with', async () => {
    writeApp('const mount = (guard) => app.get("/a", guard, answer)', "mount(role('admin'))")
    await folder.writeLock('app.cjs')
    const [unverifiable] = await folder.findings('app.cjs')
    expect(unverifiable).toContain('unverifiable')
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    writeApp("app.get('/a', role('anyone'), answer)")
    expect(await folder.findings('app.cjs')).not.toEqual([])
  })
})

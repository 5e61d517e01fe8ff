// What is told of the arguments of guards is read in logs of CI, on pages and in the lock, by more people than the sources.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lock } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { parseLock } from '../../packages/cli/src/check/read-lock.js'
import { redactCode } from '../../packages/compare/src/redact-code.js'
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(300_000)

describe('The code of an argument', () => {
  it.each([
    [`connect('postgres://u:swordfish@h/db')`, `connect('postgres://[redacted]@h/db')`],
    ['connect(`postgres://u:${password}@h/db`)', 'connect(`postgres://[redacted]@h/db`)'],
    [`sends('Bearer swordfish-0123')`, `sends('Bearer [redacted]')`],
    [`verify('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc')`, `verify('[redacted]')`],
    [`verify('kT8vQ2mZx4Lw9RpN1cYb7HsD')`, `verify('[redacted]')`],
    [`verify('9f86d081884c7d659a2feaa0c55ad015')`, `verify('[redacted]')`],
    [`verify("3c2a4f4e-8b7d-4c7e-9a51-0f3c2d1b5e6f")`, `verify("[redacted]")`],
    // Letters and digits change places often enough, if not at each of them.
    [`verify('abcdefgh1jklmnopqr2t')`, `verify('[redacted]')`],
    [`from('https://h/hook?token=swordfish&tea=1')`, `from('https://h/hook?token=[redacted]&tea=1')`],
    [`auth({ password: 'swordfish', realm: 'tea' })`, `auth({ password: [redacted], realm: 'tea' })`],
    [`auth({ 'x-api-key': "swordfish" })`, `auth({ 'x-api-key': [redacted] })`],
    [`session({ keys: ['swordfish', 'old'] })`, `session({ keys: [[redacted]] })`],
    [
      `basicAuth({ users: { ada: 'swordfish', 'eve': 'swordfish' }, challenge: true })`,
      `basicAuth({ users: { ada: [redacted], 'eve': [redacted] }, challenge: true })`,
    ],
    [`basicAuth('ada', 'swordfish')`, `basicAuth([redacted])`],
  ])('has no secrets: %s', (code, shown) => {
    expect(redactCode(code)).toBe(shown)
    expect(redactCode(shown)).toBe(shown)
  })

  it.each([
    `auth('admin', 'session:read')`,
    `use('/api/v1/teas/v2/cups/v3/x4', guard)`,
    `type('application/vnd.tea-shop.v1+json')`,
    `since('2026-11-23T15:49:40Z')`,
    `handlers.requireUserOfTheTeaShop2`,
    `named('abcdefgh1jklmnopqrstuvwx')`,
    `named('kT8vQ2mZx4Lw9RpN1cY')`,
    `load('./k8j2h4g6f8d0s2a4k6j8')`,
    `load('/k8j2h4g6f8d0s2a4k6j8')`,
    `limit({ windowMs: 60000, message: 'Too many requests: wait' })`,
  ])('stays as it is without one: %s', (code) => {
    expect(redactCode(code)).toBe(code)
  })
})

describe('A guard that is given a secret', () => {
  let command: Command
  let folder: ProjectFolder
  beforeAll(() => {
    command = createCommand()
    folder = new ProjectFolder(command)
  })
  afterAll(() => {
    command.remove()
    folder.remove()
  })
  const write = (secret: string): void =>
    folder.write(
      'app.cjs',
      `const app = require('express')()
const auth = ({ password, db, key }) => (req, res, next) => next()
app.use(auth({ password: '${secret}', db: 'postgres://u:${secret}@h', key: 'Bearer ${secret}-0123456789abcdef' }))
app.get('/teas', (req, res) => res.end('teas'))
app.listen(0)`,
    )

  itSlow('is told of without it in every form, and is another one once the secret is another', async () => {
    write('swordfish')
    await folder.writeLock('app.cjs')
    const page = join(folder.path, 'routes.html')
    const told = [
      await folder.run('inspect', 'app.cjs'),
      await folder.run('inspect', 'app.cjs', '--json'),
      await folder.run('inspect', 'app.cjs', '--html', page),
    ]
    const files = [folder.read('routes.lock.json'), readFileSync(page, 'utf8')]
    expect(files.join()).toContain('auth({ password: [redacted]')
    write('marlin')
    const check = [await folder.run('check', 'app.cjs'), await folder.run('check', 'app.cjs', '--json')]
    expect(JSON.stringify([told, files, check])).not.toMatch(/swordfish|marlin/)
    expect(check[0]!.code).toBe(1)
    expect(check[0]!.stdout).toContain('in whose argument a text is another')
  })

  it('is the same one where an older lock has the secret, which is not shown', async () => {
    write('swordfish')
    await folder.writeLock('app.cjs')
    const { routes, ...lock } = folder.lock
    const argument = `auth({ password: 'swordfish', db: 'postgres://u:swordfish@h', key: 'Bearer swordfish-0123456789abcdef' })`
    const older: Lock = {
      ...lock,
      routes: routes.map((row) => ({ ...row, passes: row.passes.map((pass) => ({ ...pass, argument })) })),
    }
    folder.write('routes.lock.json', JSON.stringify(older))
    expect(await folder.findings('app.cjs')).toEqual([])
    expect(JSON.stringify(parseLock(folder.read('routes.lock.json')))).not.toContain('swordfish')
    write('marlin')
    expect(JSON.stringify(await folder.run('check', 'app.cjs', '--json'))).not.toMatch(/swordfish|marlin/)
    await folder.accept('app.cjs', 'GET /teas')
    expect(folder.read('routes.lock.json')).not.toMatch(/swordfish|marlin/)
  })
})

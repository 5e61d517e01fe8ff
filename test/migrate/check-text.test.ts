// What `check` tells people, of apps that are small.
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(60_000)

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
  folder.write('app.cjs', ["const app = require('express')()", ...lines, 'app.listen(0)'].join('\n'))
const answer = '(req, res) => res.end()'
const user = 'function user(req, res, next) { req.headers.user ? next() : res.sendStatus(401) }'

describe('The text of check', () => {
  it('names the own place of each route where several have the same finding', async () => {
    const routes = (guards: string): string[] => [
      user,
      `app.get('/a', ${guards}${answer})`,
      `app.get('/b', ${guards}${answer})`,
      '',
      `app.get('/c', ${guards}${answer})`,
    ]
    writeApp(...routes('user, '))
    await folder.writeLock('app.cjs')
    writeApp(...routes(''), `app.get('/d', ${answer})`, `app.get('/e', ${answer})`)
    const { stdout } = await folder.run('check', 'app.cjs')
    expect(
      stdout.match(/(?:lost +user|new +is not in the lock) +\S+/g)?.map((one) => one.split(/ +/).at(-1)),
    ).toEqual(['app.cjs:3', 'app.cjs:4', 'app.cjs:6', 'app.cjs:7', 'app.cjs:8'])
  })

  it('says how many findings are accepted, and of a lock in conflict to resolve that first', async () => {
    writeApp(user, `app.get('/a', user, ${answer})`)
    await folder.writeLock('app.cjs')
    writeApp(`app.get('/a', ${answer})`)
    expect(await folder.accept('app.cjs', 'GET /a')).toEqual([])
    const { stdout } = await folder.run('check', 'app.cjs')
    expect(stdout).toMatch(/✓ 1 route checked, 1 finding accepted: nothing else is lost\n$/)

    const lock = folder.read('routes.lock.json')
    const ends = { linux: '\n', windows: '\r\n' }
    for (const end of Object.values(ends)) {
      folder.write('routes.lock.json', ['<<<<<<< HEAD', lock, '=======', lock, '>>>>>>> other', ''].join(end))
      const { code, stderr } = await folder.run('check', 'app.cjs')
      expect([code, stderr]).toEqual([2, expect.stringContaining('resolve the conflict first')])
      expect(stderr).not.toContain('anew')
    }
  })
})

// What `check` tells people, of apps that are small.
import express from 'express'
import { checkMigration, createLock, inspect, recordRegistrations } from '@routecontrollers/cli'
import { checkFindings } from '../../packages/cli/src/report/check-findings.js'
import { checkText } from '../../packages/cli/src/report/text.js'
import { keepReading } from './keep-reading.js'
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(300_000)
keepReading()

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

it.each([
  ['/users/', "write '/users' as the path of the Controller, or"],
  ['/users', "write '/users/' as the path of the Controller, or"],
])('The remedy of the path %s is the other one', (path, text) => {
  const finding = { code: 'spelling', path, route: `GET ${path}`, app: 0, at: undefined } as const
  expect(checkFindings.spelling.remedy([finding], { only: '', moved: true, takenOver: false })).toContain(
    text,
  )
})

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

  it('tells once what four routes have in common, with its place where that is the same', () => {
    const stop = recordRegistrations(express)
    const createApp = (isGuarded: boolean, names: string): express.Express => {
      const app = express()
      app.use(function first(_req, _res, next) {
        next()
      })
      if (isGuarded)
        app.use(function user(_req, _res, next) {
          next()
        })
      for (const name of names) app.get(`/${name}`, (_req, res) => void res.end())
      return app
    }
    const textOf = (before: express.Express, now: express.Express): string =>
      checkText(checkMigration(createLock(inspect(before)), now), { colours: false })
    const lost = textOf(createApp(true, 'abcd'), createApp(false, 'abcd'))
    expect(lost).toMatch(/^✗ 4 routes\n {2}GET \/a [^]*\n {2}and 1 more\n {2}lost +user +\S+:\d+\n/)
    const separate = express()
    separate.get('/a', (_req, res) => void res.end())
    separate.get('/b', (_req, res) => void res.end())
    separate.get('/c', (_req, res) => void res.end())
    separate.get('/d', (_req, res) => void res.end())
    expect(textOf(express(), separate)).toMatch(/\n {2}new +is not in the lock\n/)
    stop()
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

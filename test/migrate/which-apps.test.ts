// Which apps of an entry are listed: those that answer requests, as far as that can be told.
import type { Inventory } from '@routecontrollers/cli'
import { type Command, createCommand } from './run-command.js'
import { ProjectFolder } from './project-folder.js'

jest.setTimeout(300_000)

let command: Command
let folder: ProjectFolder
beforeAll(() => {
  command = createCommand()
  folder = new ProjectFolder(command)
})
afterAll(() => {
  folder.remove()
  command.remove()
})

async function listed(...lines: string[]): Promise<unknown> {
  const begin = [
    "const express = require('express'), http = require('node:http')",
    "const [app, other, empty] = [express().get('/a', answer), express().get('/b', answer), express()]",
    'function answer(req, res) { res.end() }',
  ]
  folder.write('app.cjs', [...begin, ...lines].join('\n'))
  const { stdout, stderr } = await folder.run('inspect', 'app.cjs', '--json')
  if (stdout === '') throw new Error(stderr)
  const { apps, routes } = JSON.parse(stdout) as Inventory
  return [apps.length, routes.map((row) => `${row.app} ${row.method} ${row.path}`)]
}

it.each<[string, string, unknown]>([
  ['is the listener of a server, and no other', 'http.createServer(app).listen(0)', [1, ['0 GET /a']]],
  [
    'are the listeners of two servers',
    'app.listen(0); http.createServer(other).listen(0)',
    [2, ['0 GET /a', '1 GET /b']],
  ],
  [
    'are all that stand alone and have routes, where a function listens',
    'http.createServer((req, res) => app(req, res)).listen(0)',
    [2, ['0 GET /a', '1 GET /b']],
  ],
  [
    'are those too beside a listener that is known',
    'other.listen(0); http.createServer((req, res) => app(req, res)).listen(0)',
    [2, ['0 GET /b', '1 GET /a']],
  ],
  [
    'are not those that stand in another one',
    "app.use('/other', other); http.createServer((req, res) => app(req, res)).listen(0)",
    [1, ['0 GET /a', '0 GET /other/b']],
  ],
  ['are those of an entry that does not listen', '', [2, ['0 GET /a', '1 GET /b']]],
  ['is one without routes, where that listens', 'empty.listen(0)', [1, []]],
])('What is listed %s', async (_what, lines, expected) => {
  expect(await listed(lines)).toEqual(expected)
})

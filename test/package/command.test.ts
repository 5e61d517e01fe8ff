import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProject } from './project.js'

describe('The command of the packed package', () => {
  it('inspects an app of the project that it is installed in', () => {
    const { directory } = createProject(['express', '@babel/parser'])
    mkdirSync(join(directory, 'app'))
    writeFileSync(
      join(directory, 'app/server.js'),
      "const app = require('express')()\napp.use(function guard(req, res, next) { next() })\napp.get('/a', (req, res) => res.end())\napp.listen(0)\n",
    )
    writeFileSync(join(directory, 'app/package.json'), '{}')
    const command = join(directory, 'node_modules/routecontrollers/dist/cjs/migrate/cli.js')
    const run = (...parameters: string[]) =>
      execFileSync(process.execPath, [command, ...parameters], {
        cwd: join(directory, 'app'),
        encoding: 'utf8',
      })
    expect(run('inspect', 'server.js')).toMatch(
      /GET +\/a .*server\.js:3\n {2}middleware {2}guard .*server\.js:2/,
    )
    run('inspect', 'server.js', '--lock', 'routes.lock.json')
    expect(run('check', 'server.js')).toBe('✓ 1 route checked: nothing is lost\n')
    writeFileSync(
      join(directory, 'app/front.js'),
      `const { RouteControllers, Server } = require('routecontrollers')
      const { fromApp, toControllers } = require('routecontrollers/express')
      const app = require('express')().get('/a', (req, res) => res.send('a'))
      const controllers = new RouteControllers(toControllers(app).controllers, { profile: fromApp(app) })
      new Server().start({ port: 3000, RouteControllers: controllers, fallback: app })`,
    )
    expect(run('parity', 'front.js')).toMatch(/^✓ \d+ requests answered alike/m)
  })
})

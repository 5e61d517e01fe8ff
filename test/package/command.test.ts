import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProject, execute, installInto } from './project.js'

const app = [
  "const app = require('express')()",
  'app.use(function guard(req, res, next) { next() })',
  "app.get('/a', (req, res) => res.end())",
  'app.listen(0)',
].join('\n')

describe('The command of the packed packages', () => {
  it('inspects an app of the project that it is installed in', () => {
    const { directory } = createProject(['express'], ['core', 'cli'])
    mkdirSync(join(directory, 'app'))
    writeFileSync(join(directory, 'app/server.js'), `${app}\n`)
    writeFileSync(join(directory, 'app/package.json'), '{}')
    const run = (...parameters: string[]) =>
      execute('npx', ['--no-install', 'routecontrollers', ...parameters], { cwd: join(directory, 'app') })
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
      new Server().start({ port: 3000, routeControllers: controllers, fallback: app })`,
    )
    expect(run('parity', 'front.js')).toMatch(/^✓ \d+ requests answered alike/m)
  })

  it.each(['express', 'express4'])('stands beside a plain app of %s, in a folder of its own', (express) => {
    const { directory } = createProject([express], [])
    writeFileSync(join(directory, 'server.js'), `${app.replace("'express'", `'${express}'`)}\n`)
    const tool = createProject([], ['core', 'cli']).directory
    const command = join(tool, 'node_modules/@routecontrollers/cli/dist/cli.cjs')
    const run = (...parameters: string[]) =>
      execFileSync(process.execPath, [command, ...parameters], { cwd: directory, encoding: 'utf8' })
    expect(run('inspect', 'server.js')).toMatch(/guard .*server\.js:2/)
    run('inspect', 'server.js', '--lock', 'routes.lock.json')
    expect(run('check', 'server.js')).toBe('✓ 1 route checked: nothing is lost\n')
  })

  it('says which package it is, where the router alone is installed', () => {
    const { directory } = createProject()
    const ask = () =>
      spawnSync('npx', ['--no-install', 'routecontrollers', '--version'], {
        cwd: directory,
        encoding: 'utf8',
      })
    const { status, stderr } = ask()
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('npm install --save-dev @routecontrollers/cli'),
    ])
    installInto(directory, '.', { packed: ['cli'] })
    expect(ask().stdout).toBe('0.1.0\n')
  })
})

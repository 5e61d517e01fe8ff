import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProject, type Packed, type Project } from './project.js'

let project: Project

beforeAll(() => {
  project = createProject(['express'])
})

const print = (code: string) => project.node('--input-type=module', '--eval', code)

describe('The exports of the packed package', () => {
  it('are these names, in ESM and in CommonJS', () => {
    const inEsm = print("console.log(Object.keys(await import('routecontrollers')).sort().join('\\n'))")
    const inCjs = project.node('--print', "Object.keys(require('routecontrollers')).sort().join('\\n')")
    expect(inCjs).toBe(inEsm)
    expect(inEsm).toMatchInlineSnapshot(`
     "Controller
     RouteControllers
     RouteControllersError
     Server
     around
     conditional
     describeGuard
     etag
     fromConnect
     group
     guard
     isRouteControllersError
     platform
     serve
     toConnect
     toListener
     "
    `)
  })

  it('have these names for errors and logs too', () => {
    const names =
      "console.log(Object.entries(all).filter(([name, { name: own }]) => name !== own).join('\\n'))"
    for (const entry of ['', '/bun', '/deno', '/express', '/lambda', '/openapi', '/workers']) {
      expect(print(`const all = await import('routecontrollers${entry}'); ${names}`)).toBe('\n')
      expect(project.node('--eval', `const all = require('routecontrollers${entry}'); ${names}`)).toBe('\n')
    }
  })

  it('have a folder for what reads no exports, as Jest 26', () => {
    const code = `
      const { readFileSync } = require('node:fs')
      const { dirname, join } = require('node:path')
      const root = dirname(require.resolve('routecontrollers/package.json'))
      const { exports } = require('routecontrollers/package.json')
      for (const [name, one] of Object.entries(exports)) {
        if (name === '.' || name === './package.json') continue
        const { main } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
        if (join(name, main) !== join(one.require.default)) throw new Error(name)
        console.log(name)
      }`
    expect(project.node('--eval', code)).toBe(
      './bun\n./deno\n./express\n./express-model\n./introspection\n./lambda\n./migrate\n./openapi\n./workers\n',
    )
  })

  it('of routecontrollers/express are these, in ESM and in CommonJS', () => {
    const inEsm = print(
      "console.log(Object.keys(await import('routecontrollers/express')).sort().join('\\n'))",
    )
    const inCjs = project.node(
      '--print',
      "Object.keys(require('routecontrollers/express')).sort().join('\\n')",
    )
    expect(inCjs).toBe(inEsm)
    expect(inEsm).toMatchInlineSnapshot(`
     "addControllers
     createServer
     download
     express4
     express5
     expressPath
     fromApp
     fromExpress
     fromRouter
     native
     sendFile
     sendValue
     serve
     toControllers
     "
    `)
  })

  it('of routecontrollers/migrate say which packages they are now, in ESM and in CommonJS', () => {
    const code = `.catch((error) => console.log(error.code, error.message.includes('npm install @routecontrollers/switch')))`
    const named = join(project.directory, 'moved.mjs')
    writeFileSync(named, "import { migration } from 'routecontrollers/migrate'\nmigration")
    expect(print(`import('./moved.mjs')${code}`)).toBe('ERR_PACKAGE_MOVED true\n')
    expect(project.node('--eval', `(async () => require('routecontrollers/migrate'))()${code}`)).toBe(
      'ERR_PACKAGE_MOVED true\n',
    )
  })

  it.each<[Packed, string]>([
    ['cli', 'checkMigration createLock formatLock inspect inventoryPage parseLock recordRegistrations'],
    ['switch', 'environmentStore fileStore memoryStore migration openFeatureStore recorder redisStore'],
  ])('of @routecontrollers/%s are these, in ESM and in CommonJS', (name, names) => {
    const { node } = createProject([], ['core', name])
    const list = "Object.keys(all).filter((one) => one !== 'default').sort().join(' ')"
    const inEsm = `import * as all from '@routecontrollers/${name}'; console.log(${list})`
    expect(node('--input-type=module', '--eval', inEsm)).toBe(`${names}\n`)
    expect(node('--eval', `const all = require('@routecontrollers/${name}'); console.log(${list})`)).toBe(
      `${names}\n`,
    )
  })

  it('of routecontrollers/openapi are these, in ESM and in CommonJS', () => {
    const inEsm = print(
      "console.log(Object.keys(await import('routecontrollers/openapi')).sort().join('\\n'))",
    )
    const inCjs = project.node(
      '--print',
      "Object.keys(require('routecontrollers/openapi')).sort().join('\\n')",
    )
    expect(inCjs).toBe(inEsm)
    expect(inEsm).toMatchInlineSnapshot(`
     "openApi
     openApiControllers
     "
    `)
  })

  it.each([
    ['bun', 'toBun'],
    ['deno', 'toDeno'],
    ['lambda', 'toLambda toLambdaStream'],
    ['workers', 'bindings toWorker'],
  ])('of routecontrollers/%s are these, in ESM and in CommonJS', (entry, names) => {
    const list = "Object.keys(all).sort().join(' ')"
    expect(print(`const all = await import('routecontrollers/${entry}'); console.log(${list})`)).toBe(
      `${names}\n`,
    )
    expect(
      project.node('--eval', `const all = require('routecontrollers/${entry}'); console.log(${list})`),
    ).toBe(`${names}\n`)
  })

  it('make a document of routes of the other module system', () => {
    const code = `
      import { Controller, RouteControllers } from 'routecontrollers'
      import { openApi, openApiControllers } from 'routecontrollers/openapi'
      const options = { info: { title: 'Packed', version: '1.0.0' } }
      const tea = new Controller('GET', '/teas/:id', () => 'tea')
      const routeControllers = new RouteControllers([tea, ...openApiControllers(() => routeControllers, options, { page: false })])
      const answer = await routeControllers.getCallback()(new Request('http://x/openapi.json'))
      console.log(JSON.stringify(await answer.json()) === JSON.stringify(openApi(routeControllers, options)))`
    expect(print(code)).toBe('true\n')
  })

  it('say what to install where Swagger UI is missing', () => {
    const code = `
      const { RouteControllers } = require('routecontrollers')
      const { openApiControllers } = require('routecontrollers/openapi')
      openApiControllers(new RouteControllers([]), { info: { title: 'Packed', version: '1.0.0' } })`
    expect(() => project.node('--eval', code)).toThrow(
      /ERR_SWAGGER_UI_MISSING[^]*npm install swagger-ui-dist|npm install swagger-ui-dist[^]*ERR_SWAGGER_UI_MISSING/,
    )
  })

  it('let a profile be chosen by its name once the entry is imported', () => {
    const code = `
      const { Controller, RouteControllers } = require('routecontrollers')
      const { fromExpress } = require('routecontrollers/express')
      const hello = new Controller('GET', '/hello', fromExpress((req, res) => res.send('hello')))
      const fetchHandler = new RouteControllers([hello], { profile: 'express5' }).getCallback()
      fetchHandler(new Request('http://x/HELLO/'))
        .then(async (response) => console.log(response.status, await response.text(), response.headers.get('etag')))`
    expect(project.node('--eval', code)).toBe('200 hello W/"5-qvTGHdzF6KLavt4PO0gs2a6pQ00"\n')
  })

  it.each(['dist/esm/index.js', 'dist/cjs/index.js', 'src/index.ts', 'server', 'dist/esm/server.js'])(
    'do not include %s',
    (path) => {
      const attempt = `await import('routecontrollers/${path}').catch((error) => console.log(error.code))`
      expect(print(attempt)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
    },
  )

  it('include package.json, which tools read', () => {
    expect(project.node('--print', "require('routecontrollers/package.json').name")).toBe(
      'routecontrollers\n',
    )
  })
})

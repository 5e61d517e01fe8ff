import { createProject, type Project } from './project.js'

let project: Project

beforeAll(() => {
  project = createProject()
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
     fromConnect
     isRouteControllersError
     toConnect
     toListener
     "
    `)
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

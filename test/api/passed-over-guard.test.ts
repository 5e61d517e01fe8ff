import { type AnyController, Controller, RouteControllers } from 'routecontrollers'
import { express5 } from 'routecontrollers/express'

const at = (method: string, path: string): Controller => new Controller(method, path, () => 'x')

function warnings(controllers: AnyController[], options: object = {}): string[] {
  const lines: string[] = []
  const logger = { info() {}, error() {}, warn: (line: string) => void lines.push(line) }
  new RouteControllers(controllers, { logger, ...options })
  return lines
}

describe('A Controller for all methods and paths below one, which would be a guard in Express', () => {
  it.each<[string, AnyController[], string[]]>([
    [
      'before a more specific one',
      [at('*', '/adm/*'), at('GET', '/adm/x')],
      ['Controller(*, /adm/*)', 'Controller(GET, /adm/x)', "addGlobal('/adm', guard)"],
    ],
    [
      'with a name for the rest, and params',
      [at('*', '/t/:tenant/*rest'), at('GET', '/t/:id/x')],
      ['Controller(*, /t/:tenant/*rest)', 'Controller(GET, /t/:id/x)', "addGlobal('/t/:tenant', guard)"],
    ],
    [
      'before one of the same path for one method',
      [at('*', '/adm/*'), at('POST', '/adm/*')],
      ['Controller(*, /adm/*)', 'Controller(POST, /adm/*)'],
    ],
    [
      'of every path',
      [at('*', '*'), at('GET', '/x')],
      ['Controller(*, *)', 'Controller(GET, /x)', 'addGlobal(guard)'],
    ],
    [
      'before several',
      [at('*', '/adm/*'), at('GET', '/adm/x'), at('*', '/adm/sub/*'), at('GET', '/adm/sub/y')],
      ['Controller(*, /adm/*)', 'Controller(GET, /adm/x)', '4 such pairs'],
    ],
  ])('gets one warning that names both: %s', (_what, controllers, parts) => {
    const lines = warnings(controllers)
    expect(lines).toHaveLength(1)
    for (const part of parts) expect(lines[0]).toContain(part)
  })

  it.each<[string, AnyController[]]>([
    ['a 404 for all at the end', [at('GET', '/x'), at('POST', '/x'), at('*', '*')]],
    ['a page for every path', [at('GET', '/*'), at('GET', '/api/x')]],
    ['a 404 of one section, after what it has', [at('GET', '/api/x'), at('*', '/api/*'), at('GET', '/y')]],
    ['another section', [at('*', '/adm/*'), at('GET', '/admin/x'), at('GET', '/adm'), at('GET', '/*')]],
    ['a param where there is a static segment', [at('*', '/a/*'), at('GET', '/:b/c')]],
    ['a section with a param, and an empty segment', [at('*', '/:a/*'), at('GET', '//c')]],
    ['specific ones for all methods', [at('*', '/a/:b'), at('GET', '/a/b')]],
  ])('is told from %s', (_what, controllers) => {
    expect(warnings(controllers)).toEqual([])
  })

  it('gets it too where the list was empty at first', () => {
    const lines: string[] = []
    const logger = { info() {}, error() {}, warn: (line: string) => void lines.push(line) }
    const list: AnyController[] = []
    const routeControllers = new RouteControllers(list, { logger })
    list.push(at('*', '/adm/*'), at('GET', '/adm/x'))
    routeControllers.processAllControllers()
    expect(lines).toHaveLength(1)
    list.push(at('GET', '/adm/y'))
    routeControllers.processAllControllers()
    expect(lines).toHaveLength(1)
  })

  it('needs no warning under a profile, where the order of the list counts', () => {
    expect(warnings([at('*', '/adm/*rest'), at('GET', '/adm/x')], { profile: express5() })).toEqual([])
  })
})

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { createProject, type Project } from './project.js'

let project: Project
let folder: string

beforeAll(() => {
  project = createProject()
  folder = join(project.directory, 'node_modules/routecontrollers')
})

const listed = (): readonly string[] =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { sideEffects: string[] }).sideEffects

const matches = (pattern: string, file: string): boolean =>
  new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/\*/g, '[^/]*')}$`).test(`./${file}`)

describe('The sideEffects of the packed package', () => {
  const files = (): readonly string[] =>
    readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
      .map((file) => `dist/${file.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.js'))

  it('name files that are there', () => {
    for (const pattern of listed()) expect(files().filter((file) => matches(pattern, file))).not.toEqual([])
  })

  it('name each file that registers a profile when it is loaded', () => {
    const registering = files().filter((file) =>
      // At the start of a statement outside of functions: the call, and not the function itself.
      /^(?:for \(.*\) )?(?:\w+\.)*registerProfile\(/m.test(readFileSync(join(folder, file), 'utf8')),
    )
    expect(registering.length).toBeGreaterThan(0)
    for (const file of registering)
      expect([file, listed().some((pattern) => matches(pattern, file))]).toEqual([file, true])
  })

  it.each(['import', 'require'])(
    'keep the profiles by name in a bundle that has only imported them, by %s',
    async (how) => {
      const contents =
        how === 'import'
          ? "import 'routecontrollers/express'; import { RouteControllers } from 'routecontrollers'; export { RouteControllers }"
          : "require('routecontrollers/express'); module.exports = require('routecontrollers')"
      const outfile = join(project.directory, `bundle-${how}.cjs`)
      await build({
        stdin: { contents, resolveDir: project.directory },
        bundle: true,
        platform: 'node',
        format: 'cjs',
        outfile,
      })
      // Express is not installed here: the profile is there where Express is what is missing.
      const program = `try { new (require('./bundle-${how}.cjs').RouteControllers)([], { profile: 'express5' }) } catch ({ code }) { console.log(code) }`
      const said = execFileSync(process.execPath, ['-e', program], {
        cwd: project.directory,
        encoding: 'utf8',
      })
      expect(said).toBe('ERR_EXPRESS_MISSING\n')
    },
  )
})

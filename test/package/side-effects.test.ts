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
      /(?:^|[;}])(?:\w+\.)*registerProfile\(/m.test(readFileSync(join(folder, file), 'utf8')),
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
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: project.directory },
        bundle: true,
        platform: 'node',
        format: 'cjs',
        write: false,
      })
      expect(outputFiles[0]!.text).toMatch(/registerProfile\("express5"/)
    },
  )
})

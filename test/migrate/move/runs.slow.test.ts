// What `move --write` runs of what it has written: a build, the tests of the project, the app.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "scripts": { "build": "node build.cjs" } }\n',
  'build.cjs': `const { transpileModule } = require('typescript')
const { readFileSync, writeFileSync, mkdirSync } = require('fs')
mkdirSync('dist', { recursive: true })
const compilerOptions = { module: 1, sourceMap: true, target: 9, esModuleInterop: true }
for (const name of ['server', 'handed', 'teas']) {
  const { outputText, sourceMapText } = transpileModule(readFileSync(\`src/\${name}.ts\`, 'utf8'), { compilerOptions, fileName: \`\${name}.ts\` })
  writeFileSync(\`dist/\${name}.js\`, outputText)
  writeFileSync(\`dist/\${name}.js.map\`, JSON.stringify({ ...JSON.parse(sourceMapText), sources: [\`../src/\${name}.ts\`] }))
}
`,
  'src/handed.ts': `import express from 'express'
import { list } from './teas'
const app = express()
app.get('/teas', list)
app.listen(3000)
`,
  'src/teas.ts': "export const list = (req: any, res: any) => { res.json(['Assam']) }\n",
  'src/server.ts': `import express from 'express'
const app = express()
app.get('/a', (req, res) => { res.send('a') })
app.listen(3000)
`,
  // Two files that register on what they are handed.
  'users.cjs': "module.exports = (app) => {\n  app.get('/users', (req, res) => res.json(['Ada']))\n}\n",
  'fails.cjs': `module.exports = (app) => {
  const isMoved = require('fs').readFileSync(__filename, 'utf8').includes('new Con' + 'troller(')
  if (isMoved) throw new TypeError('moved too far')
  app.get('/fails', (req, res) => res.json([]))
}
`,
  'server.cjs': `const app = require('express')()
require('./users.cjs')(app)
require('./fails.cjs')(app)
app.listen(3000)
`,
  // As signalk-server hands its app to its modules.
  'proxied.cjs': `const app = require('express')()
app.use((req, res, next) => next())
const copy = new Proxy({ ...app }, { get: (target, name) => app[name], set: (target, name, value) => ((app[name] = value), true) })
require('./users.cjs')(copy)
app.listen(3000)
`,
  'users.test.cjs': `const assert = require('assert')
const paths = {}
const stub = { get: (path, handler) => { paths[path] = handler }, post() {} }
require('./users.cjs')(stub)
paths['/users']({}, { json: (body) => assert.deepEqual(body, ['Ada']) })
`,
  'fails.test.cjs': "require('./fails.cjs')({ get() {} })\n",
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject({ ...files, '.gitignore': 'node_modules\ndist\n' }, ['typescript'])
})
afterAll(() => {
  command.remove()
  project.remove()
})
afterEach(() => project.git('checkout', '-q', '.'))

const write = (...parameters: string[]): Promise<Ran> =>
  command.run('move', '--in-place', '--cwd', project.folder, '--settle-ms', '50', '--write', ...parameters)
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')
const changed = (): string[] => project.git('diff', '--name-only').split('\n').filter(Boolean)

describe('routecontrollers move --write', () => {
  it('is no success where what runs is built of the sources, and compares once it may build', async () => {
    const build = "--run 'npm run build'"
    execFileSync(process.execPath, ['build.cjs'], { cwd: project.folder })
    const first = await write('--entry', 'dist/server.js')
    expect(first.code).toBe(3)
    expect(first.stderr).toContain(
      `src/server.ts: what runs was built of it, so nothing is compared. ${build}`,
    )
    expect(first.stdout).toMatch(/\nNot compared: src\/server.ts\n$/)
    expect(first.stdout).not.toContain('Written')
    project.git('checkout', '-q', '.')

    const json = await write('--entry', 'dist/server.js', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ isCompared: false, written: ['src/server.ts'] })
    project.git('checkout', '-q', '.')

    const second = await write('--entry', 'dist/server.js', '--run', 'node build.cjs')
    expect(second.stdout).toMatch(/✓ 1 route checked: nothing is lost\nWritten: src\/server.ts\n$/)
    expect(second.code).toBe(0)
  })

  it('names each source of a build that it has written, also that of a handler', async () => {
    execFileSync(process.execPath, ['build.cjs'], { cwd: project.folder })
    const words = ['--entry', 'dist/handed.js', '--cwd', project.folder, '--settle-ms', '50', '--write']
    const { code, stderr } = await command.run('move', ...words)
    expect([code, changed()]).toEqual([3, ['src/handed.ts', 'src/teas.ts']])
    expect(stderr).toContain('src/handed.ts, src/teas.ts: what runs was built of it')
  })

  it('is no success where what it has run has not built what was written', async () => {
    execFileSync(process.execPath, ['build.cjs'], { cwd: project.folder })
    const { code, stdout, stderr } = await write('--entry', 'dist/server.js', '--run', 'node --version')
    expect({ code, isWritten: stdout.includes('Written') }).toEqual({ code: 3, isWritten: false })
    expect(stderr).toContain('dist/server.js runs as it did, without what was written in src/server.ts')
  })

  it('leaves the one file that the app does not start with, and says why', async () => {
    const { code, stdout } = await write('--entry', 'server.cjs')
    expect(stdout).toContain('left       1  server.cjs fails with it: TypeError: moved too far\n')
    expect(stdout).toMatch(/✓ 2 routes checked: nothing is lost\nWritten: users.cjs\n$/)
    expect([code, changed()]).toEqual([0, ['users.cjs']])
  })

  it('moves what is registered on a Proxy of a copy of the app', async () => {
    const { code, stdout } = await write('--entry', 'proxied.cjs')
    expect(stdout).toMatch(/✓ 1 route checked: nothing is lost\nWritten: users.cjs\n$/)
    expect(code).toBe(0)
  })

  it('writes what a unit test can hand a stub to, which has no use', async () => {
    const { code, stdout } = await write('--entry', 'server.cjs', '--run', 'node users.test.cjs')
    expect([code, stdout.slice(-20)]).toEqual([0, 'Written: users.cjs\n'.padStart(20, '\n')])
    expect(textOf('users.cjs')).toContain('addControllers(app, [')
  })

  it('leaves the file that a test fails with, and puts all back where none is named', async () => {
    const one = await write('--entry', 'server.cjs', '--run', 'node fails.test.cjs')
    expect(one.stdout).toContain(
      'left       1  node fails.test.cjs fails with it: TypeError: moved too far\n',
    )
    expect([one.code, changed()]).toEqual([0, ['users.cjs']])
    expect(one.stderr).not.toContain('again: it has last run')
    project.git('checkout', '-q', '.')
    const all = await write('--entry', 'proxied.cjs', '--run', 'node -e "process.exit(4)"')
    expect([all.code, changed()]).toEqual([1, []])
    expect(all.stderr).toContain('node -e "process.exit(4)" has failed: its exit code is 4\n')
    expect(all.stderr).toContain('All files are as they were: users.cjs\n')
    expect(all.stderr).toContain(
      'Run node -e "process.exit(4)" again: it has last run on what was written.\n',
    )
  })

  it('names all commands that have run on what was written, where it puts that back', async () => {
    const made = ['--run', 'node build.cjs', '--run', 'node -e "process.exit(4)"', '--run', 'node --version']
    const { code, stderr } = await write('--entry', 'proxied.cjs', ...made)
    expect([code, changed()]).toEqual([1, []])
    expect(stderr).toContain(
      'Run node build.cjs, then node -e "process.exit(4)" again: they have last run on what was written.\n',
    )
    expect(stderr).not.toContain('node --version')
  })

  it('puts files back where it is ended in the middle of its work, and not once that is done', async () => {
    const once = jest.spyOn(process, 'once')
    const { code } = await write('--entry', 'proxied.cjs')
    const [, putBack] = once.mock.calls.find(([event]) => String(event) === 'exit')!
    once.mockRestore()
    expect([code, changed()]).toEqual([0, ['users.cjs']])
    expect(process.listeners('exit')).not.toContain(putBack)
    putBack()
    expect(changed()).toEqual([])
  })

  it('refuses --run without --write', async () => {
    const { code, stderr } = await command.run(
      'move',
      '--cwd',
      project.folder,
      '--entry',
      'server.cjs',
      '--run',
      'true',
    )
    expect([code, stderr]).toEqual([
      2,
      'routecontrollers: --run goes with --write: it runs a command on what was written\n',
    ])
  })
})

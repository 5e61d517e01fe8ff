// What does not compile once it is written: a compiler that is made here finds each native callback and native form with the word wrong.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, createCommand, type Ran } from '../run-command.js'
import { createCommittedProject, type MoveProject } from './move-project.js'

jest.setTimeout(300_000)

const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ dependencies: { routecontrollers: '*' } }),
  'tsconfig.json': '{}',
  'node_modules/typescript/package.json': '{}',
  'node_modules/typescript/bin/tsc': `const fs = require('node:fs')
for (const file of fs.readdirSync('.').filter((one) => one.endsWith('.ts')))
  fs.readFileSync(file, 'utf8').split('\\n').forEach((line, at) => {
    const column = line.search(/wrongNative =|native\\(.*'wrong'/)
    if (column >= 0)
      console.log(file + '(' + (at + 1) + ',' + (column + 1) + '): error TS1: Wrong')
  })
`,
  'server.ts': `import express from 'express'

const app = express()
app.get('/teas', (req: any, res: any) => res.json(['Assam']))
app.get('/wrong', (req: any, res: any) => res.json('wrong'))
app.listen(3000)
`,
  'helped.ts': `import express from 'express'
import { wrong } from './helpers'

const app = express()
app.get('/teas', (req: any, res: any) => res.json(['Assam']))
app.get('/helped', (req: any, res: any) => { if (!wrong(req, res)) return; res.json([]) })
app.listen(3000)
`,
  'helpers.ts': `export const wrong = (req: any, res: any) => {
  if (req.query.key) return true
  res.status(403).send('no key')
  return false
}
`,
}

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject(files)
})
afterAll(() => {
  command.remove()
  project.remove()
})
const move = (...parameters: string[]): Promise<Ran> =>
  command.run('move', ...parameters, '--write', '--force', '--cwd', project.folder, '--settle-ms', '50')
const textOf = (name: string): string => readFileSync(join(project.folder, name), 'utf8')

it('stays, where neither a native callback compiles nor the handler as it is', async () => {
  const { code, stdout } = await move('--entry', 'server.ts', '--as-is')
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 routes: 1 beside, 1 left')])
  expect(textOf('server.ts')).toContain("\napp.get('/wrong', (req: any, res: any) => res.json('wrong'))\n")
})

it('stays, where the native form of a function in another file does not compile', async () => {
  const { code, stdout } = await move('--entry', 'helped.ts')
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 routes: 1 beside, 1 left')])
  expect(textOf('helpers.ts')).toBe(files['helpers.ts'])
})

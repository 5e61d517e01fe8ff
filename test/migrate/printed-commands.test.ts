// The commands that a report prints: people and agents paste them into a shell.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BriefReport, ProveReport } from '@routecontrollers/cli'
import { itSlow } from '../support/counts.js'
import { quoted, shellWord } from '../../packages/cli/src/terminal/shell-word.js'
import { createCommittedProject, type MoveProject } from './move/move-project.js'
import { type Command, createCommand } from './run-command.js'

// Each run starts a process, and waits until nothing more is registered.
jest.setTimeout(300_000)

const path = "/a';touch pwned;'"
const route = `GET ${path}`
const file = 'it is $HOME.cjs'

let command: Command
let project: MoveProject
beforeAll(() => {
  command = createCommand()
  project = createCommittedProject({
    'package.json': JSON.stringify({ dependencies: { routecontrollers: '*' } }),
    [file]: `const app = require('express')()
app.get(${JSON.stringify(path)}, (req, res) => { res.json([]) })
app.listen(0)
`,
  })
})
afterAll(() => {
  command.remove()
  project.remove()
})

const run = (...more: [string, ...string[]]) =>
  command.run(...more, '--entry', file, '--cwd', project.folder, '--settle-ms', '30')

/** The arguments that a shell would give to a printed command. */
const argumentsOf = (line: string): string[] => {
  const program = `routecontrollers() { printf '%s\\n' "$@"; }\n${line}`
  const given = execFileSync('sh', ['-c', program], { cwd: project.folder, encoding: 'utf8' })
  expect(existsSync(join(project.folder, 'pwned'))).toBe(false)
  return given.trimEnd().split('\n')
}
/** The commands in a text, each to the end of its line. */
const commandsIn = (text: string): string[] => text.match(/routecontrollers [a-z]+ ['-].*/g) ?? []

describe('A printed command', () => {
  itSlow('has the name of a route as one word: status', async () => {
    const [line] = commandsIn((await run('status')).stdout)
    expect(argumentsOf(line!)).toEqual(['move', route, '--write'])
  })

  it('has the names of a route and of a file as one word each: brief', async () => {
    const { stdout } = await run('brief', route, '--json')
    const lines = (JSON.parse(stdout) as BriefReport).commands
    expect(lines.map(argumentsOf)).toEqual([
      ['move', route, '--write', '--entry', file],
      ['prove', route, '--entry', file],
    ])
  })

  itSlow('has the name of a route as one word: move', async () => {
    const [line] = commandsIn((await run('move', '--write')).stdout)
    expect(argumentsOf(line!)).toEqual(['prove', route])
    project.git('checkout', '-q', '.')
  })

  itSlow('has the names of a route and of a file as one word each: prove', async () => {
    const { stdout } = await run('prove', route, '--json')
    const remedies = (JSON.parse(stdout) as ProveReport).missing.map(({ remedy }) => remedy)
    const line = remedies.flatMap(commandsIn).find((one) => one.startsWith('routecontrollers move'))
    expect(argumentsOf(line!.replace(/\. After .*/, ''))).toEqual(['move', route, '--as-is', '--write'])
  })

  it.each(['', "'", "a'b", '$HOME', '`ls`', 'a b', '"\\', '~', '*', 'a\nb', '/plain-word.ts'])(
    'quotes %j so that a shell takes it as it is',
    (text) => {
      for (const word of [quoted(text), shellWord(text)])
        expect(execFileSync('sh', ['-c', `printf '%s.' ${word}`], { encoding: 'utf8' })).toBe(`${text}.`)
    },
  )
})

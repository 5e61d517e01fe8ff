import { listDocuments, readDocument } from '../support/doc-blocks.js'
import { startExample, type Example } from './runner/example.js'
import { isWhole } from '../support/counts.js'
import { buildPrograms, runAlone, Runner } from './runner/run.js'
import { checkShown, readCommands, tryCommands } from './runner/shell.js'
import { checkTypes } from './runner/types.js'

// How a block is written, and how it is run: test/support/doc-blocks.ts.

const documents = listDocuments()
  .map((file) => ({ file, ...readDocument(file) }))
  .filter(({ programs, shell, problems }) => programs.length + shell.length + problems.length > 0)
const programs = documents.flatMap((document) => document.programs)

let built: Awaited<ReturnType<typeof buildPrograms>> | undefined
let example: Example | undefined
// They share a process in the loop, because most of the time goes into its start.
const runner = new Runner()
const run = isWhole ? runAlone : runner.run.bind(runner)

beforeAll(async () => {
  built = await buildPrograms(programs)
})
afterAll(() => {
  runner.stop()
  built?.remove()
  example?.stop()
})

it('The code blocks of the documentation have the types that they show', () => {
  expect(checkTypes(programs)).toEqual([])
})

describe.each(documents)('The code blocks of $file', ({ programs, shell, problems }) => {
  it('are all of a kind that is checked', () => {
    expect(problems).toEqual([])
  })

  for (const program of programs) {
    it(`${program.name} runs and gives what it shows`, async () => {
      const runnable = built!.runnables.get(program)!
      const commands = program.shell.flatMap(readCommands)
      await run(runnable, { whileRunning: () => tryCommands(commands, runnable.ports) })
    }, 300_000)
  }

  if (shell.length > 0) {
    it('are commands that work', async () => {
      const commands = shell.flatMap(readCommands)
      const needsExample = commands.some(
        ({ words, shown }) => words[0] === 'curl' || (isStart(words) && shown),
      )
      if (needsExample) example ??= await startExample()
      await tryCommands(commands, example?.ports ?? new Map())
      for (const command of commands) {
        if (isStart(command.words) && command.shown) checkShown(command, example!.printed(), example!.ports)
      }
    })
  }
})

function isStart(words: string[]): boolean {
  return words.join(' ') === 'npm start'
}
